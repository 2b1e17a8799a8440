"""`sandgate review`: changes are read by a model that has not seen how they came about; findings decide the exit code.

Findings come from a model that read a repository: all of it is made visible, and stands behind our own words.
"""

from __future__ import annotations

from sandgate.display import one_line, visible
from sandgate.protocol.events_wire import review_json
from sandgate.protocol.operations import Review
from sandgate.protocol.review import ReviewOutput
from sandgate.protocol.wire import sendable
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.agent import last_message_file, turn, write_last_message
from sandgate.surfaces.cli.agent_options import PastChoice
from sandgate.surfaces.cli.review_prompt import review_target
from sandgate.surfaces.cli.revision import nothing_changed, require_revision
from sandgate.surfaces.cli.session import environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.review import ReviewFinding
    from sandgate.surfaces.cli.agent_turn import EndedTurn
    from sandgate.surfaces.cli.last_message import LastMessageFile
    from sandgate.surfaces.cli.parse import ParsedLine
    from sandgate.surfaces.cli.review_prompt import ReviewTarget

NOTHING_FOUND, FOUND, CANNOT = 0, 1, 125
LOOKED_FOR = ("", "branch")  # kinds of subjects in which there may be nothing; a commit is one
FAILED = 1  # of a turn; a review says 125 instead, for 1 means findings
BODY_LINES_MAX = 200  # of one finding


def main(parsed: ParsedLine) -> int:
    """0 nothing found, 1 findings; any other code means that there is no verdict."""
    target = review_target(parsed)
    where = environment(parsed)
    if target.revision is not None:
        require_revision(where, target.revision, target.kind)
    file = last_message_file(parsed, where)
    if target.kind in LOOKED_FOR and nothing_changed(where, target.revision):
        return _nothing_to_review(parsed, target, file)
    try:
        ended = turn(parsed, where, Review(target.prompt, target.hint), PastChoice())
        review = ended.outcome.review
        code = review_code(ended)
        if review is not None:
            say.out(_json(review) if parsed.on("json") else "".join(f"{line}\n" for line in review_lines(review)))
            if code == CANNOT:
                say.fact("the reviewer's answer has not the agreed form, so it is no verdict")
        elif code == CANNOT:
            say.fact("there is no verdict")
        write_last_message(file, None if review is None else _json(review).rstrip("\n"))
    finally:
        if file is not None:
            file.close()
    return code


def _nothing_to_review(parsed: ParsedLine, target: ReviewTarget, file: LastMessageFile | None) -> int:
    """Said in the form of a review, and no model is asked: there is nothing that it could find."""
    why = f"there are no {target.hint}, so no model was asked"
    review = ReviewOutput((), "patch is correct", why, 1.0)
    say.out(_json(review) if parsed.on("json") else "".join(f"{line}\n" for line in review_lines(review)))
    try:
        write_last_message(file, _json(review).rstrip("\n"))
    finally:
        if file is not None:
            file.close()
    if target.revision is None:
        say.fact("what is committed is reviewed with `--base BRANCH` or `--commit SHA`")
    return NOTHING_FOUND


def review_code(ended: EndedTurn) -> int:
    """The exit code. An answer in another form has no findings and is still no praise."""
    review = ended.outcome.review
    if not ended.outcome.completed or review is None:
        return ended.code if ended.code not in (NOTHING_FOUND, FAILED) else CANNOT
    if review.findings:
        return FOUND
    if not review.overall_correctness.strip():
        return CANNOT
    return FOUND if "incorrect" in review.overall_correctness.lower() else ended.code


def review_lines(review: ReviewOutput) -> list[str]:
    """The whole review for people, the most urgent finding first."""
    ordered = sorted(review.findings, key=lambda each: (each.priority is None, each.priority or 0))
    lines = [line for finding in ordered for line in _finding(finding)]
    verdict = one_line(review.overall_correctness) or "no verdict"
    counted = f"{len(ordered)} finding{'s' * (len(ordered) != 1)}"
    lines.append(f"{counted}; {verdict} (confidence {_percent(review.overall_confidence_score)})")
    return lines + [f"  | {visible(line.expandtabs())}" for line in review.overall_explanation.splitlines()]


def _finding(finding: ReviewFinding) -> list[str]:
    place = finding.code_location
    lines = f"{place.start}" if place.start == place.end else f"{place.start}-{place.end}"
    priority = "P?" if finding.priority is None else f"P{finding.priority}"
    where = f"{visible(place.absolute_file_path)}:{lines}"
    head = f"{priority} {where}  {one_line(finding.title)} (confidence {_percent(finding.confidence_score)})"
    body = finding.body.splitlines()
    return [head, *(f"  | {visible(line.expandtabs())}" for line in body[:BODY_LINES_MAX])]


def _percent(share: float) -> str:
    return f"{share:.0%}" if 0 <= share <= 1 else "?"


def _json(review: ReviewOutput) -> str:
    import json

    return json.dumps(sendable(review_json(review))).replace("\x7f", "\\u007f") + "\n"

"""Reading a review out of what a reviewer said, and what the conversation learns of it."""

from __future__ import annotations

import json

from sandgate.protocol.review import CodeLocation, ReviewFinding, ReviewOutput
from sandgate.session.notices import user_action

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.items import Message

FINDINGS_MAX = 1_000
REVIEW_INSTRUCTIONS = """\
You review a change that somebody else made in the repository you stand in. You have not seen how it came about, and \
you do not change anything: you read, run what shows something, and judge.

Report what is wrong and what its author would want to fix: a bug, a broken promise, a security hole, a lost error, \
a race, something that cannot be maintained. It has to come from this change, be provable from the code, and be \
worth a stop. Say nothing of taste, of style the project does not ask for, or of what might be if something else \
were different. No finding is a good result. Check each one before you report it: follow the calls, look at the \
tests, run them.

Answer with one JSON object and nothing else:
{"findings": [{"title": "at most 80 characters, says what is wrong", "body": "why it is wrong, when it shows, in a \
short paragraph", "confidence_score": 0.0 to 1.0, "priority": 0 (stop everything) to 3 (some day), "code_location": \
{"absolute_file_path": "…", "line_range": {"start": 1, "end": 1}}}], "overall_correctness": "patch is correct" or \
"patch is incorrect", "overall_explanation": "one to three sentences", "overall_confidence_score": 0.0 to 1.0}
"""
ACTION = "review"
ABOUT = "The person had the work reviewed by another model. This is its report; deal with it when they ask for that."
INTERRUPTED = "The review was ended before it had a result."


def review_of(text: str) -> ReviewOutput:
    """The review that a text holds: as JSON, as JSON within prose, or the text itself as its explanation."""
    for candidate in (text, text[text.find("{") : text.rfind("}") + 1]):
        found = _as_review(candidate)
        if found is not None:
            return found
    return ReviewOutput((), "", text.strip(), 0.0)


def review_notice(review: ReviewOutput | None) -> Message:
    """What the conversation that was reviewed is told."""
    return user_action(ACTION, ABOUT, INTERRUPTED if review is None else _report(review))


def _report(review: ReviewOutput) -> str:
    lines = [line for line in (review.overall_correctness, review.overall_explanation) if line]
    for finding in review.findings:
        place = finding.code_location
        lines.append(f"- {finding.title} — {place.absolute_file_path}:{place.start}-{place.end}")
        lines += [f"  {line}" for line in finding.body.splitlines()]
    return "\n".join(lines)


def _as_review(text: str) -> ReviewOutput | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("findings"), list):
        return None
    findings = tuple(filter(None, map(_finding, found["findings"][:FINDINGS_MAX])))
    return ReviewOutput(
        findings,
        _text(found, "overall_correctness"),
        _text(found, "overall_explanation"),
        _share(found.get("overall_confidence_score")),
    )


def _finding(value: Any) -> ReviewFinding | None:
    if not isinstance(value, dict):
        return None
    place = value.get("code_location")
    place = place if isinstance(place, dict) else {}
    lines = place.get("line_range")
    lines = lines if isinstance(lines, dict) else {}
    start, priority = _whole(lines.get("start")) or 1, _whole(value.get("priority"))
    return ReviewFinding(
        _text(value, "title"),
        _text(value, "body"),
        _share(value.get("confidence_score")),
        priority,
        CodeLocation(_text(place, "absolute_file_path"), start, _whole(lines.get("end")) or start),
    )


def _text(value: dict[str, Any], name: str) -> str:
    found = value.get(name)
    return found if isinstance(found, str) else ""


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _share(value: object) -> float:
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return float(value) if known else 0.0  # type: ignore[arg-type]

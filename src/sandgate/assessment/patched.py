"""Judges a patch by the files it touches: where they lie says how bad it is, and how much of them says what it is.

What a patch writes is shown to whoever decides; whether the place is one of those that matter is not.
"""

from __future__ import annotations

from sandgate.assessment.conclusion import conclusion
from sandgate.assessment.findings import HIGH, Finding
from sandgate.assessment.stopped import denial_findings
from sandgate.assessment.touching import deleting, writing
from sandgate.protocol.patches import counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.assessment.facts import AssessmentFacts
    from sandgate.protocol.denials import DenialReport
    from sandgate.protocol.patches import FileChange
    from sandgate.protocol.risk import RiskAssessment

FILES_JUDGED_MAX = 500  # of one patch; with more it is a high risk, as nobody reads them either


def assess_patch(
    changes: tuple[FileChange, ...], *, facts: AssessmentFacts, denial: DenialReport | None = None
) -> RiskAssessment:
    """What applying these changes could do. `denial`: what a sandbox has stopped of it."""
    findings = [found for change in changes[:FILES_JUDGED_MAX] for found in _findings(change, facts)]
    if len(changes) > FILES_JUDGED_MAX:
        findings.append(Finding(HIGH, "unknown", "?", f"touches more than {FILES_JUDGED_MAX} files"))
    return conclusion([*findings, *denial_findings(denial, facts, findings)], [], _size(changes))


def _findings(change: FileChange, facts: AssessmentFacts) -> list[Finding]:
    """By where the files really lie."""
    place = change.leads_to(change.path)
    if change.kind == "delete":
        return [_deleted(place, facts)]
    if change.move_path is not None:  # nothing of it is lost
        return [
            writing(change.leads_to(change.move_path), facts, verb="Writes"),
            writing(place, facts, verb="Moves").but(consequence=""),
        ]
    if change.kind == "add":
        return [writing(place, facts, verb="Writes")]
    # What is lost of it is in the difference.
    return [writing(place, facts, verb="Changes").but(consequence="")]


def _deleted(path: str, facts: AssessmentFacts) -> Finding:
    return deleting(path, facts, recursive=False, contents=False, filtered=False)


def _size(changes: tuple[FileChange, ...]) -> str:
    """ "1 file, 3 lines added, 1 removed"."""
    pairs = [counts(change) for change in changes]
    added, removed = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
    files, lines = len(changes), "line" if added == 1 else "lines"
    return f"{files} file{'s' * (files != 1)}, {added} {lines} added, {removed} removed"

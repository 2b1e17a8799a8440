"""What a review of code finds."""

from __future__ import annotations

from sandgate.record import Record


class CodeLocation(Record):
    """Lines of a file, counted from 1, both included."""

    absolute_file_path: str
    start: int
    end: int


class ReviewFinding(Record):
    """One thing that is wrong."""

    title: str
    body: str
    confidence_score: float  # 0 to 1
    priority: int | None  # 0 is the most urgent; None: not said
    code_location: CodeLocation


class ReviewOutput(Record):
    """The whole verdict."""

    findings: tuple[ReviewFinding, ...]
    overall_correctness: str
    overall_explanation: str
    overall_confidence_score: float  # 0 to 1

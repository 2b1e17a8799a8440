"""Tables of the terminal workloads: medians over the rounds, ratios within each round, and the bars set for Sandgate.

A ratio compares two answers of the same round, because the machine's speed drifts; shown is the median of those ratios.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    Rows = dict[str, list[dict[str, Any] | None]]  # by contestant, one answer per round; None: there was none


@dataclass(frozen=True)
class Column:
    """One measured number."""

    title: str
    key: str
    digits: int = 2
    ratio: bool = False  # beside it, the ratio to the limit


@dataclass(frozen=True)
class Bar:
    """What one contestant is expected to reach: an absolute number, or a multiple of the limit's."""

    contestant: str
    key: str
    sense: Literal["at least", "at most"]
    bound: float
    of_limit: bool = False

    def about(self, contestant: str) -> Bar:
        """The same, expected of another."""
        return replace(self, contestant=contestant)

    def judged(self, rows: Rows, limit: str) -> str | None:
        """A line that says whether it was reached; None when it was not measured."""
        answers = rows.get(self.contestant, [])
        reached = paired(answers, rows.get(limit, []), self.key) if self.of_limit else middle(answers, self.key)
        if reached is None:
            return None
        met = reached >= self.bound if self.sense == "at least" else reached <= self.bound
        unit = f" x {limit}" if self.of_limit else ""
        judged = "met" if met else "MISSED"
        return f"- bar {judged}: {self.contestant}, {self.key} {self.sense} {self.bound:g}{unit}: {reached:.2f}{unit}"


def middle(answers: list[dict[str, Any] | None], key: str) -> float | None:
    """The median over the rounds."""
    values = [answer[key] for answer in answers if answer is not None and key in answer]
    return statistics.median(values) if values else None


def paired(answers: list[dict[str, Any] | None], base: list[dict[str, Any] | None], key: str) -> float | None:
    """The median of the ratios within each round."""
    pairs = [(one, other) for one, other in zip(answers, base, strict=False) if one is not None and other is not None]
    ratios = [one[key] / other[key] for one, other in pairs if key in one and other.get(key)]
    return statistics.median(ratios) if ratios else None


def table(title: str, rows: Rows, columns: list[Column], *, limit: str, bars: list[Bar]) -> str:
    """A markdown table, and below it the bars."""
    head = ["contestant"]
    for column in columns:
        head += [column.title, f"x {limit}"] if column.ratio else [column.title]
    lines = [f"### {title}", "", f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for name, answers in rows.items():
        cells = [name]
        for column in columns:
            cells.append(_cell(middle(answers, column.key), column.digits))
            if column.ratio:
                cells.append(_cell(paired(answers, rows.get(limit, []), column.key), 2))
        lines.append(f"| {' | '.join(cells)} |")
    judged = [line for bar in bars if (line := bar.judged(rows, limit)) is not None]
    return "\n".join([*lines, "", *judged, ""]) + "\n"


def _cell(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"

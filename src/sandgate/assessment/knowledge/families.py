"""Entries that differ by name only: many programs that do the same."""

from __future__ import annotations

from sandgate.assessment.findings import LOW, MEDIUM
from sandgate.assessment.knowledge.entry import Entry, Worse
from sandgate.assessment.listing import phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.risk import FactKind, RiskCategory, RiskLevel

# A checker that is told to repair changes files; the same words for all of them.
FIXING = Worse("--fix --write --unsafe-fixes --in-place --autocorrect", MEDIUM, "Rewrites source files in the project")


def family(
    level: RiskLevel,
    words: str,
    kind: FactKind,
    categories: tuple[RiskCategory, ...],
    names: str,
    *worse: Worse,
) -> tuple[Entry, ...]:
    """One entry for each of the comma-separated `names`; each is an example of itself."""
    example = "{}" if level == LOW else "{} x"  # alone, some of them only show their help
    return tuple(
        Entry(name, level, words, (example.format(name),), kind, categories, worse=worse or (FIXING,))
        for name in phrases(names)
    )

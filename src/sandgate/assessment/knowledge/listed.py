"""Entries by the dozen: programs that differ in their names alone share one line."""

from __future__ import annotations

from sandgate.assessment.findings import HIGH, LOW
from sandgate.assessment.knowledge.entry import Entry
from sandgate.assessment.listing import phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.assessment.knowledge.entry import Operands
    from sandgate.protocol.risk import FactKind, RiskCategory, RiskLevel


def looking(
    does: str, names: str, *, operands: Operands = "", values: str = "", clusters: bool = True
) -> tuple[Entry, ...]:
    """Entries of what only looks; `names` are separated by commas and may have sub-commands."""
    return tuple(
        Entry(name, LOW, does, (name,), kind="reads", operands=operands, values=values, clusters=clusters)
        for name in phrases(names)
        if name
    )


def acting(
    does: str,
    names: str,
    *categories: RiskCategory,
    level: RiskLevel = HIGH,
    kind: FactKind = "privilege",
    consequence: str = "",
    harmless: str = "",
    operands: Operands = "",
    values: str = "",
    writes: str = "",
    bare: bool = False,
    clusters: bool = True,
) -> tuple[Entry, ...]:
    """Entries of what changes something; fields as in `Entry`. All take `--help` and `--version`."""
    return tuple(
        Entry(
            name, level, does, (f"{name} => low" if bare else name,), kind=kind, categories=categories,
            consequence=consequence, harmless=f"--help --version {harmless}".rstrip(), operands=operands, values=values,
            writes=writes, bare=bare, clusters=clusters,
        )
        for name in phrases(names)
        if name
    )  # fmt: skip

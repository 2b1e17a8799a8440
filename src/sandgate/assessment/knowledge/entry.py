"""One line of knowledge about a program: what it does to the world, and which options make it worse.

Every entry carries examples with their level. A test and the doctor judge each of them (examples.py), so a table cannot
say one thing and mean another. An example without `=>` has the level of its entry.
"""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from sandgate.protocol.risk import FactKind, RiskCategory, RiskLevel

    # What the operands are: paths (of one kind, or the last one being the destination), a first operand that is no
    # path (a pattern, a mode), hosts, or nothing that matters.
    Operands = Literal["", "read", "list", "write", "delete", "copy", "move", "skip-read", "skip-write", "host"]


class Worse(Record):
    """Options or operands that raise the level of an entry, and what they mean."""

    flags: str  # blank-separated; any of them
    level: RiskLevel
    does: str
    categories: tuple[RiskCategory, ...] = ()
    consequence: str = ""
    operands: str = ""  # blank-separated operands with the same effect; what is no plain word counts as a beginning
    unless: str = ""  # options that take the effect away, such as `--dry-run`


class Entry(Record):
    """A program, or a program with its sub-command."""

    name: str  # "git push"
    level: RiskLevel
    does: str  # a sentence without its full stop; `{}` stands for the operands
    examples: tuple[str, ...]
    kind: FactKind = "runs"
    categories: tuple[RiskCategory, ...] = ()
    operands: Operands = ""
    values: str = ""  # options that take a value; for a program with sub-commands, those before the sub-command
    worse: tuple[Worse, ...] = ()
    consequence: str = ""
    clusters: bool = True  # False: `-name` is one option, not four letters
    harmless: str = ""  # options that make the whole call mere looking: `--help`, `--dry-run`
    writes: str = ""  # options whose value is a path it writes: `-o`
    bare: bool = False  # without any argument it only looks: `mount`
    alone: str = "its input"  # what `{}` stands for where no operand is given

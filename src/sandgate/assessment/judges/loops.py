"""Loops that use the machine up: by processes without end, or by files without end.

A single `touch` or a job in the background is nothing; what matters is how often. That is read from the loop's own
head: `while true`, `{1..1000000}`, `$(seq 1000000)`.
"""

from __future__ import annotations

from sandgate.assessment.findings import EXHAUSTION, HIGH, MEDIUM, NETWORK
from sandgate.assessment.inline_code import ENDING
from sandgate.assessment.listing import words
from sandgate.assessment.wording import worded
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.assessment.inquiry import Call, Inquiry
    from sandgate.commandline.script import SimpleCommand
    from sandgate.protocol.risk import RiskLevel

COPIES = frozenset(
    words(
        "--replicas --scale --count --instances --desired-count --desired-capacity --num-instances --parallelism "
        "--completions --min-instances --num-nodes"
    )
)
COPIES_MANY = 1_000
MANY = 100_000  # files or processes from one loop; no project needs as many
SEQUENCE_MANY = 1_000_000_000  # numbers; written out, ten gigabytes
HUGE_GIGABYTES = 20  # one file of this size is no fixture of a project any more


class Loops(Record):
    """The loops of one script: whether one of them goes on and on, and whether something there waits or ends it."""

    unbounded: bool
    ending: bool


def loops_of(commands: Sequence[SimpleCommand]) -> Loops:
    """Asked once for a script, as it looks at all of its commands."""
    unbounded = _endless(commands) or _many(commands)
    return Loops(unbounded, unbounded and not ENDING.isdisjoint(map(_first, commands)))


def judge_looped(command: SimpleCommand, loops: Loops, inquiry: Inquiry, since: int) -> None:
    """`command` is part of a loop; `loops`: those of its script; `since`: findings before it."""
    if command.background:
        level: RiskLevel = HIGH if loops.unbounded else MEDIUM
        inquiry.add(level, "runs", "?", "starts commands in the background in a loop", "", "", (EXHAUSTION,))
    if not loops.unbounded or loops.ending:
        return
    if any(found.kind == "contacts" and NETWORK in found.categories for found in inquiry.findings[since:]):
        inquiry.add(HIGH, "contacts", "?", "asks a service again and again without rest",
                    "Asks a service again and again without rest", "", (EXHAUSTION,))  # fmt: skip
    written = [found.target for found in inquiry.findings[since:] if found.kind == "writes"]
    if any(target[:5] != "/dev/" for target in written):
        inquiry.add(HIGH, "writes", written[0], "writes again and again without end",
                    "Writes files again and again until the disk is full", "", (EXHAUSTION,))  # fmt: skip


def judge_count(call: Call, said: str, inquiry: Inquiry) -> None:
    """`--replicas=5000`: a number of copies that no machine was meant for; `said`: all arguments in one text."""
    if not any(name in said for name in COPIES):
        return
    for at, arg in enumerate(call.args):
        name, _, value = arg.text.partition("=")
        if name in COPIES and is_many(
            value or (call.args[at + 1].text if at + 1 < len(call.args) else ""), COPIES_MANY
        ):
            inquiry.add(HIGH, "runs", call.program, "starts a great many copies",
                        f"Starts {worded(value or 'many')} copies", "", (EXHAUSTION,))  # fmt: skip


def _first(command: SimpleCommand) -> str:
    return (command.words[0].literal or "") if command.words else ""


def _endless(commands: Sequence[SimpleCommand]) -> bool:
    """Whether a loop among these has `true` for its condition."""
    return any(each.looped and len(each.words) == 1 and _first(each) in {"true", ":"} for each in commands)


def _many(commands: Sequence[SimpleCommand]) -> bool:
    """Whether a loop among these runs through a very long row of numbers."""
    for each in commands:
        if _first(each) == "seq" and each.substituted_into is not None and is_many(each.words[-1].literal or ""):
            return True
        for assignment in each.assignments:
            for value in assignment.values:
                text = value.literal or ""
                if text[:1] == "{" and text[-1:] == "}" and any(is_many(part) for part in text[1:-1].split("..")):
                    return True
    return False


def is_many(text: str, many: int = MANY) -> bool:
    """Whether `text` is a number of at least `many`."""
    return text.isdecimal() and len(text) < len(str(many)) + 20 and int(text) >= many

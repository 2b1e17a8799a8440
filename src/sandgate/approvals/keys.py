"""What an approval is about: the parsed command in its directory, never the text it was written as.

Two spellings of one simple command (`ls`, `bash -c ls`, `/bin/bash -c 'ls'`) share a key; a different
directory, environment, terminal or login shell does not.
"""

from __future__ import annotations

from sandgate.commandline import segments
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.commands import CommandRequest

SCRIPT_MARKER = "shell script"


class ApprovalKey(Record):
    """Hashable identity of what was approved."""

    family: str  # which kind of tool asked; grants never leak from one family to another
    argv: tuple[str, ...]
    cwd: str
    environment: frozenset[tuple[str, str]]
    wish: str
    tty: bool


def key_of(command: CommandRequest, *, family: str = "exec") -> ApprovalKey:
    """The key of one request."""
    return ApprovalKey(
        family, canonical(command.argv), command.cwd, frozenset(command.env.items()), command.wish, command.tty
    )


def canonical(argv: tuple[str, ...]) -> tuple[str, ...]:
    """One argv for all spellings of the same simple command; scripts keep their exact text."""
    parsed = segments(argv)
    if parsed.commands == (argv,):
        return argv
    flag = argv[1] if len(argv) > 1 else ""
    if parsed.plain and len(parsed.commands) == 1:
        return (flag, *parsed.commands[0])
    return (SCRIPT_MARKER, flag, *argv[2:])

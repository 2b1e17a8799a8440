"""What an approval is about: the parsed command in its directory, never the text it was written as.

Two spellings of one simple command (`bash -c ls`, `/bin/bash -c 'ls'`) share a key; a different
directory, environment, terminal or login shell does not.
"""

from __future__ import annotations

from sandgate.commandline import segments
from sandgate.policy.safety import SYSTEM_BINS, trusted_program
from sandgate.protocol.decisions import ApprovalKey

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.decisions import ApprovalRequest

# The first word of a canonical form says what the rest is, so that no argv can pass for another kind.
ARGV, SIMPLE, SCRIPT = "argv", "simple", "script"


def key_of(command: CommandRequest, *, family: str = "exec") -> ApprovalKey:
    """The key of one request."""
    return ApprovalKey(
        family, canonical(command.argv), command.cwd, frozenset(command.env.items()), command.wish, command.tty
    )


def keys_of(request: ApprovalRequest) -> tuple[ApprovalKey, ...]:
    """Everything an answer for the session is about."""
    return request.keys or (key_of(request.command),)


def other_wish(keys: tuple[ApprovalKey, ...]) -> tuple[ApprovalKey, ...]:
    """The keys of the same commands, asked for with the other wish about the sandbox."""
    return tuple(
        key.but(wish="use_default" if key.wish == "require_escalated" else "require_escalated") for key in keys
    )


def approved_argv(argv: tuple[str, ...]) -> tuple[str, ...]:
    """The command that the key of `argv` names: without the system's own shell around it where that is left out."""
    form = canonical(argv)
    return form[2:] if form[0] == SIMPLE else argv


def canonical(argv: tuple[str, ...]) -> tuple[str, ...]:
    """One form for all spellings of the same simple command; everything else keeps its exact words.

    Folded only when the shell is the system's own and every word means itself: `rm '*'` is not `rm *`, and a `bash`
    that lies in the workspace is not bash.
    """
    parsed = segments(argv)
    script = parsed.script
    if script is None or not parsed.plain or len(parsed.commands) != 1 or not trusted_program(argv[0], SYSTEM_BINS):
        return (ARGV, *argv) if script is None else (SCRIPT, *argv)
    if not all(word.certainty == "exact" for command in script.commands for word in command.words):
        return (SCRIPT, *argv)
    return (SIMPLE, argv[1], *parsed.commands[0])

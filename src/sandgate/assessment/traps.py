"""`trap '…' EXIT` runs when the script ends, with the variables as they are then; so it is judged last."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.commandline.script import SimpleCommand


def traps_last(commands: tuple[SimpleCommand, ...]) -> tuple[SimpleCommand, ...]:
    """The same commands, those that set a trap for the script itself behind all others."""
    if not any(_sets_trap(command) for command in commands):
        return commands
    others = [command for command in commands if not _sets_trap(command)]
    return (*others, *[command for command in commands if _sets_trap(command)])


def _sets_trap(command: SimpleCommand) -> bool:
    plainly = not (command.pipes or command.subshells or command.function or command.substituted_into)
    return plainly and len(command.words) > 1 and command.words[0].literal == "trap"

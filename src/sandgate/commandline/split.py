"""From an argv to the simple commands it stands for.

`bash -lc "git add . && git commit"` is two commands, and rules, lists and prompts should speak about those two.
An argv that is no shell wrapper stands for itself and costs nothing to look at.
"""

from __future__ import annotations

from sandgate.commandline.words import program_name
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.commandline.bashcommands import Redirection, Script

SHELLS = frozenset(("bash", "zsh", "sh"))
SCRIPT_FLAGS = frozenset(("-c", "-lc"))


class Segments(Record):
    """The commands to judge.

    `plain`: they are the whole truth. `complex`: a here-document feeds the one command. Neither: `commands` is
    the argv itself and `script`, when there is one, tells what could be read of it.
    """

    argv: tuple[str, ...]
    commands: tuple[tuple[str, ...], ...]
    complex: bool
    plain: bool
    script: Script | None = None  # of a shell wrapper

    @property
    def redirections(self) -> tuple[Redirection, ...]:
        return self.script.redirections if self.script else ()

    @property
    def unparsed(self) -> bool:
        """A script whose commands we cannot vouch for."""
        return not self.plain and not self.complex


def segments(argv: tuple[str, ...]) -> Segments:
    """Never raises; an empty argv gives one empty command."""
    argv = tuple(argv)
    if len(argv) != 3 or argv[1] not in SCRIPT_FLAGS or program_name(argv[0]) not in SHELLS:
        return Segments(argv, (argv,), complex=False, plain=True)
    from sandgate.commandline.bash import parse

    script = parse(argv[2])
    if script.plain:
        commands = tuple(command.argv for command in script.commands)
        return Segments(argv, commands, complex=False, plain=True, script=script)
    if script.here_document:
        return Segments(argv, (script.commands[0].argv,), complex=True, plain=False, script=script)
    return Segments(argv, (argv,), complex=False, plain=False, script=script)

"""What commands are answered with that a test does not want to run.

A command is known by its text: the script that a shell is given, or else its words, quoted as a shell would need them.
What the script does not know is a mistake of the test, and is told as one.
"""

from __future__ import annotations

from sandgate.commandline.words import joined
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SHELL_OPTIONS = ("-c", "-lc")


class NotInScript(AssertionError):
    """A test's script does not say what comes now. No `SandgateError`: no tool answers a model with it."""


class ScriptedCommand(Record):
    """How a command goes, and what it needs for that; nothing of it happens.

    Where the sandbox of its plan does not give what it needs, it prints what failed and ends with 1, or its own exit
    code, and the denial is reported.
    """

    output: str = ""
    errors: str = ""  # printed after the output, to the standard error
    exit_code: int = 0
    writes: tuple[str, ...] = ()  # files, absolute or from the command's directory; nothing is written to them
    connects: tuple[str, ...] = ()  # `address:port`
    endless: bool = False  # it ends when it is told to, or at a time limit


class CommandScript:
    """The answers of one gate. Where a command has several, each holds for one run that was not refused anything."""

    def __init__(self, answers: Mapping[str, str | ScriptedCommand | Sequence[str | ScriptedCommand]]) -> None:
        self._left = {command: list(_listed(given)) for command, given in answers.items()}
        self._lasting = {command for command, given in answers.items() if isinstance(given, str | ScriptedCommand)}

    def next(self, argv: tuple[str, ...]) -> ScriptedCommand:
        """How it goes this time. Raises NotInScript."""
        command = text_of(argv)
        if command not in self._left:
            known = ", ".join(f"`{each}`" for each in self._left) or "nothing"
            raise NotInScript(f"the script does not know `{command}`; it knows {known}")
        if not self._left[command]:
            raise NotInScript(f"the script has no further answer to `{command}`")
        return self._left[command][0]

    def went(self, argv: tuple[str, ...]) -> None:
        """That answer is used up, unless it is the only one."""
        command = text_of(argv)
        if command not in self._lasting:
            del self._left[command][0]


def text_of(argv: tuple[str, ...]) -> str:
    """By what a script knows a command."""
    is_script = len(argv) == len(("sh", "-c", "script")) and argv[1] in SHELL_OPTIONS
    return argv[2] if is_script else joined(argv)


def _listed(given: str | ScriptedCommand | Sequence[str | ScriptedCommand]) -> list[ScriptedCommand]:
    several = [given] if isinstance(given, str | ScriptedCommand) else given
    return [ScriptedCommand(each) if isinstance(each, str) else each for each in several]

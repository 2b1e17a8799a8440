"""What can be a command at all, before anything is judged."""

from __future__ import annotations

from sandgate.errors import RequestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def check_argv(argv: Sequence[str]) -> None:
    """Raises RequestError for an argv that no kernel would take."""
    if isinstance(argv, str) or not all(isinstance(word, str) for word in argv):
        raise RequestError(
            f"`{argv!r}` is no command",
            why="a command is a sequence of words",
            hint='("ls", "-l"); for a script: ("sh", "-c", script)',
        )
    if not argv or not argv[0]:
        raise RequestError("the command is empty", hint="name a program to run")
    for word in argv:
        if "\0" in word:
            raise RequestError("an argument contains a NUL byte", why="no program can be given one", hint="remove it")


def script_argv(script: str) -> tuple[str, ...]:
    """The argv that runs `script` in the user's shell."""
    from sandgate.tools.script_shell import shell_argv

    return shell_argv(script)

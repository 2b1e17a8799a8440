"""Arguments as a Python program gives them, held to the same rules as a model's."""

from __future__ import annotations

from sandgate.tools.builtin.exec_command import exec_command_arguments
from sandgate.tools.builtin.write_stdin import write_stdin_arguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.patterns.wanted import Wanted
    from sandgate.tools.arguments import ExecCommandArguments, WriteStdinArguments


def exec_arguments(**given: object) -> ExecCommandArguments:
    """Of `exec_command`. Raises ToolArgumentsError for what does not fit."""
    return exec_command_arguments(_json(given), extended=True)


def write_arguments(*, keys: Sequence[str], wait_for: Sequence[Wanted | str], **given: object) -> WriteStdinArguments:
    """Of `write_stdin`. Raises ToolArgumentsError for what does not fit."""
    patterns = [{"text": each} if isinstance(each, str) else _pattern(each) for each in wait_for]
    return write_stdin_arguments(_json({**given, "keys": list(keys), "wait_for": patterns}), extended=True)


def _pattern(wanted: Wanted) -> dict[str, str]:
    return {"regex" if wanted.regex else "text": wanted.text}


def _json(given: dict[str, object]) -> str:
    import json

    return json.dumps({name: value for name, value in given.items() if value is not None}, default=str)

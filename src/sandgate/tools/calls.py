"""Calls as models make them: a name, arguments as text, and an answer as text whatever happened."""

from __future__ import annotations

from sandgate.errors import (
    ConfinementError,
    InputNotTaken,
    LaunchError,
    SandgateError,
    StdinClosed,
    TerminalFailed,
    UnknownTerminal,
)
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.items import Part
    from sandgate.terminals.waiting import Steps
    from sandgate.tools.answers import ExecAnswer


class ToolOutput(Record):
    """What goes back to a model. A command that failed is a success of the tool; so is a denial."""

    text: str
    success: bool
    structured: dict[str, Any] | None = None
    cannot_confine: str = ""  # nothing ran, because no sandbox could be built: the whole sentence


class Answer(Record):
    """What a tool answered in an agent's session, for the model."""

    content: str | tuple[Part, ...]
    success: bool


def told(steps: Steps[ExecAnswer]) -> Steps[ToolOutput]:
    """The answer that `steps` lead to, as output."""
    answer = yield from steps
    return ToolOutput(answer.text(), success=not answer.refused, structured=answer.structured())


def guarded(name: str, steps: Steps[ToolOutput], *, starts_process: bool) -> Steps[ToolOutput]:
    """What `steps` lead to; an error on the way is an output as well."""
    try:
        return (yield from steps)
    except SandgateError as error:
        return failed(error_text(name, error, starts_process=starts_process), error)


def at_once(output: ToolOutput) -> Steps[ToolOutput]:
    """Nothing has to be waited for."""
    return output
    yield  # what makes it a generator


def failed(text: str, error: SandgateError) -> ToolOutput:
    """The error as output, with what else it means."""
    return ToolOutput(text, success=False, cannot_confine=error.sentence if isinstance(error, ConfinementError) else "")


def error_text(name: str, error: SandgateError, *, starts_process: bool) -> str:
    """The sentence for the model, in the words it knows."""
    if isinstance(error, LaunchError | ConfinementError):
        process = "Failed to create unified exec process: " if starts_process else ""
        return f"{name} failed: {process}{error.sentence}"
    if isinstance(error, UnknownTerminal | StdinClosed | InputNotTaken | TerminalFailed):
        return f"{name} failed: {error.what}"
    return str(error)


def as_json(arguments: object) -> str:
    """Arguments that a client has read already, written again: the rules are those of the text."""
    import json

    return json.dumps(arguments, default=str)

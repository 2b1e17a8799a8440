"""The tool `exec_kill`: ends a command that is still running."""

from __future__ import annotations

from sandgate.record import Record
from sandgate.tools.calls import ToolOutput, at_once
from sandgate.tools.fields import SESSION_ID, read_object
from sandgate.tools.schema import closed_object, flag, function, number
from sandgate.tools.tool import Hints, Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.terminals.waiting import Steps
    from sandgate.tools.interfaces import ToolContext
    from sandgate.tools.tool import Offer, ToolCall

    Json = dict[str, Any]


class SessionArguments(Record):
    """Of `exec_kill`."""

    session_id: int


def session_arguments(sent: str) -> SessionArguments:
    """Reads the JSON of a call. Raises ToolArgumentsError with the sentence for the model."""
    return SessionArguments(**read_object(sent, {"session_id": SESSION_ID}, ("session_id",)))


def definition(_offer: Offer) -> Json:
    """What is told of it."""
    properties: Json = {"session_id": number("The session ID that `exec_command` returned.")}
    about = "Ends a command that is still running, and all it started."
    return function("exec_kill", about, properties, ("session_id",))


def answer_schema() -> Json:
    """What it answers, as a schema."""
    return closed_object({"terminated": flag("False when no such command was running.")}, ("terminated",))


def run(context: ToolContext, arguments: SessionArguments, _call: ToolCall) -> Steps[ToolOutput]:
    """Carries one call out."""
    session_id = arguments.session_id
    ended = context.terminate(session_id)
    told = f"Ended process {session_id}" if ended else f"No process {session_id} is running"
    return at_once(ToolOutput(told, success=ended, structured={"terminated": ended}))


TOOL = Tool(
    "exec_kill",
    90,
    definition,
    session_arguments,
    run=run,
    audiences=("client",),
    answers=answer_schema,
    hints=Hints("End a running command", repeats=True),
)

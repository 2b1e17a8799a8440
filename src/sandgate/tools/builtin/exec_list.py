"""The tool `exec_list`: the commands of the session that are still running, or were not read since they ended."""

from __future__ import annotations

from sandgate.display import one_line
from sandgate.protocol.wire import plain
from sandgate.tools.calls import ToolOutput, at_once
from sandgate.tools.fields import read_object
from sandgate.tools.schema import closed_object, function, number, text
from sandgate.tools.tool import Hints, Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.terminals.live_listing import LiveCommand
    from sandgate.terminals.waiting import Steps
    from sandgate.tools.interfaces import ToolContext
    from sandgate.tools.tool import Offer, ToolCall

    Json = dict[str, Any]

COMMAND_SHOWN_CHARS = 200


def no_arguments(sent: str) -> None:
    """Reads the JSON of a call that takes nothing. Raises ToolArgumentsError with the sentence for the model."""
    read_object(sent, {}, ())


def definition(_offer: Offer) -> Json:
    """What is told of it."""
    about = "Lists the commands that are still running, or have ended and were not read since, with what each is doing."
    return function("exec_list", about, {})


def answer_schema() -> Json:
    """What `exec_list` answers, as a schema."""
    live: Json = {
        "type": "object",
        "properties": {
            "session_id": number("For `write_stdin` and `exec_kill`."),
            "command": text("What was started."),
            "state": text("What it is doing."),
        },
        "required": ["session_id", "command", "state"],
    }
    return closed_object({"commands": {"type": "array", "items": live, "description": "Oldest first."}}, ("commands",))


def run(context: ToolContext, _arguments: None, _call: ToolCall) -> Steps[ToolOutput]:
    """Carries one call out."""
    commands = context.list_live()
    lines = [f"{_line(live)}{_ports(live)}" for live in commands]
    told = "\n".join(lines) or "No command is running"
    return at_once(ToolOutput(told, success=True, structured={"commands": plain(commands)}))


def _line(live: LiveCommand) -> str:
    return f"{live.session_id}  {live.state}  {one_line(live.command, limit=COMMAND_SHOWN_CHARS)}"


def _ports(live: LiveCommand) -> str:
    if not live.listening:
        return ""
    if live.backend == "namespace" and live.network == "off":
        from sandgate.terminals.port_owners import showing

        return f"\n  {showing(live.listening)}"
    return f"\n  it listens on {', '.join(map(str, live.listening))}, of this machine"


TOOL = Tool(
    "exec_list",
    80,
    definition,
    no_arguments,
    run=run,
    audiences=("client",),
    answers=answer_schema,
    hints=Hints("List running commands", reads_only=True, destroys=False, repeats=True),
)

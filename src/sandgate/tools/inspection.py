"""The tools that look at a session or end something in it: what runs, ending it, what would happen to a command."""

from __future__ import annotations

from sandgate.display import one_line, visible
from sandgate.gate.forecast import forecast_json
from sandgate.protocol.wire import plain
from sandgate.terminals.live_commands import live_commands
from sandgate.terminals.served import showing
from sandgate.tools.answers import slim
from sandgate.tools.arguments import check_command_arguments, no_arguments, session_arguments
from sandgate.tools.calls import ToolOutput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from sandgate.gate.forecast import Forecast
    from sandgate.protocol.commands import CommandRequest
    from sandgate.terminals.live_commands import LiveCommand
    from sandgate.tools.arguments import ExecCommandArguments
    from sandgate.tools.live import LiveCommands

    class Tools(Protocol):
        """What these need of a `Toolbox`."""

        live: LiveCommands

        def command(self, arguments: ExecCommandArguments) -> CommandRequest: ...

    class Foreteller(Protocol):
        """What these need of a `Runtime`."""

        def forecast(self, command: CommandRequest) -> Forecast: ...


INSPECTIONS = ("exec_list", "exec_kill", "check_command")
COMMAND_SHOWN_CHARS = 200


def inspected(tools: Tools, runtime: Foreteller, name: str, arguments: str) -> ToolOutput:
    """Carries out one of `INSPECTIONS`. Raises ToolArgumentsError, and for a check what `Runtime.forecast` raises."""
    match name:
        case "exec_list":
            no_arguments(arguments)
            return _listed(live_commands(tools.live.table.terminals()))
        case "exec_kill":
            number = session_arguments(arguments).session_id
            ended = tools.live.terminate(number)
            text = f"Ended process {number}" if ended else f"No process {number} is running"
            return ToolOutput(text, success=ended, structured={"terminated": ended})
        case _:
            return _checked(runtime.forecast(tools.command(check_command_arguments(arguments))))


def _listed(commands: tuple[LiveCommand, ...]) -> ToolOutput:
    lines = [f"{_line(live)}{_ports(live)}" for live in commands]
    return ToolOutput(
        "\n".join(lines) or "No command is running", success=True, structured={"commands": plain(commands)}
    )


def _line(live: LiveCommand) -> str:
    return f"{live.session_id}  {live.state}  {one_line(live.command, limit=COMMAND_SHOWN_CHARS)}"


def _ports(live: LiveCommand) -> str:
    if live.backend == "namespace" and live.network == "off":
        return f"\n  {showing(live.listening)}" if live.listening else ""
    return f"\n  it listens on {', '.join(map(str, live.listening))}, of this machine" if live.listening else ""


def _checked(forecast: Forecast) -> ToolOutput:
    found = forecast_json(forecast)
    lines = [f"Verdict: {forecast.word}"]
    lines += [f"Reason: {visible(found['reason'])}"] if found["reason"] else []
    lines.append(f"Sandbox: {forecast.backend}" if forecast.confined else "Sandbox: none")
    lines.append(f"May write: {', '.join(map(visible, forecast.writable)) or 'nothing'}")
    lines += [f"But not: {', '.join(map(visible, forecast.closed))}"] if forecast.closed and forecast.confined else []
    lines.append(f"Network: {forecast.network}")
    lines += [f"Would stop: {visible(each.words)}" for each in forecast.stopped]
    if forecast.risk is not None:
        lines.append(f"Risk: {forecast.risk.risk_level}. {visible(forecast.risk.description)}")
    return ToolOutput("\n".join(lines), success=True, structured=slim(found))

"""The tool `check_command`: what would happen to a command, and why. Runs nothing and asks no reviewer."""

from __future__ import annotations

from sandgate.display import visible
from sandgate.tools.answers import slim
from sandgate.tools.arguments import ExecCommandArguments
from sandgate.tools.builtin.exec_command import FIELDS
from sandgate.tools.builtin.exec_command import definition as of_exec_command
from sandgate.tools.calls import ToolOutput, at_once
from sandgate.tools.fields import read_object
from sandgate.tools.schema import closed_object, function, records, text
from sandgate.tools.tool import Hints, Offer, Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.gate.forecast import Forecast
    from sandgate.terminals.waiting import Steps
    from sandgate.tools.interfaces import ToolContext
    from sandgate.tools.tool import ToolCall

    Json = dict[str, Any]

CHECKED = ("cmd", "workdir", "shell", "login", "tty", "sandbox_permissions", "justification")  # of `exec_command`'s


def check_command_arguments(sent: str) -> ExecCommandArguments:
    """Reads the JSON of a call: what `exec_command` takes, without what only matters while something runs."""
    found = read_object(sent, {name: FIELDS[name] for name in CHECKED}, ("cmd",))
    return ExecCommandArguments(**found | {"workdir": found.get("workdir") or None})


def definition(offer: Offer) -> Json:
    """What is told of it."""
    known = of_exec_command(Offer("client", login_allowed=offer.login_allowed))["parameters"]["properties"]
    about = (
        "Says what would happen to a shell command, and why: whether it would run, be asked about or be refused, what "
        "it could write and reach, and how risky it is. Runs nothing and asks nobody."
    )
    return function("check_command", about, {name: known[name] for name in CHECKED if name in known}, ("cmd",))


def answer_schema() -> Json:
    """What `check_command` answers, as a schema."""
    properties: Json = {
        "verdict": {
            "type": "string",
            "enum": ["allow", "ask", "forbid"],
            "description": "Whether it would run unasked, be asked about, or be refused.",
        },
        "reason": text("Why, in a sentence, where the parts do not say it all."),
        "because": records("The verdict on each of its parts."),
        "sandbox": {"type": "object", "description": "How it would be confined."},
        "risk": {"type": "object", "description": "What could go wrong."},
        "effects": records("What it reads, writes, deletes, contacts and runs, as far as its words tell."),
        "parts": {"type": "object", "description": "The command taken apart, each part with a verdict of its own."},
        "flip": {"type": "object", "description": "One change after which the verdict is another."},
        "stopped": records("What the sandbox would not let it do, as far as its words tell."),
    }
    return closed_object(properties, ("verdict",))


def run(context: ToolContext, arguments: ExecCommandArguments, _call: ToolCall) -> Steps[ToolOutput]:
    """Carries one call out."""
    return at_once(_checked(context.foresee(arguments)))


def _checked(forecast: Forecast) -> ToolOutput:
    from sandgate.gate.forecast import forecast_json

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


TOOL = Tool(
    "check_command",
    100,
    definition,
    check_command_arguments,
    run=run,
    audiences=("client",),
    answers=answer_schema,
    hints=Hints("Foresee a command", reads_only=True, destroys=False, repeats=True),
)

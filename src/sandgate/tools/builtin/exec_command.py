"""The tool `exec_command`: runs a shell command and answers with what it printed within the time the caller gives it.

Starting goes through the gate and blocks, since a reviewer may have to be asked. Waiting is a generator, so that an
event loop can wait for many commands at once (`command_start.py`).
"""

from __future__ import annotations

from sandgate.tools.arguments import ExecCommandArguments
from sandgate.tools.calls import told
from sandgate.tools.fields import (
    PREFIX_WORDS_MAX,
    as_amount,
    as_flag,
    as_text,
    as_word,
    one_of,
    read_object,
    several,
    whole,
)
from sandgate.tools.schema import (
    MAX_TOKENS,
    approval_properties,
    exec_answer_schema,
    flag,
    function,
    number,
    text,
    whole_number,
)
from sandgate.tools.tool import Hints, Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.terminals.waiting import Steps
    from sandgate.tools.calls import ToolOutput
    from sandgate.tools.fields import Reader
    from sandgate.tools.interfaces import ToolContext
    from sandgate.tools.tool import Offer, ToolCall

    Json = dict[str, Any]

TERMINAL_SIDE_MAX = 1_000  # rows or columns
_YIELD = "How long to wait for output, in milliseconds. Default 10000; from 250 to 30000."


def exec_command_arguments(sent: str, *, extended: bool = False) -> ExecCommandArguments:
    """Reads the JSON of a call. Raises ToolArgumentsError with the sentence for the model."""
    found = read_object(sent, FIELDS | _SIZE if extended else FIELDS, ("cmd",))
    return ExecCommandArguments(**found | {"workdir": found.get("workdir") or None})


def definition(offer: Offer) -> Json:
    """What is told of it."""
    properties: Json = {
        "cmd": text("The shell command to run."),
        "workdir": text("The directory to run it in. Default: the working directory of the turn."),
        "shell": text("The shell to run it with. Default: the user's."),
        "login": flag(f"Whether the shell reads its login files first. Default {str(offer.login_is_usual).lower()}."),
        "tty": flag("Whether the command gets a terminal. Default false, with a closed standard input."),
        "yield_time_ms": number(_YIELD),
        "max_output_tokens": number(MAX_TOKENS),
        **approval_properties(),
    }
    if not offer.login_allowed:
        del properties["login"]
    if offer.extended:
        properties["rows"] = whole_number("Height of the terminal. Default 24.", TERMINAL_SIDE_MAX)
        properties["columns"] = whole_number("Width of the terminal. Default 80.", TERMINAL_SIDE_MAX)
    about = (
        "Runs a shell command and returns what it prints. A command that is still running when the wait is over "
        "keeps running, and the answer holds a session ID for `write_stdin`."
    )
    return function("exec_command", about, properties, ("cmd",))


def run(context: ToolContext, arguments: ExecCommandArguments, call: ToolCall) -> Steps[ToolOutput]:
    """Carries one call out."""
    started = context.begin(arguments, call_id=call.call_id)
    return told(context.finish(arguments, started, ends_with_caller=call.ends_with_caller))


_SIDE = whole(1, TERMINAL_SIDE_MAX, f"a number from 1 to {TERMINAL_SIDE_MAX}")

FIELDS: dict[str, Reader] = {
    "cmd": as_word,
    "workdir": as_word,
    "shell": as_word,
    "login": as_flag,
    "tty": as_flag,
    "yield_time_ms": as_amount,
    "max_output_tokens": as_amount,
    "sandbox_permissions": one_of(("use_default", "require_escalated")),
    "justification": as_text,
    "prefix_rule": several(as_word, PREFIX_WORDS_MAX),
}
_SIZE: dict[str, Reader] = {"rows": _SIDE, "columns": _SIDE}

TOOL = Tool(
    "exec_command",
    10,
    definition,
    lambda sent: exec_command_arguments(sent, extended=True),
    run=run,
    offered=lambda offer: offer.lives_on,
    answers=exec_answer_schema,
    hints=Hints("Run a command", reaches_out=True),
    beside_others=True,
)

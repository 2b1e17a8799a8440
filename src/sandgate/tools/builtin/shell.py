"""The tools that run one command to its end: `shell`, and the provider's own `local_shell` in the same form.

An argument vector is run as it is, without a shell around it. Two names of older wires are read as well: `timeout` for
`timeout_ms`, and `with_escalated_permissions` for `sandbox_permissions`. The variables and the user that an action of
`local_shell` may name are refused rather than ignored: no question to a reviewer would have shown them. Pure.
"""

from __future__ import annotations

from sandgate.errors import ToolArgumentsError
from sandgate.tools.arguments import ShellArguments
from sandgate.tools.fields import (
    PREFIX_WORDS_MAX,
    MisfitError,
    as_amount,
    as_flag,
    as_text,
    as_word,
    one_of,
    read_members,
    read_object,
    several,
    wrong_type,
)
from sandgate.tools.schema import approval_properties, function, number, text, texts
from sandgate.tools.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandgate.tools.calls import Answer
    from sandgate.tools.fields import Reader
    from sandgate.tools.interfaces import AgentContext
    from sandgate.tools.tool import Offer

WORDS_MAX = 4_096  # of one command
PROBLEM = "failed to parse function arguments: "


def shell_arguments(sent: str) -> ShellArguments:
    """Reads the JSON of a `shell` call. Raises ToolArgumentsError with the sentence for the model."""
    found = read_object(sent, _SHELL, ("command",))
    escalated = found.pop("with_escalated_permissions", None)
    timeout = found.pop("timeout", None)
    wish = found.get("sandbox_permissions")
    if escalated is not None:
        meant = "require_escalated" if escalated else "use_default"
        if wish not in (None, meant):
            raise ToolArgumentsError(f"{PROBLEM}`sandbox_permissions` and `with_escalated_permissions` contradict")
        found["sandbox_permissions"] = meant
    if timeout is not None and found.setdefault("timeout_ms", timeout) != timeout:
        raise ToolArgumentsError(f"{PROBLEM}`timeout_ms` and `timeout` contradict")
    return ShellArguments(**found | {"workdir": found.get("workdir") or None})


def local_shell_arguments(action: Mapping[str, Any]) -> ShellArguments:
    """Reads the action of a `local_shell_call`. Raises ToolArgumentsError with the sentence for the model."""
    try:
        found = read_members(dict(action), _ACTION, ("command",), "an action")
    except MisfitError as misfit:
        raise ToolArgumentsError(f"{PROBLEM}{misfit}") from None
    return ShellArguments(
        command=found["command"],
        workdir=found.get("working_directory") or None,
        timeout_ms=found.get("timeout_ms"),
    )


def definition(_offer: Offer) -> dict[str, Any]:
    """What is told of it."""
    properties = {
        "command": texts('The program and its arguments, as they are; for a script `["bash", "-lc", "..."]`.'),
        "workdir": text("The directory to run it in, rather than `cd`. Default: the working directory of the turn."),
        "timeout_ms": number("After how many milliseconds the command is killed. Default 10000."),
        **approval_properties(),
    }
    about = "Runs a command to its end and returns what it prints. It has no terminal and nothing to read."
    return function("shell", about, properties, ("command",))


async def in_session(agent: AgentContext, arguments: ShellArguments) -> Answer:
    """Runs it; a cancelled call ends it."""
    return await agent.shell(arguments)


def _command(value: object) -> tuple[str, ...]:
    words: tuple[str, ...] = several(as_word, WORDS_MAX)(value)
    if not words or not words[0]:
        raise MisfitError("invalid value: no program, expected a command")
    return words


def _nothing(value: object) -> None:
    """A field that may be there, and be empty."""
    if value not in (None, "", {}):
        raise MisfitError("a local shell call cannot set variables or choose a user here; use `env` in the command")


def _action_type(value: object) -> str:
    if value != "exec":
        raise wrong_type(value, "`exec`")
    return "exec"


_SHELL: dict[str, Reader] = {
    "command": _command,
    "workdir": as_word,
    "timeout_ms": as_amount,
    "timeout": as_amount,
    "sandbox_permissions": one_of(("use_default", "require_escalated")),
    "with_escalated_permissions": as_flag,
    "justification": as_text,
    "prefix_rule": several(as_word, PREFIX_WORDS_MAX),
}
_ACTION: dict[str, Reader] = {
    "type": _action_type,
    "command": _command,
    "timeout_ms": as_amount,
    "working_directory": as_word,
    "env": _nothing,
    "user": _nothing,
}

TOOL = Tool(
    "shell",
    30,
    definition,
    shell_arguments,
    in_session=in_session,
    audiences=("agent",),
    offered=lambda offer: not offer.lives_on,
    beside_others=True,
)

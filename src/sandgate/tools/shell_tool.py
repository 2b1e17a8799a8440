"""The tools that run one command to its end: `shell`, and the provider's own `local_shell` in the same form.

exec.md sections 9.1 and 14. An argument vector is run as it is, without a shell around it. Two names of older wires are
read as well: `timeout` for `timeout_ms`, and `with_escalated_permissions` for `sandbox_permissions`. The variables and
the user that a `local_shell` action may name are refused rather than ignored: nobody would have been asked about them.
Pure.
"""

from __future__ import annotations

from sandgate.errors import ToolArgumentsError
from sandgate.record import Record
from sandgate.tools.answering import denied_notices
from sandgate.tools.answers import ShellAnswer
from sandgate.tools.arguments import PREFIX_WORDS_MAX
from sandgate.tools.fields import (
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandgate.protocol.commands import EscalationWish
    from sandgate.protocol.decisions import Passage
    from sandgate.tools.fields import Reader

SHELL_TIMEOUT_MS = 10_000  # exec.md section 2, when the call says nothing
SHELL_TIMEOUT_MS_MAX = 3_600_000  # exec.md section 2; a longer one is cut to this, and the model told
WORDS_MAX = 4_096  # of one command
PROBLEM = "failed to parse function arguments: "


class ShellArguments(Record):
    """Of `shell` and `local_shell`. None: not said."""

    command: tuple[str, ...]
    workdir: str | None = None
    timeout_ms: int | None = None
    sandbox_permissions: EscalationWish = "use_default"
    justification: str | None = None
    prefix_rule: tuple[str, ...] = ()

    @property
    def bounded_timeout_ms(self) -> int:
        """How long the command may really take."""
        return SHELL_TIMEOUT_MS if self.timeout_ms is None else min(self.timeout_ms, SHELL_TIMEOUT_MS_MAX)

    @property
    def notices(self) -> tuple[str, ...]:
        """What the model has to know about how its arguments were taken."""
        if self.timeout_ms is None or self.timeout_ms <= SHELL_TIMEOUT_MS_MAX:
            return ()
        return (f"the time limit was cut to {SHELL_TIMEOUT_MS_MAX} milliseconds",)


def shell_arguments(text: str) -> ShellArguments:
    """Reads the JSON of a `shell` call. Raises ToolArgumentsError with the sentence for the model."""
    found = read_object(text, _SHELL, ("command",))
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


def shell_answer(passage: Passage, *, notices: tuple[str, ...] = ()) -> ShellAnswer | None:
    """What a command that ran is answered with; None when none ran, and `passage.refusal` says why."""
    result = passage.result
    if result is None:
        return None
    return ShellAnswer(
        output=result.aggregated.decode("utf-8", "replace"),
        exit_code=result.exit_code,
        duration_ms=result.duration_ms,
        timed_out=result.timed_out,
        notices=(*denied_notices(passage.attempts[-1].denial.denials), *passage.attempts[-1].remarks, *notices),
    )


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

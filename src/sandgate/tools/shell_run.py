"""`shell` and `local_shell` in a session: one command through the gate, to its end, answered as models know it."""

from __future__ import annotations

import os

from sandgate.errors import LaunchError, SandgateError
from sandgate.tools.answering import denied_notices
from sandgate.tools.answers import ShellAnswer
from sandgate.tools.calls import ToolOutput, failed
from sandgate.tools.toolbox import remarks, tool_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.decisions import Passage
    from sandgate.tools.arguments import ShellArguments
    from sandgate.tools.interfaces import ToolSession
    from sandgate.tools.live_commands import LiveCommands
    from sandgate.tools.toolbox import Toolbox

    Over = Callable[[CommandRequest, Passage | str], object]

    class ShellSession(ToolSession, Protocol):
        """What this tool needs beside what all need."""

        @property
        def tools(self) -> Toolbox: ...
        @property
        def live(self) -> LiveCommands: ...
        def run(self, command: CommandRequest, *, cancel_fd: int | None = None, call_id: str = "") -> Passage: ...


USE_THE_TOOL = "apply_patch was requested via shell. Use the apply_patch tool instead of shell."
NOT_RUN = "exec command rejected"


def run_shell(
    runtime: ShellSession,
    arguments: ShellArguments,
    *,
    cancel_fd: int | None = None,
    freeform: bool = False,
    call_id: str = "",
    over: Over,
) -> ToolOutput:
    """One command to its end, which blocks; a readable `cancel_fd` kills it. `freeform`: answered in lines, not JSON.

    `call_id`: its name in what is told about it. `over` hears what became of a command once judged: its passage, or
    why it could not be run. Raises nothing but what is a bug.
    """
    tools = runtime.tools
    unfit = tools.unfit(arguments.sandbox_permissions, "should not")
    if unfit:
        return ToolOutput(unfit, success=False)
    try:
        command = _request(runtime, arguments)
        patched = tools.patch_in_command(command, USE_THE_TOOL, call_id)
        if patched is not None:
            return ToolOutput(patched.body(), success=patched.exit_code == 0)
        passage = passed_through(runtime, command, cancel_fd, call_id, over)
    except LaunchError as error:
        return ToolOutput(f"execution error: {error.sentence}", success=False)
    except SandgateError as error:
        return failed(error.sentence, error)
    answer = shell_answer(passage, notices=(*arguments.notices, *remarks(passage)))
    if answer is None:
        return ToolOutput(passage.refusal.why if passage.refusal else NOT_RUN, success=False)
    return _told(runtime, answer, freeform=freeform)


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


def passed_through(
    runtime: ShellSession, command: CommandRequest, cancel_fd: int | None, call_id: str, over: Over
) -> Passage:
    """One command to its end, of which `over` hears in any case. Raises what `Runtime.run` raises."""
    became: Passage | str = "it could not be run, because of an error on our side"
    try:
        became = runtime.run(command, cancel_fd=cancel_fd, call_id=call_id)
    except SandgateError as error:
        became = error.sentence
        raise
    finally:
        over(command, became)
    return became


def _told(runtime: ShellSession, answer: ShellAnswer, *, freeform: bool) -> ToolOutput:
    policy = runtime.live.truncation
    text = answer.freeform_text(policy) if freeform else answer.structured_text(policy)
    structured: dict[str, Any] = {
        "exit_code": answer.exit_code,
        "duration_ms": answer.duration_ms,
        "timed_out": answer.timed_out,
        "notices": list(answer.notices),
    }
    return ToolOutput(text, success=answer.exit_code == 0, structured=structured)


def _request(runtime: ShellSession, arguments: ShellArguments) -> CommandRequest:
    hard_limit = runtime.settings.timeout_ms
    limits = [arguments.bounded_timeout_ms, *([] if hard_limit is None else [hard_limit])]
    escalate = arguments.sandbox_permissions == "require_escalated"
    command = runtime.request(
        arguments.command,
        cwd=os.path.normpath(os.path.join(runtime.directory, arguments.workdir or ".")),
        escalate=escalate,
        justification=arguments.justification,
        timeout_ms=min(limits),
    )
    env = tool_environment(command.env, login="-lc" in arguments.command[1:2])
    return command.but(env=env, prefix_rule=arguments.prefix_rule if escalate else ())

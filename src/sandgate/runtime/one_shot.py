"""`shell` and `local_shell` in a session: one command through the gate, to its end, answered as models know it."""

from __future__ import annotations

import os

from sandgate.errors import LaunchError, SandgateError
from sandgate.runtime.toolbox import remarks, tool_environment
from sandgate.tools.calls import ToolOutput, failed
from sandgate.tools.shell_tool import shell_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.decisions import Passage
    from sandgate.reviewers.async_reviewer import AsyncReviewer
    from sandgate.runtime.aio import AsyncGate
    from sandgate.runtime.runtime import Runtime
    from sandgate.tools.answers import ShellAnswer
    from sandgate.tools.shell_tool import ShellArguments

    Over = Callable[[CommandRequest, Passage | str], object]

USE_THE_TOOL = "apply_patch was requested via shell. Use the apply_patch tool instead of shell."
NOT_RUN = "exec command rejected"


async def shell_call(
    gate: AsyncGate,
    arguments: ShellArguments,
    *,
    freeform: bool = False,
    reviewer: AsyncReviewer | None = None,
    call_id: str = "",
    over: Over | None = None,
) -> ToolOutput:
    """One command to its end. `freeform`: answered in lines, not as JSON. `reviewer` answers for this call alone.

    `call_id`: its name in what is told about it. `over` hears, on some thread, what became of a command once judged:
    its passage, or why it could not be run.
    Cancelling kills the command, and waits until it is gone. Raises nothing but what is a bug.
    """
    runtime = gate.runtime
    return await gate.killable(
        lambda cancel: run_shell(
            runtime, arguments, cancel_fd=cancel, freeform=freeform, call_id=call_id, over=over or _nobody
        ),
        reviewer,
    )


def run_shell(
    runtime: Runtime,
    arguments: ShellArguments,
    *,
    cancel_fd: int | None = None,
    freeform: bool = False,
    call_id: str = "",
    over: Over,
) -> ToolOutput:
    """The same, blocking; a readable `cancel_fd` kills the command."""
    tools = runtime.tools
    unfit = tools.unfit(arguments.sandbox_permissions, "should not")
    if unfit:
        return ToolOutput(unfit, success=False)
    try:
        command = _request(runtime, arguments)
        patched = tools.patch_in_command(command, USE_THE_TOOL, call_id)
        if patched is not None:
            return ToolOutput(patched.body(), success=patched.exit_code == 0)
        passage = _passed(runtime, command, cancel_fd, call_id, over)
    except LaunchError as error:
        return ToolOutput(f"execution error: {error.sentence}", success=False)
    except SandgateError as error:
        return failed(error.sentence, error)
    answer = shell_answer(passage, notices=(*arguments.notices, *remarks(passage)))
    if answer is None:
        return ToolOutput(passage.refusal.why if passage.refusal else NOT_RUN, success=False)
    return _told(runtime, answer, freeform=freeform)


def _passed(runtime: Runtime, command: CommandRequest, cancel_fd: int | None, call_id: str, over: Over) -> Passage:
    became: Passage | str = "it could not be run, because of an error on our side"
    try:
        became = runtime.run(command, cancel_fd=cancel_fd, call_id=call_id)
    except SandgateError as error:
        became = error.sentence
        raise
    finally:
        over(command, became)
    return became


def _nobody(_command: CommandRequest, _became: Passage | str) -> None:
    return


def _told(runtime: Runtime, answer: ShellAnswer, *, freeform: bool) -> ToolOutput:
    policy = runtime.live.truncation
    text = answer.freeform_text(policy) if freeform else answer.structured_text(policy)
    structured: dict[str, Any] = {
        "exit_code": answer.exit_code,
        "duration_ms": answer.duration_ms,
        "timed_out": answer.timed_out,
        "notices": list(answer.notices),
    }
    return ToolOutput(text, success=answer.exit_code == 0, structured=structured)


def _request(runtime: Runtime, arguments: ShellArguments) -> CommandRequest:
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

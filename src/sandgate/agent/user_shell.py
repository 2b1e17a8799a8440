"""A command that the person types beside the conversation: governed like the model's, and told to the model."""

from __future__ import annotations

import asyncio

from sandgate.errors import SandgateError
from sandgate.session.notices import user_shell_command
from sandgate.tools.answers import ANSWER_POLICY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.decisions import Passage
    from sandgate.protocol.items import Message
    from sandgate.reviewers.async_reviewer import AsyncReviewer
    from sandgate.runtime.aio import AsyncGate
    from sandgate.session.context import TurnContext
    from sandgate.session.conversation import Conversation
    from sandgate.session.turn_kinds import Running

    Over = Callable[[CommandRequest, Passage | str], object]

NEVER_RAN = -1  # instead of an exit code
STOPPED = "the person stopped it; what it printed is not known"
NOT_RUN = "it was not run: {why}"


async def run_user_shell(
    gate: AsyncGate, script: str, call_id: str, over: Over, reviewer: AsyncReviewer | None
) -> Message:
    """To its end; cancelled, it is killed. What stopped it is told as well. Raises nothing but cancellation."""
    from sandgate.tools.script_shell import chosen_shell, login_wanted
    from sandgate.tools.shell_run import passed_through, shell_answer
    from sandgate.tools.toolbox import tool_environment

    runtime = gate.runtime
    cut = runtime.live.truncation
    login = login_wanted(None, allowed=runtime.settings.allow_login_shell, usual=runtime.login_is_usual)
    try:
        command = runtime.request(chosen_shell(None).argv(script, login=login))
        command = command.but(env=tool_environment(command.env, login=login))
        passage = await gate.killable(lambda cancel: passed_through(runtime, command, cancel, call_id, over), reviewer)
    except SandgateError as problem:
        why = NOT_RUN.format(why=problem.sentence)
        return user_shell_command(script, exit_code=NEVER_RAN, duration_ms=0, output=why, cut=cut)
    answer = shell_answer(passage)
    if answer is None:
        why = NOT_RUN.format(why="" if passage.refusal is None else passage.refusal.why)
        return user_shell_command(script, exit_code=NEVER_RAN, duration_ms=0, output=why, cut=cut)
    output = "\n".join(filter(None, (answer.output.rstrip("\n"), *answer.notices)))
    return user_shell_command(
        script, exit_code=answer.exit_code, duration_ms=answer.duration_ms, output=output, cut=cut
    )


def telling_of(user_shell: Callable[[str, TurnContext], Awaitable[Message]], conversation: Conversation) -> Running:
    """Runs such commands for a session by `user_shell`, and records what the model is told of each."""

    async def run(context: TurnContext, script: str) -> None:
        try:
            told = await user_shell(script, context)
        except asyncio.CancelledError:
            told = user_shell_command(script, exit_code=NEVER_RAN, duration_ms=0, output=STOPPED, cut=ANSWER_POLICY)
            conversation.record((told,))
            raise
        conversation.record((told,))

    return run

"""One `tools/call`, from the request to its answer. Whatever happens on the way, there is one."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from time import monotonic

from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent

from sandgate.errors import SandgateError
from sandgate.protocol.wire import sendable
from sandgate.record import Record
from sandgate.serving.inbox import Question
from sandgate.surfaces.mcp.asking import ask_now, asking_result, brought, can_ask, is_modern
from sandgate.surfaces.mcp.client_thread import ServedTurn
from sandgate.surfaces.mcp.clients import client_name
from sandgate.surfaces.mcp.event_telling import EventTelling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_types import CallToolRequestParams, InputRequiredResult

    from sandgate.serving.calls import Output, ServedCall
    from sandgate.surfaces.mcp.asking import Context, Heard
    from sandgate.surfaces.mcp.sessions import ClientSession

PROGRESS_EVERY_S = 1.0
CANNOT_ASK = (
    "this needs an approval, and {client} cannot be asked: it did not declare the `elicitation` capability. Allow the "
    "command with a rule, use a client that can show questions, or start the server with `--wait-for-approvals` and "
    "answer with `sandgate approvals` from another terminal"
)
UNKEPT = "the client's answer could not be kept, which counts as a no"
BUG = "Sandgate failed on this call (number {number}); the server's log says more"


class Channels(Record):
    """Where questions go."""

    environ: Mapping[str, str]  # that the client started this server in; empty when it did not
    forms: bool = True  # to the client
    elsewhere: bool = False  # to `sandgate approvals`, where the client asks no person


async def call_tool(
    context: Context, params: CallToolRequestParams, session: ClientSession, channels: Channels
) -> CallToolResult | InputRequiredResult:
    """The answer to the call, or a question back."""
    try:
        call = await _call_of(context, params, session, channels)
    except SandgateError as problem:
        return failed_call(str(problem))
    except Exception as problem:
        return failed_call(bug(problem))
    ticking = _ticking(context, call)
    telling = EventTelling(context, call) if isinstance(call, ServedTurn) else None
    try:
        result = await _seen_through(context, call, session, channels)
        if telling is not None:
            await telling.catch_up()
    except asyncio.CancelledError:
        await asyncio.shield(session.give_up(call))
        raise
    except Exception as problem:
        await session.give_up(call)
        return failed_call(bug(problem))
    finally:
        if ticking is not None:
            ticking.cancel()
        if telling is not None:
            telling.stop()
    if isinstance(result, CallToolResult):
        session.over(call)
    return result


def failed_call(text: str) -> CallToolResult:
    """The answer of a call that could not be carried out, in words for the model."""
    return CallToolResult(content=[TextContent(text=sendable(text))], is_error=True)


def bug(problem: Exception) -> str:
    """What a client is told about an error of ours: a number that stands in the server's log. Nothing of its text."""
    import traceback

    number = f"{id(problem) & 0xFFFFFF:06x}"
    print(f"sandgate: internal error {number}:", file=sys.stderr)
    traceback.print_exception(problem, file=sys.stderr)
    return BUG.format(number=number)


async def _call_of(
    context: Context, params: CallToolRequestParams, session: ClientSession, channels: Channels
) -> ServedCall:
    """A new call, or the one that this request goes on with. Raises RequestError."""
    arguments = params.arguments or {}
    if params.request_state is None:
        return session.begin(params.name, arguments)
    approval_id = params.request_state  # unsealed, and bound to this very call and principal
    call = session.resume(approval_id, params.name, arguments)
    if call is None:
        earlier = session.earlier(approval_id, params.name, arguments)
        heard = brought(context, earlier, params, channels.environ)
        if not heard.unseen:
            await session.inbox.answer_earlier(earlier, heard.choice, reason=heard.reason)
        return session.begin(params.name, arguments, prepared=earlier)
    question = call.question
    if question is not None and question.open and question.approval.approval_id == approval_id:
        heard = brought(context, question.approval, params, channels.environ, question)
        await _take(call, question, heard)
    return call


async def _seen_through(
    context: Context, call: ServedCall, session: ClientSession, channels: Channels
) -> CallToolResult | InputRequiredResult:
    while True:
        happened = await call.happened()
        if not isinstance(happened, Question):
            return _result(happened)
        if channels.forms and can_ask(context) and not happened.unseen:
            if is_modern(context):
                session.await_client(happened.approval.approval_id, call)
                happened.asked_s = monotonic()
                return asking_result(context, happened)
            await _asked(context, happened, call, channels)
        elif channels.elsewhere:
            await happened.decision()
        else:
            why = happened.unseen or CANNOT_ASK.format(client=_name(context))
            await call.inbox.answer(happened, "deny", by="withdrawn", reason=why)


async def _asked(context: Context, question: Question, call: ServedCall, channels: Channels) -> None:
    """Asks the client, until it or a person at another terminal has answered."""
    asking = asyncio.ensure_future(ask_now(context, question, channels.environ))
    elsewhere = asyncio.ensure_future(question.decision())
    try:
        await asyncio.wait((asking, elsewhere), return_when=asyncio.FIRST_COMPLETED)
        if not elsewhere.done():
            await _take(call, question, asking.result())
    finally:
        elsewhere.cancel()
        asking.cancel()
        with suppress(asyncio.CancelledError, MCPError):
            await asking


async def _take(call: ServedCall, question: Question, heard: Heard) -> None:
    """What the client made of the question. What no person has seen stays open, for a person at another terminal."""
    if heard.unseen:
        question.unseen = heard.unseen
    else:
        await _answer(call, question, heard.choice, heard.reason)


async def _answer(call: ServedCall, question: Question, name: str, reason: str) -> None:
    """The client has answered. What cannot be kept must not be asked again, or that would never end."""
    await call.inbox.answer(question, name, by="client", reason=reason)
    if question.open:
        await call.inbox.answer(question, "deny", by="withdrawn", reason=UNKEPT)


def _result(output: Output) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(text=sendable(output.text))],
        structured_content=sendable(output.structured),
        is_error=not output.success,
    )


def _ticking(context: Context, call: ServedCall) -> asyncio.Task[None] | None:
    """Tells a client that wants to know that the call goes on."""
    if (context.meta or {}).get("progress_token") is None:
        return None
    return asyncio.ensure_future(_tick(context, call))


async def _tick(context: Context, call: ServedCall) -> None:
    began_s = monotonic()
    while True:
        await asyncio.sleep(PROGRESS_EVERY_S)
        waits = call.question is not None and call.question.open
        passed = round(monotonic() - began_s, 1)
        message = f"waiting for approval {call.question.approval.approval_id}" if waits and call.question else "running"
        await context.session.report_progress(passed, None, message)


def _name(context: Context) -> str:
    name = client_name(context)
    return f"`{name}`" if name else "this client"

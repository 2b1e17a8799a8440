"""Puts a question to a client, in whichever way its protocol version has.

Through 2025-11-25 a server may ask in the middle of a call. From 2026-07-28 on it may not: the call is answered with
the question and a sealed name, and the client calls again with both. This is the only file that knows which is which.
"""

from __future__ import annotations

from time import monotonic, time

from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp_types import CONNECTION_CLOSED, InputRequiredResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from sandgate.record import Record
from sandgate.surfaces.mcp.clients import automatic_actions, client_name, is_unseen, shows_choices, turned_down
from sandgate.surfaces.mcp.form import chosen_answer, elicitation, lineage_fields, normal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
    from mcp_types import CallToolRequestParams

    from sandgate.serving.inbox import Approval, Question

    Context = ServerRequestContext[Any, Any]

GRACE_S = 5.0
KEY = "approval"  # of the one question in an answer that asks
FIELDS = "sandgate/approval"  # of the result's `_meta`: what programs read beside the form
UNKNOWN_S = 3600.0  # since a question that an earlier server asked: long enough for a person
LOST = "the client went away before anybody answered, which counts as a no"
REFUSED = "the client answered the question with an error, which counts as a no"
NO_ANSWER = "the client called again without an answer, which counts as a no"


class Visibility(Record):
    """How well the person who answers can have seen the question."""

    waited_s: float
    whole: bool  # its first lines hold the whole command


class Heard(Record):
    """What became of a question that a client was asked."""

    choice: str = "deny"
    reason: str = ""
    unseen: str = ""  # why no person has seen it; then there is no answer, and `choice` means nothing


def is_modern(context: Context) -> bool:
    """Whether this request's protocol version has no questions in the middle of a call."""
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


def can_ask(context: Context) -> bool:
    """Whether the client said that it can show forms."""
    capabilities = context.session.client_capabilities
    elicits = capabilities.elicitation if capabilities is not None else None
    if elicits is None:
        return False
    only_links = elicits.url is not None and elicits.form is None
    return not only_links and (is_modern(context) or context.session.can_send_request)


async def ask_now(context: Context, question: Question, environ: Mapping[str, str]) -> Heard:
    """Asks in the middle of a call. Never an approval that was not said. `environ`: see `Channels`."""
    params = _form(context, question)
    # The question's own time is over first: then no person has answered, and it is no error of the client.
    left_s = max(question.approval.expires_at - time(), 0) + GRACE_S
    # The documented `elicit_form` takes no further fields and refuses the lineage's answers.
    channel = context.session._request_outbound
    began_s = monotonic()
    try:
        answer = await channel.send_raw_request("elicitation/create", params, {"timeout": left_s})
    except NoBackChannelError:
        return Heard(unseen=LOST)
    except MCPError as problem:
        return Heard(unseen=LOST if problem.error.code == CONNECTION_CLOSED else REFUSED)
    seen = Visibility(monotonic() - began_s, question.brief.whole)
    return _heard(context, question.approval, answer, seen, environ)


def asking_result(context: Context, question: Question) -> InputRequiredResult:
    """The answer that asks. Its state is the approval's name; the server seals it on the way out."""
    params = _form(context, question)
    return InputRequiredResult.model_validate(
        {
            "inputRequests": {KEY: {"method": "elicitation/create", "params": params}},
            "requestState": question.approval.approval_id,
            "_meta": {FIELDS: lineage_fields(question, tool_call_id=str(context.request_id))},
        }
    )


def brought(
    context: Context,
    approval: Approval,
    params: CallToolRequestParams,
    environ: Mapping[str, str],
    question: Question | None = None,
) -> Heard:
    """The answer that a client came back with; without a `question`, to one that an earlier server asked."""
    responses = params.input_responses or {}
    found: Any = responses.get(KEY)
    if found is None:
        return Heard(unseen=NO_ANSWER)
    answer = found.model_dump(mode="json") if hasattr(found, "model_dump") else found
    seen = Visibility(UNKNOWN_S, whole=False)
    if question is not None and question.asked_s is not None:
        seen = Visibility(monotonic() - question.asked_s, question.brief.whole)
    return _heard(context, approval, answer, seen, environ)


def _form(context: Context, question: Question) -> dict[str, Any]:
    return elicitation(
        question,
        version=context.protocol_version,
        tool_call_id=str(context.request_id),
        chooses=shows_choices(client_name(context)),
    )


def _heard(context: Context, approval: Approval, answer: object, seen: Visibility, environ: Mapping[str, str]) -> Heard:
    name = client_name(context)
    if is_unseen(answer, seen.waited_s, automatic_actions(context, environ)):
        return Heard(unseen=turned_down(name))
    return Heard(*chosen_answer(approval, answer, whole=seen.whole or shows_choices(name)))


class LineageFields:
    """Middleware: lets the lineage's fields and answers through where the SDK's types have no room for them."""

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        context = ctx  # the name is the SDK's
        if context.method != "tools/call":
            return await call_next(context)
        if context.request_id is None:  # a notification by that name: it gets no answer, and nothing is called
            return None
        result = await call_next(_with_normal_answers(context))
        if not isinstance(result, dict) or result.get("resultType") != "input_required":
            return result
        extra = (result.get("_meta") or {}).get(FIELDS) or {}
        asked = (result.get("inputRequests") or {}).get(KEY)
        if isinstance(asked, dict):
            params = {**extra, **asked.get("params", {})}
            result = {**result, "inputRequests": {KEY: {**asked, "params": params}}}
        return result


def _with_normal_answers(context: Context) -> Context:
    from dataclasses import replace

    responses = (context.params or {}).get("inputResponses")
    if not isinstance(responses, dict):
        return context
    return replace(
        context,
        params={**(context.params or {}), "inputResponses": {key: normal(each) for key, each in responses.items()}},
    )

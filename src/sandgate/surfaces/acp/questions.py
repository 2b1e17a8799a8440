"""The open questions of one session, as requests for permission: the options are those of a terminal.

Whatever is no answer of a person is a refusal that names nobody: a question that the client took back, an error, an
option that was not offered, and the end of the client. An answer goes to the approval by its own id.
"""

from __future__ import annotations

import asyncio

from acp.schema import AllowedOutcome, PermissionOption, ToolCallUpdate

from sandgate.errors import SandgateError
from sandgate.protocol.decisions import Decision
from sandgate.protocol.operations import AnswerApproval
from sandgate.serving.question_words import (
    NO,
    STOP,
    decision_named,
    labelled_answers,
    question_words,
    refused_by_nobody,
    whole_question,
)
from sandgate.surfaces.acp.content import diffs, fenced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from acp.schema import PermissionOptionKind

    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.protocol.events import ApplyPatchApprovalRequest, ExecApprovalRequest, SandboxAssessment
    from sandgate.protocol.operations import Operation
    from sandgate.surfaces.acp.calls import ShownCall, ShownCalls
    from sandgate.surfaces.acp.client import EditorClient
    from sandgate.surfaces.acp.content import Content

    Asked = ExecApprovalRequest | ApplyPatchApprovalRequest

KINDS: Mapping[str, PermissionOptionKind] = {
    "approved": "allow_once",
    "approved_for_session": "allow_always",
    "approved_with_amendment": "allow_always",
}
REFUSALS: Mapping[str, PermissionOptionKind] = {NO: "reject_once", STOP: "reject_always"}
TAKEN_BACK = "the client took the question back; nobody answered it"
UNREADABLE = "the client's answer was malformed; nobody answered the question"
NOT_OFFERED = "the client's answer was none of the options; nobody answered the question"
GONE = "no client was there to ask"
TOO_LONG = "the command is longer than a person would read, so nobody was asked about it"
QUESTIONS_MAX = 512  # open at the same time
TOO_MANY = f"{QUESTIONS_MAX} questions are open; nobody was asked this one"


class SessionQuestions:
    """Of one session. `submit` gives it an answer."""

    def __init__(
        self, session_id: str, client: EditorClient, calls: ShownCalls, submit: Callable[[Operation], object]
    ) -> None:
        self._session_id = session_id
        self._client = client
        self._calls = calls
        self._submit = submit
        self._open: dict[str, tuple[ApprovalRequest, ShownCall, asyncio.Task[None] | None]] = {}

    def put(self, message: Asked, call: ShownCall) -> None:
        """Asks the client, beside whatever else it is asked."""
        request, name = message.request, message.approval_id
        content = question_content(request)
        why = TOO_LONG if content is None else TOO_MANY if len(self._open) >= QUESTIONS_MAX else ""
        if content is None or why:
            self._open[name] = (request, call, None)
            self._answer(name, refused_by_nobody(request, why))
            return
        shown = ToolCallUpdate(
            tool_call_id=call.id,
            title=question_title(call, request),
            kind=call.kind if request.changes else "execute",
            status="pending",
            content=content,
            locations=call.locations or None,
            raw_input=call.raw_input,
        )
        self._open[name] = (request, call, asyncio.ensure_future(self._ask(name, request, shown)))

    def assessed(self, message: SandboxAssessment) -> None:
        """A model has said something about the risk while the question is open."""
        found = self._open.get(message.approval_id)
        if found is None or message.risk is None:
            return
        request, call = found[0].but(risk=message.risk), found[1]
        self._calls.update(call, title=question_title(call, request), content=question_content(request))

    def resolved(self, approval_id: str) -> None:
        """It is answered or gone; the call is shown as what it is."""
        _request, call, asking = self._open.pop(approval_id, (None, None, None))
        if asking is not None:
            asking.cancel()
        if call is not None:
            self._calls.update(call, title=call.title, kind=call.kind)

    def close(self) -> None:
        """The session is over."""
        for _request, _call, asking in self._open.values():
            if asking is not None:
                asking.cancel()
        self._open.clear()

    async def _ask(self, name: str, request: ApprovalRequest, shown: ToolCallUpdate) -> None:
        try:
            answer = await self._client.ask(self._session_id, shown, question_options(request))
        except ConnectionError:
            decision = refused_by_nobody(request, GONE)
        except Exception:  # the client's edge: an error or an answer of another form
            decision = refused_by_nobody(request, UNREADABLE)
        else:
            outcome = answer.outcome
            chosen = outcome.option_id if isinstance(outcome, AllowedOutcome) else None
            decision = refused_by_nobody(request, TAKEN_BACK) if chosen is None else decided(request, chosen)
        self._answer(name, decision)

    def _answer(self, name: str, decision: Decision) -> None:
        """Late ones change nothing: the session has one answer to each."""
        try:
            self._submit(AnswerApproval(name, decision))
        except SandgateError:
            return  # it has ended, and its questions with it


def question_title(call: ShownCall, request: ApprovalRequest) -> str:
    """What is asked about, with the level of its risk."""
    return call.title if request.risk is None else f"{call.title} (risk: {request.risk.risk_level})"


def question_content(request: ApprovalRequest) -> list[Content] | None:
    """All that a person has to know: why it is asked, what speaks against it, what a yes gives. None: too long."""
    if request.changes:
        return [fenced(question_words(request)), *diffs(request.changes)]
    words = whole_question(request)
    return None if words is None else [fenced(words)]


def question_options(request: ApprovalRequest) -> list[PermissionOption]:
    """Most careful approval first, refusals last, in the words of a terminal."""
    return [
        PermissionOption(option_id=name, name=label, kind=_kind(request, name))
        for name, label in labelled_answers(request)
    ]


def decided(request: ApprovalRequest, name: str) -> Decision:
    """What the person decided who chose that option."""
    if name not in dict(labelled_answers(request)):
        return refused_by_nobody(request, NOT_OFFERED)
    return decision_named(request, name)


def _kind(request: ApprovalRequest, name: str) -> PermissionOptionKind:
    return REFUSALS.get(name) or KINDS[decision_named(request, name).decision]

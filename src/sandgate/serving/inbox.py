"""The questions of one principal that are answered from elsewhere: by a client, or by a person at another terminal.

Each question is a record on disk before a client or a person sees it. The first answer decides, wherever it comes from;
an approval is consumed before what it allows runs, so that it runs at most once. A question that is not answered in
time, or whose session ends, is a refusal that says so.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from time import time

from sandgate.approvals.ledger.pending import REFUSALS, UNANSWERED, PendingApproval
from sandgate.approvals.prompts.brief import brief_of
from sandgate.approvals.prompts.form import ALIASES, chosen, form_of
from sandgate.display import visible
from sandgate.errors import ApprovalsUnusable, SandgateError, UnknownApproval
from sandgate.gate.event_loop import on_thread
from sandgate.protocol.decisions import Decision
from sandgate.serving.ledger_watcher import LedgerWatcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from sandgate.approvals.ledger.ledger import Ledger
    from sandgate.approvals.ledger.pending import AnsweredBy, Resolution
    from sandgate.approvals.prompts.brief import Brief
    from sandgate.approvals.prompts.form import Form
    from sandgate.protocol.decisions import ApprovalRequest

    Approval: TypeAlias = PendingApproval

CONFINEMENT = "sandgate_confinement"  # what holds the command back, among the details
PREFIX = "codex_proposed_execpolicy_amendment"  # of the rule that an answer may save, among the details
ALWAYS = "approve-always"
SHOWN = "shown_digest"  # of the form, among the details of its record
TOO_LONG = "the command is longer than anybody can be asked to read; put it into a file and run that"
USED = "this approval was used already; what it allowed ran at most once"
TIMED_OUT = "nobody answered within {seconds:g} seconds; this says nothing about the command"
ENDED = "the session ended before anybody answered"
CANCELLED = "the call was cancelled"
UNDECIDABLE = "an answer cannot be kept or read, which counts as a no: {problem}"


def offers(approval: Approval, name: str) -> bool:
    """Whether the question has this answer, or one of that other name."""
    return approval.offers(ALIASES.get(name, name))


def refuses(name: str) -> bool:
    """Whether the answer of that name, or of that other name, allows nothing."""
    return ALIASES.get(name, name) in REFUSALS


def saves(approval: Approval, decision: object) -> bool:
    """Whether this is an answer in the lineage's form about exactly the rule that the question offers."""
    prefix = approval.details.get(PREFIX)
    return (
        approval.offers(ALWAYS)
        and isinstance(prefix, list)
        and decision == {"approved_execpolicy_amendment": {"proposed_execpolicy_amendment": prefix}}
    )


def takes_care(approval: Approval) -> bool:
    """Whether approving takes a deliberate answer."""
    risk = approval.details.get("codex_risk")
    return isinstance(risk, dict) and risk.get("risk_level") == "high"


def unanswered(request: ApprovalRequest, by: AnsweredBy, reason: str) -> Decision:
    """What a question comes to when neither a person nor a client answers it."""
    return Decision(request.stage, "timed_out" if by == "timeout" else "denied", "none", reason=reason)


def _terms(resolution: Resolution) -> dict[str, Any]:
    return {
        "reason": visible(resolution.reason),
        "until": resolution.until,
        "uses": resolution.uses or None,
    }


class Question:
    """One open question, and the decision it comes to."""

    def __init__(self, request: ApprovalRequest, form: Form, approval: PendingApproval) -> None:
        self.request = request
        self.form = form
        self.approval = approval
        self.asked_s: float | None = (
            None  # when the client that brought the call was asked, by `monotonic`, and is to come again
        )
        self.unseen = ""  # why the client that brought the call has shown it to no person
        self._decided: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self.settling = asyncio.Lock()  # held while it is found out what an answer decides

    @property
    def open(self) -> bool:
        return not self._decided.done()

    @property
    def brief(self) -> Brief:
        """The question in three lines."""
        return brief_of(self.request)

    async def decision(self) -> Decision:
        """Waits for it; several may."""
        return await asyncio.shield(self._decided)

    def decide(self, decision: Decision) -> None:
        """The first one counts."""
        if self.open:
            self._decided.set_result(decision)


class Inbox:
    """Holds the open questions of `principal`. Belongs to one event loop.

    `confinement` says what holds commands back, as JSON values; it is asked on a thread.
    """

    def __init__(
        self,
        ledger: Ledger,
        principal: str,
        *,
        timeout_s: float,
        confinement: Callable[[], Mapping[str, Any]] = dict,
    ) -> None:
        self._confinement = confinement
        self.key = ledger.key
        self._ledger = ledger
        self._principal = principal
        self._timeout_s = timeout_s
        self._open: dict[str, Question] = {}
        self._unfinished: set[asyncio.Future[None]] = set()  # a loop holds its tasks weakly
        self._lookout = LedgerWatcher(ledger, self._noticed)
        self._closed = False

    async def put(self, request: ApprovalRequest, *, tool: str, call_digest: str) -> Question:
        """Records the question. Raises SandgateError when that cannot be done; then it may not be asked."""
        form = await on_thread(lambda: self._form(request))
        now = time()
        approval = PendingApproval(
            approval_id=request.request_id,
            principal=self._principal,
            tool=tool,
            call_digest=call_digest,
            stage=request.stage,
            message=form.message,
            choices=form.choices,
            details={**form.details, SHOWN: await on_thread(lambda: self._digest(request, form))},
            asked_at=now,
            expires_at=now + self._timeout_s,
        )
        question = Question(request, form, approval)
        if form.too_long:
            question.decide(Decision(request.stage, "denied", "none", reason=TOO_LONG))
            return question
        recording = self._kept(asyncio.ensure_future(on_thread(lambda: self._ledger.ask(approval))))
        try:
            await asyncio.shield(recording)
        except asyncio.CancelledError:
            await asyncio.shield(self._kept(asyncio.ensure_future(self._withdrawn(question, recording))))
            raise
        self._open[approval.approval_id] = question
        if self._closed:
            await self.answer(question, "deny", by="withdrawn", reason=ENDED)
        else:
            self._lookout.open()
        return question

    async def settled(self, question: Question) -> Decision:
        """The decision of an open question, or the end of its time."""
        left_s = question.approval.expires_at - time()
        try:
            return await asyncio.wait_for(question.decision(), max(left_s, 0))
        except TimeoutError:
            late = TIMED_OUT.format(seconds=self._timeout_s)
            await self.answer(question, "deny", by="timeout", reason=late)
            return await question.decision()
        finally:
            self._open.pop(question.approval.approval_id, None)
            if not self._open:
                self._lookout.close()

    async def answer(self, question: Question, name: str, *, by: AnsweredBy, reason: str = "") -> None:
        """Records an answer. Too late, or not one of the choices: what stands stands, and the question stays open.

        An answer that cannot be kept is a refusal: it could not be used once, and only once.
        """
        approval = question.approval
        try:
            standing: Resolution | None = await self._resolved(approval, name, by, reason)
        except (ApprovalsUnusable, UnknownApproval) as problem:
            self._unkept(question, by, reason, problem)
            return
        except SandgateError as problem:
            standing = self._standing(question)
            if standing is None and by in UNANSWERED:
                self._unkept(question, by, reason, problem)
        if standing is not None:
            await self._settle(question, standing)

    async def answer_earlier(self, approval: Approval, name: str, *, reason: str) -> None:
        """The client's answer to a question that an earlier server asked. Too late, what stands stands."""
        with suppress(SandgateError):
            await self._resolved(approval, name, "client", reason)

    async def honoured(self, request: ApprovalRequest, approval: PendingApproval) -> Decision | None:
        """What an answer to an earlier record decides about the same question; None when it is another question."""
        standing = self._ledger.resolution(approval.approval_id)
        shown = await on_thread(lambda: self._digest(request, self._form(request)))
        same = shown == approval.details.get(SHOWN) and request.stage == approval.stage
        if standing is None or not same or standing.digest != approval.digest or standing.by == "withdrawn":
            return None
        if standing.by in UNANSWERED:
            return unanswered(request, standing.by, visible(standing.reason))
        decision = chosen(request, standing.decision, **_terms(standing))
        if (
            decision is not None
            and decision.approved
            and not await on_thread(lambda: self._ledger.consume(approval.approval_id))
        ):
            return Decision(request.stage, "denied", "none", reason=USED)
        return decision

    async def close(self) -> None:
        """Whatever is still open is refused, and whatever is asked from now on."""
        self._closed = True
        for question in tuple(self._open.values()):
            await self.answer(question, "deny", by="withdrawn", reason=ENDED)
        while self._unfinished:
            await asyncio.wait(self._unfinished)
        self._lookout.close()

    def find(self, approval_id: str) -> PendingApproval | None:
        """A record of this principal's, from this server or an earlier one."""
        approval = self._ledger.get(approval_id)
        return approval if approval is not None and approval.principal == self._principal else None

    def _form(self, request: ApprovalRequest) -> Form:
        """With what holds commands back: a yes under one policy is no yes under another."""
        form = form_of(request)
        return form.but(details={**form.details, CONFINEMENT: dict(self._confinement())})

    def _digest(self, request: ApprovalRequest, form: Form) -> str:
        """Of the question without a model's words: they may have come the one time, and not the other."""
        if request.offline_risk is None:
            return form.digest
        return self._form(request.but(risk=request.offline_risk, offline_risk=None)).digest

    async def _resolved(self, approval: Approval, name: str, by: AnsweredBy, reason: str) -> Resolution:
        return await on_thread(
            lambda: self._ledger.resolve(
                approval.approval_id, ALIASES.get(name, name), by=by, digest=approval.digest, reason=reason
            )
        )

    async def _withdrawn(self, question: Question, recording: asyncio.Future[None]) -> None:
        """Its call was cancelled, and its record may come to be there all the same."""
        await asyncio.wait((recording,))
        if recording.exception() is None:
            await self.answer(question, "deny", by="withdrawn", reason=CANCELLED)

    def _kept(self, task: asyncio.Future[None]) -> asyncio.Future[None]:
        self._unfinished.add(task)
        task.add_done_callback(self._unfinished.discard)
        return task

    async def _settle(self, question: Question, resolution: Resolution) -> None:
        async with question.settling:
            if question.open:
                await self._decide(question, resolution)

    async def _decide(self, question: Question, resolution: Resolution) -> None:
        request, reason = question.request, visible(resolution.reason)
        if resolution.by in UNANSWERED:
            question.decide(unanswered(request, resolution.by, reason))
            return
        decision = chosen(request, resolution.decision, **_terms(resolution))
        if decision is None or resolution.digest != question.approval.digest:
            decision = Decision(request.stage, "denied", "none", reason="the answer does not belong to this question")
        try:
            if decision.approved and not await on_thread(lambda: self._ledger.consume(question.approval.approval_id)):
                decision = Decision(request.stage, "denied", "none", reason=USED)
        except SandgateError as problem:
            decision = Decision(request.stage, "denied", "none", reason=UNDECIDABLE.format(problem=problem))
        question.decide(decision)

    def _unkept(self, question: Question, by: AnsweredBy, reason: str, problem: SandgateError) -> None:
        why = reason if by in UNANSWERED and reason else UNDECIDABLE.format(problem=problem)
        question.decide(unanswered(question.request, by, why))

    def _standing(self, question: Question) -> Resolution | None:
        """The answer that stands. One that cannot be read refuses: there is no room for another."""
        try:
            return self._ledger.resolution(question.approval.approval_id)
        except SandgateError as problem:
            self._unkept(question, "withdrawn", "", problem)
            return None

    def _noticed(self, answered: frozenset[str] | None) -> None:
        for approval_id, question in tuple(self._open.items()):
            told = answered is None or approval_id in answered
            if told and question.open and (found := self._standing(question)) is not None:
                self._kept(asyncio.ensure_future(self._settle(question, found)))

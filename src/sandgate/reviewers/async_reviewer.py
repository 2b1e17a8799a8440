"""A reviewer that is a coroutine, for the gate's threads; and the end of its questions when their caller has left.

It approves by saying so, and by nothing else: an answer that is not one of the known ones, an exception, silence and
an answer that comes too late are refusals.
"""

from __future__ import annotations

import asyncio
import inspect
from concurrent.futures import CancelledError
from threading import Lock, local

from sandgate.approvals.chain import NO_REVIEWER
from sandgate.approvals.prompts.prompt import CHANGING
from sandgate.execution.asking import asked_now
from sandgate.gate.held_questions import WITHDRAWN
from sandgate.protocol.decisions import Decision
from sandgate.protocol.wire import accepts_amendment
from sandgate.reviewers.prepared import prepared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from concurrent.futures import Future
    from typing import Any

    from sandgate.approvals.prompts.advice import Advice, Said
    from sandgate.protocol.decisions import ApprovalRequest, ReviewDecision
    from sandgate.reviewers.with_risk_advice import Advising

    Hearing = Callable[[ApprovalRequest, Said], None]
    Answer = Decision | ReviewDecision | bool | str | dict[str, Any] | None
    AsyncReviewer = Callable[[ApprovalRequest], Awaitable[Answer] | Answer]

ANSWERS: dict[object, ReviewDecision] = {
    True: "approved",
    "approve": "approved",
    "approved": "approved",
    "approve-session": "approved_for_session",
    "approved_for_session": "approved_for_session",
    CHANGING: "approved_for_session",
    "approved_for_session_changing": "approved_for_session",
    "approve-always": "approved_with_amendment",
    "approved_with_amendment": "approved_with_amendment",
    "abort": "abort",
}
CANCELLED = "the review was cancelled before it had an answer"
KNOWN = (*ANSWERS, False, None, "deny", "denied")


class CallerTurn:
    """One call of a caller, who may give it up while a reviewer is asked about it, or before.

    `reviewer`: who answers the questions of this call, when that is not the session's.
    """

    def __init__(self, reviewer: AsyncReviewer | None = None) -> None:
        self.reviewer = reviewer
        self._guard = Lock()
        self._question: Future[Answer] | None = None
        self._listening: list[Callable[[], None]] = []
        self.given_up = False

    def ask(self, submit: Callable[[], Future[Answer]]) -> Answer:
        """The answer. Raises CancelledError when the caller has given it up."""
        with self._guard:
            self._check()
            question = self._question = submit()
        return question.result()

    def decided(self, decision: Decision) -> Decision:
        """The decision, unless it comes too late."""
        with self._guard:
            self._check()
        return decision

    def give_up(self) -> None:
        with self._guard:
            self.given_up = True
            if self._question is not None:
                self._question.cancel()
            told, self._listening = self._listening, []
        for tell in told:
            tell()

    def when_given_up(self, tell: Callable[[], None]) -> None:
        """Have `tell` called when the caller gives up; at once when that has happened."""
        with self._guard:
            if not self.given_up:
                self._listening.append(tell)
                return
        tell()

    def _check(self) -> None:
        if self.given_up:
            raise asyncio.CancelledError


class Threads(local):
    """What the running thread works for."""

    turn: CallerTurn | None = None

    def on_behalf(self) -> Callable[[], None]:
        """What makes another thread work for the same caller as this one."""
        turn = self.turn

        def work() -> None:
            self.turn = turn

        return work

    def wanted(self) -> bool:
        """Whether its caller still waits for it."""
        return self.turn is None or not self.turn.given_up


class ReviewerBridge:
    """A reviewer for the gate's thread that asks a coroutine on the loop."""

    def __init__(
        self,
        ask: AsyncReviewer | None,
        loop: asyncio.AbstractEventLoop,
        *,
        hear: Hearing | None = None,
        expect: Callable[[ApprovalRequest], None] | None = None,
        reads: Callable[[ApprovalRequest], Advising] | None = None,
    ) -> None:
        """`expect` hears, on the gate's thread, that a model is asked about a question's risk; `hear`, what it says.

        `reads`: when words about a question are read; without it with the question, and later if somebody hears them.
        """
        self._reads = reads
        self._hear = hear
        self._expect = expect
        self._ask = ask
        self._loop = loop
        self.threads = Threads()

    def review(self, request: ApprovalRequest) -> Decision:
        turn: CallerTurn = self.threads.turn or CallerTurn()

        def submit() -> Future[Answer]:
            question = asyncio.run_coroutine_threadsafe(self._answer(turn, request), self._loop)
            if (asking := asked_now()) is not None:

                def take_back() -> None:
                    question.cancel()

                asking.when_withdrawn(take_back)
            return question

        try:
            answer = turn.ask(submit)
            return turn.decided(as_decision(request, answer))
        except BaseException as error:  # a reviewer that fails, or is given up, has not approved
            return Decision(request.stage, "denied", "none", reason=_why_none(error, given_up=turn.given_up))

    def when_given_up(self, tell: Callable[[], None]) -> None:
        """Have `tell` called when the caller that this thread works for gives up."""
        turn = self.threads.turn
        if turn is not None:
            turn.when_given_up(tell)

    def review_advised(self, request: ApprovalRequest, advice: Advice) -> Decision:
        """The same, while a model is asked about the question's risk; what it says goes to `hear`, on its thread."""
        if self._expect is not None:
            self._expect(request)
        if self._hear is not None:
            hear = self._hear
            advice.listen(lambda said: hear(request, said))
        return self.review(request)

    def reads_advice(self, request: ApprovalRequest) -> Advising:
        """When what a model says about this question is read."""
        if self._reads is not None:
            return self._reads(request)
        return "once" if self._hear is None else "both"

    async def _answer(self, turn: CallerTurn, request: ApprovalRequest) -> Answer:
        ask = turn.reviewer or self._ask
        if ask is None:
            return Decision(request.stage, "denied", "none", reason=NO_REVIEWER)
        try:
            answer = ask(request)
            given: Answer = await answer if inspect.isawaitable(answer) else answer
        except Exception as error:
            self._say("the reviewer failed, which counts as a no", error)
            raise
        if (not isinstance(given, Decision | dict) and given not in KNOWN) or (
            isinstance(given, dict) and not _accepts(request, given)
        ):
            self._say(f"the reviewer answered {given!r}, which is no answer and counts as a no", None)
        return given

    def _say(self, message: str, error: Exception | None) -> None:
        about: dict[str, Any] = {"message": f"sandgate: {message}"}
        if error is not None:
            about["exception"] = error
        self._loop.call_exception_handler(about)


def _why_none(error: BaseException, *, given_up: bool) -> str:
    """Why there is no answer, in words."""
    if given_up:
        return WITHDRAWN
    if isinstance(error, asyncio.CancelledError | CancelledError):
        return CANCELLED
    return f"the reviewer failed: {error!r}"


def as_decision(request: ApprovalRequest, answer: Answer) -> Decision:
    """What an answer means. A plain yes gives exactly the grants that the request shows."""
    if isinstance(answer, Decision):
        return answer
    if isinstance(answer, dict):
        return prepared(request, "approved_with_amendment" if _accepts(request, answer) else "denied", "user")
    decision = ANSWERS.get(answer) if isinstance(answer, bool | str) else None
    changing = isinstance(answer, str) and answer.endswith("changing")
    return prepared(request, decision or "denied", "user", changing=changing and decision is not None)


def _accepts(request: ApprovalRequest, answer: object) -> bool:
    return isinstance(answer, dict) and accepts_amendment(answer, request.amendment)

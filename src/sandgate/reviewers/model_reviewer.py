"""Answers questions in place of a person, by asking a model; and says no whenever that does not clearly say yes.

The model gives an opinion, `assessment.review_answer` decides whether it may count. What goes wrong on our side (no
key, no connection, an answer that cannot be read) refuses the command as well, but is never told as if the command were
risky. A person who is attached hears of every no and has the last word; one who is not can still say
`sandgate approvals override`.
"""

from __future__ import annotations

import os

from sandgate.approvals.breaker import CircuitBreaker
from sandgate.approvals.overrides import action_digest
from sandgate.assessment.review_answer import SCHEMA, UnreadableReview, review_from, why_not
from sandgate.assessment.review_question import evidence, hidden_part, instructions, shown_action
from sandgate.display import visible
from sandgate.errors import Late, ModelError, SandgateError, Withdrawn
from sandgate.model.cancellation import Cancellation
from sandgate.model.question import ModelQuestion
from sandgate.protocol.decisions import Decision
from sandgate.protocol.trace import AutoReview, Notice
from sandgate.record import Record
from sandgate.reviewers.asking_session import AskingSession

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal, Protocol

    from sandgate.approvals.chain import Reviewer
    from sandgate.assessment.review_answer import ModelReview
    from sandgate.assessment.review_question import ReviewCircumstances
    from sandgate.protocol.decisions import ApprovalRequest, ReviewDecision
    from sandgate.protocol.trace import Recorder, ReviewStatus
    from sandgate.protocol.usage import TokenUsage

    OnDenial = Literal["ask", "deny"]

    class Answering(Protocol):
        """What is needed of a model's client."""

        def answer(
            self,
            question: ModelQuestion,
            *,
            deadline_ms: int = ...,
            cancelled: Cancellation | None = ...,
            count: Callable[[TokenUsage], object] = ...,
        ) -> str: ...

    class Overriding(Protocol):
        """What is needed of the marks that a person leaves."""

        def take(self, digest: str) -> bool: ...


DEADLINE_MS = 90_000  # around one review
TAG_BYTES = 12
SOURCE = "auto_review"
RISKY = (
    "the automatic reviewer sees an unacceptable risk: {why}. Do not work around this refusal; choose something "
    "materially safer, or ask the user, who can allow exactly this with `sandgate approvals override {action}`"
)
LATE = (
    "the automatic review missed its deadline of {seconds:g} s; this says nothing about the command. Try once more, or "
    "ask the user"
)
FAILED = "review failed: {why}; this says nothing about the command. Ask the user, or try again later"
GIVEN_UP = "the automatic review was cancelled"
STOPPED = "the automatic reviewer refused too often in this turn, so it stops here; the last refusal: {why}"
OVERRIDDEN = "allowed once by `sandgate approvals override`"
ASK_PERSON = "the automatic reviewer did not approve this: {why}"


class _Ended(Record):
    """How one review ended, and the words for it."""

    status: ReviewStatus
    decision: ReviewDecision
    why: str  # for the reader of the refusal
    brief: str  # the reviewer's own words, or what went wrong
    review: ModelReview | None = None


class ModelReviewer:
    """A reviewer for the chain. `then`: who has the last word when this one does not approve."""

    def __init__(
        self,
        model: Callable[[], Answering],
        circumstances: ReviewCircumstances,
        *,
        record: Recorder,
        asking: AskingSession | None = None,
        overrides: Overriding | None = None,
        then: Reviewer | None = None,
        on_denial: OnDenial = "ask",
        policy: str = "",
        deadline_ms: int = DEADLINE_MS,
        when_cancelled: Callable[[Callable[[], None]], None] = lambda _tell: None,
    ) -> None:
        self._model = model
        self._circumstances = circumstances
        self._record = record
        self._asking = asking or AskingSession("")
        self._overrides = overrides
        self._then = then
        self._on_denial = on_denial
        self._policy = policy
        self._deadline_ms = deadline_ms
        self._when_cancelled = when_cancelled
        self.breaker = CircuitBreaker()

    def review(self, request: ApprovalRequest) -> Decision:
        """A yes that policy admits, or a no that says whose it is. Blocks for `deadline_ms`, and for a person."""
        action = action_digest(request)
        if self._overridden(action):
            return Decision(request.stage, "approved", "user", request.grants, OVERRIDDEN)
        self._tell(request, "in_progress")
        cost: list[TokenUsage] = []
        try:
            ended = self._reviewed(request, action, cost.append)
        except BaseException:
            self._tell(request, "aborted", cost=cost)
            raise
        self._tell(request, ended.status, ended.review, ended.brief, cost)
        if ended.decision == "approved":
            self.breaker.count("allowed")
            return Decision(request.stage, "approved", "automated_reviewer", request.grants, ended.brief)
        stop = self.breaker.count("denied" if ended.status == "denied" else "neither")
        if ended.decision == "abort":
            return Decision(request.stage, "abort", "automated_reviewer", reason=ended.why)
        return self._last_word(request, ended) or self._refused(request, ended, stop=stop)

    def _reviewed(self, request: ApprovalRequest, action: str, count: Callable[[TokenUsage], object]) -> _Ended:
        hidden = hidden_part(request)
        if hidden:
            return _failed(hidden)
        cancelled = Cancellation()
        self._when_cancelled(cancelled.cancel)
        tag = f"evidence-{os.urandom(TAG_BYTES).hex()}"
        entries = self._asking.conversation()
        circumstances = self._circumstances.but(session_id=self._asking.session_id)
        try:
            question = ModelQuestion(
                instructions=instructions(tag, self._policy),
                text=evidence(request, circumstances, tag, entries),
                schema=SCHEMA,
                source=SOURCE,
                parent=self._asking.session_id,
                parent_source=self._asking.source,
            )
            text = self._model().answer(question, deadline_ms=self._deadline_ms, cancelled=cancelled, count=count)
            review = review_from(text)
        except Late:
            late = LATE.format(seconds=self._deadline_ms / 1000)
            return _Ended("timed_out", "timed_out", late, "no answer in time")
        except Withdrawn:
            return _Ended("aborted", "abort", GIVEN_UP, "cancelled")
        except UnreadableReview as wrong:
            return _failed(f"its answer cannot be read ({wrong})")
        except (ModelError, SandgateError) as problem:
            return _failed(str(problem))
        except Exception as problem:  # whatever it is, the model has not approved
            return _failed(type(problem).__name__)
        user_heard = any(entry.speaker == "user" for entry in entries)
        why = why_not(review, _floor(request), user_heard=user_heard)
        if not why:
            return _Ended("approved", "approved", "", review.rationale, review)
        return _Ended("denied", "denied", RISKY.format(why=why, action=action[:12]), why, review)

    def _overridden(self, action: str) -> bool:
        try:
            return self._overrides is not None and self._overrides.take(action)
        except (SandgateError, OSError):  # a mark that cannot be used up is none
            return False

    def _last_word(self, request: ApprovalRequest, ended: _Ended) -> Decision | None:
        """The person's, where one can be asked and wants to be."""
        if self._then is None or self._on_denial == "deny":
            return None
        said = ASK_PERSON.format(why=ended.brief)
        asked = request.but(reason=f"{said}. {request.reason}" if request.reason else said)
        decision = self._then.review(asked)
        return None if decision is None or decision.source == "none" else decision

    def _refused(self, request: ApprovalRequest, ended: _Ended, *, stop: bool) -> Decision:
        if not stop:
            return Decision(request.stage, ended.decision, "automated_reviewer", reason=ended.why)
        why = STOPPED.format(why=ended.brief)
        self._record(Notice("warning", why))
        return Decision(request.stage, "abort", "automated_reviewer", reason=why)

    def _tell(
        self,
        request: ApprovalRequest,
        status: ReviewStatus,
        review: ModelReview | None = None,
        rationale: str = "",
        cost: Sequence[TokenUsage] = (),
    ) -> None:
        self._record(
            AutoReview(
                review_id=_review_id(request),
                request_id=request.request_id,
                status=status,
                risk_level=review.risk_level if review else "",
                user_authorization=review.user_authorization if review else "",
                rationale=rationale,
                action=shown_action(request),
                call_id=request.call_id,
                usage=cost[0] if cost else None,
            )
        )


def _failed(why: str) -> _Ended:
    said = visible(why)
    return _Ended("failed", "denied", FAILED.format(why=said), said)


def _floor(request: ApprovalRequest) -> Literal["low", "medium", "high"] | None:
    """What the offline assessment says. Without one it is high, but for a patch, which shows itself."""
    if request.risk is not None:
        return request.risk.risk_level
    return "medium" if request.changes else "high"


def _review_id(request: ApprovalRequest) -> str:
    """There may be several in the middle of a run."""
    if request.stage == "held":
        return f"{request.call_id}:held:{request.request_id}"
    return f"{request.call_id}:retry" if request.stage == "retry" else request.call_id

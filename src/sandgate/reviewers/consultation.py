"""One question, while a model is asked about it: begun when it is shown, over when it is answered.

Whatever happens first ends it, once: the model's answer, its failure, or the person's decision, which takes the request
back. What is told, is told before the decision is, and never after it.
"""

from __future__ import annotations

from threading import Event, Lock
from time import monotonic_ns

from sandgate.approvals.prompts.advice import Advice, Said
from sandgate.assessment.model_answer import with_offline
from sandgate.assessment.model_prompt import PROMPT_VERSION
from sandgate.model.cancellation import Cancellation
from sandgate.protocol.risk import AdviceOutcome
from sandgate.protocol.trace import ApprovalUpdated, RiskAssessed, RiskLatency

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.assessment.model_answer import ModelAnswer
    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.protocol.risk import RiskAssessment
    from sandgate.protocol.trace import AssessmentStatus, TraceRecord
    from sandgate.protocol.usage import TokenUsage

WHY_NOT: dict[AssessmentStatus, str] = {
    "timeout": "timed out",
    "parse_error": "its answer has no usable form",
    "no_output": "it said nothing",
}


class Consultation:
    """`tell` gets what belongs into the trail, in order, on whichever thread it happens."""

    def __init__(self, request: ApprovalRequest, tell: Callable[[TraceRecord], None]) -> None:
        self.request = request
        self.advice = Advice()
        self.cancelled = Cancellation()
        self._tell = tell
        self._guard = Lock()
        self._began_ns: int | None = None
        self._settled = Event()
        self._over = False
        self._usage: TokenUsage | None = None
        self.status: AssessmentStatus | None = None  # how it ended
        self.risk: RiskAssessment | None = None  # with the model's answer; None: there is none

    def begin(self) -> bool:
        """A request is about to be sent; False when the question is over already."""
        with self._guard:
            self._began_ns = monotonic_ns()
            return not self._over

    def cost(self, usage: TokenUsage) -> None:
        """What the provider counted."""
        self._usage = usage

    def within(self, seconds: float) -> ApprovalRequest:
        """The question with the model's words, if they come in that time."""
        self._settled.wait(seconds)
        if self.risk is None:
            return self.request
        return self.request.but(risk=self.risk, offline_risk=self.request.risk)

    def answered(self, answer: ModelAnswer) -> None:
        """The model has answered, now or to the same question before."""
        with self._guard:
            if self._over:
                return
            self._over = True
            self._account("success", answer)
            risk = with_offline(answer, self.request.risk, prompt_version=PROMPT_VERSION)
            self.risk = risk
            self._tell(ApprovalUpdated(self.request.request_id, risk))
            self.advice.give(Said(risk, answer.description))
            self._settled.set()

    def failed(self, status: AssessmentStatus, why: str = "") -> None:
        """There will be no answer."""
        with self._guard:
            if self._over:
                return
            self._over = True
            self._account(status, None)
            self.advice.give(Said(None, why_not=WHY_NOT.get(status, why)))
            self._settled.set()

    def end(self) -> None:
        """The question is decided: the request is taken back if it is still on its way."""
        self.cancelled.cancel()
        self.failed("cancelled")
        self.advice.close()

    def outcome(self) -> AdviceOutcome:
        """What it came to, for who writes the decision down."""
        risk, status = self.risk, self.status or "cancelled"
        if risk is None:
            return AdviceOutcome(status, prompt_version=PROMPT_VERSION)
        return AdviceOutcome(status, risk.risk_level, risk.source, PROMPT_VERSION)

    def _account(self, status: AssessmentStatus, answer: ModelAnswer | None) -> None:
        """Every end is told; how long a request took, only where one was sent."""
        self.status, call_id, took_ms = status, self.request.call_id, 0
        if self._began_ns is not None:
            took_ms = (monotonic_ns() - self._began_ns) // 1_000_000
            self._tell(RiskLatency(call_id, took_ms))
        level, categories = (answer.level, answer.categories) if answer is not None else (None, ())
        ended = RiskAssessed(call_id, status, took_ms, PROMPT_VERSION, level, categories)
        self._tell(ended.but(request_id=self.request.request_id, usage=self._usage))

"""The reviewers of a session, with a model looking at what people are asked.

They stand in one place of the chain, so what was approved for the session is never looked at. Who answers without a
person, `automatic`, is asked first and without the model, as far as it stands before the others. A model is asked only
where somebody reads what it says: a reviewer that is told of words while it decides (`review_advised`), or one that
shows a question once, and then waits for them a short time. What it takes to ask is made with the first question, for
most sessions have none.
"""

from __future__ import annotations

from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from sandgate.approvals.chain import Reviewer
    from sandgate.protocol.decisions import ApprovalRequest, Decision
    from sandgate.reviewers.consultation import Consultation
    from sandgate.reviewers.model_risk import ModelRisk

    # When a reviewer reads what a model says about a question: while it is open, with the question, or both.
    Advising = Literal["meanwhile", "once", "both", "never"]

MS_PER_S = 1_000


class WithRiskAdvice:
    """One reviewer for all of these. `form_wait_ms`: how long one who shows a question once waits for words."""

    def __init__(self, reviewers: tuple[Reviewer, ...], make: Callable[[], ModelRisk], *, form_wait_ms: int) -> None:
        self._reviewers = reviewers
        self._make = make
        self._form_wait_s = form_wait_ms / MS_PER_S
        self._making = allocate_lock()
        self._model: ModelRisk | None = None

    def when_given_up(self, tell: Callable[[], None]) -> None:
        """Have `tell` called when the caller of this thread's question gives up."""
        for reviewer in self._reviewers:
            listen = getattr(reviewer, "when_given_up", None)
            if listen is not None:
                listen(tell)

    def review(self, request: ApprovalRequest) -> Decision | None:
        people = list(self._reviewers)
        while people and getattr(people[0], "automatic", False):
            decision = people.pop(0).review(request)
            if decision is not None:
                return decision
        if any(self._advising(each, request) != "never" for each in people):
            return self._asked(people, request)
        return next((found for each in people if (found := each.review(request)) is not None), None)

    def _advising(self, reviewer: Reviewer, request: ApprovalRequest) -> Advising:
        reads = getattr(reviewer, "reads_advice", None)
        reading: Advising = "meanwhile" if hasattr(reviewer, "review_advised") else "once"
        if reads is not None:
            reading = reads(request)
        if self._form_wait_s:
            return reading
        return "never" if reading == "once" else "meanwhile" if reading == "both" else reading

    def _asked(self, people: list[Reviewer], request: ApprovalRequest) -> Decision | None:
        with self._made().about(request) as consultation:
            decision = self._decided(people, request, consultation)
        if decision is None or consultation is None:
            return decision
        return decision.but(advice=consultation.outcome())

    def _decided(
        self, people: list[Reviewer], request: ApprovalRequest, consultation: Consultation | None
    ) -> Decision | None:
        for reviewer in people:
            reading = "never" if consultation is None else self._advising(reviewer, request)
            shown = request
            decision: Decision | None
            if consultation is not None and reading in ("once", "both"):
                shown = consultation.within(self._form_wait_s)
            if consultation is not None and (reading == "meanwhile" or (reading == "both" and shown is request)):
                decision = reviewer.review_advised(request, consultation.advice)  # type: ignore[attr-defined]
            else:
                decision = reviewer.review(shown)
            if decision is not None:
                return decision
        return None

    def _made(self) -> ModelRisk:
        with self._making:
            if self._model is None:
                self._model = self._make()
            return self._model

"""The reviewers of a session, with a model looking at what people are asked.

They stand in one place of the chain, so what was approved for the session is never looked at. Who answers without a
person, `automatic`, is asked first and without the model, as far as it stands before the others. What it takes to
ask a model is made with the first question, for most sessions have none.
"""

from __future__ import annotations

from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.approvals.chain import Reviewer
    from sandgate.protocol.decisions import ApprovalRequest, Decision
    from sandgate.reviewers.model_risk import ModelRisk


class WithRiskAdvice:
    """One reviewer for all of these."""

    def __init__(self, reviewers: tuple[Reviewer, ...], make: Callable[[], ModelRisk]) -> None:
        self._reviewers = reviewers
        self._make = make
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
        return self._asked(people, request) if people else None

    def _asked(self, people: list[Reviewer], request: ApprovalRequest) -> Decision | None:
        with self._made().about(request) as consultation:
            for reviewer in people:
                advised = getattr(reviewer, "review_advised", None)
                if consultation is None or advised is None:
                    decision = reviewer.review(request)
                else:
                    decision = advised(request, consultation.advice)
                if decision is not None:
                    return decision
        return None

    def _made(self) -> ModelRisk:
        with self._making:
            if self._model is None:
                self._model = self._make()
            return self._model

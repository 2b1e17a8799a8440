"""What is known about the risk of what is asked, as events of a session: offline, and what became of asking a model."""

from __future__ import annotations

from sandgate.protocol.events import SandboxAssessment
from sandgate.protocol.usage import NO_USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.protocol.events import AutomaticReview, EventMessage
    from sandgate.protocol.trace import ApprovalUpdated, RiskAssessed


class AssessmentEvents:
    """Belongs to one event loop. `tell` gets the call that is asked about, and what is known."""

    def __init__(self, tell: Callable[[str, EventMessage], object]) -> None:
        self._tell = tell
        self._spent = NO_USAGE  # for words about questions alone; no part of the session's own
        self._reviews = NO_USAGE  # the same for answers in place of a person
        self._answered: RiskAssessed | None = None  # told just before the words themselves

    def asked(self, request: ApprovalRequest) -> None:
        """A question, with what the offline assessment says."""
        if request.risk is not None:
            self._tell(request.call_id, SandboxAssessment(request.request_id, request.call_id, "static", request.risk))

    def ended(self, record: RiskAssessed) -> None:
        """Asking a model is over. Of an answer, its words come next."""
        if record.usage is not None:
            self._spent = self._spent.plus(record.usage)
        if record.status == "success":
            self._answered = record
        else:
            self._tell(record.call_id, self._event(record))

    def updated(self, record: ApprovalUpdated) -> None:
        """A model's words."""
        answered, self._answered = self._answered, None
        if answered is not None and answered.request_id == record.request_id:
            self._tell(answered.call_id, self._event(answered).but(risk=record.risk))

    def reviewed(self, message: AutomaticReview) -> AutomaticReview:
        """A model decides in place of a person, with what all of that has cost."""
        if message.token_usage is None:
            return message
        self._reviews = self._reviews.plus(message.token_usage)
        return message.but(total_token_usage=self._reviews)

    def _event(self, record: RiskAssessed) -> SandboxAssessment:
        usage = record.usage
        return SandboxAssessment(
            record.request_id,
            record.call_id,
            record.status,
            duration_ms=record.duration_ms,
            prompt_version=record.prompt_version,
            token_usage=usage,
            total_token_usage=None if usage is None else self._spent,
        )

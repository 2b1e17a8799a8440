"""Answers given in advance, in order: `--answer approve --answer deny`."""

from __future__ import annotations

from sandgate.approvals.prompts.prompt import CHANGING
from sandgate.errors import RequestError
from sandgate.protocol.decisions import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.decisions import ApprovalRequest, DecisionSource, ReviewDecision

ANSWERS: dict[str, ReviewDecision] = {
    "approve": "approved",
    "approve-session": "approved_for_session",
    "approve-session-changing": "approved_for_session",
    "approve-always": "approved_with_amendment",
    "deny": "denied",
    "abort": "abort",
}


NOT_OFFERED = (
    "no lasting rule is on offer here, so `approve-always` counts as no; "
    "what is on offer: approve, approve-session, deny, abort"
)


NO_CHANGING = (
    "nothing that commands may change is executed here inside the sandbox, so `approve-session-changing` counts as no; "
    "`approve-session` is on offer"
)


def prepared(
    request: ApprovalRequest, decision: ReviewDecision, source: DecisionSource, *, changing: bool = False
) -> Decision:
    """A bare answer in full: an approval gives exactly what the request offers, and saves the rule it offers."""
    if changing and not request.may_change:
        return Decision(request.stage, "denied", source, reason=NO_CHANGING)
    if decision == "approved_with_amendment":
        if request.amendment is None:
            return Decision(request.stage, "denied", source, reason=NOT_OFFERED)
        return Decision(request.stage, decision, source, request.grants, amendment=request.amendment)
    given = request.grants if decision in ("approved", "approved_for_session") else ()
    return Decision(request.stage, decision, source, given, changing=changing)


class ScriptedReviewer:
    """Gives the prepared answers one after the other, then passes every question on."""

    automatic = True  # no person reads the question

    def __init__(self, answers: tuple[str, ...]) -> None:
        for answer in answers:
            if answer not in ANSWERS:
                raise RequestError(f"`--answer {answer}` is not an answer", hint=f"use one of: {', '.join(ANSWERS)}")
        self._left = list(answers)

    @property
    def has_more(self) -> bool:
        """Whether the next question is answered."""
        return bool(self._left)

    def review(self, request: ApprovalRequest) -> Decision | None:
        """The next answer; a plain approval gives exactly the grants that the request offers."""
        if not self._left:
            return None
        answer = self._left.pop(0)
        return prepared(request, ANSWERS[answer], "script", changing=answer == CHANGING)

"""Answers given in advance, in order: `--answer approve --answer deny`."""

from __future__ import annotations

from sandgate.errors import RequestError
from sandgate.protocol.decisions import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.decisions import ApprovalRequest, ReviewDecision

ANSWERS: dict[str, ReviewDecision] = {
    "approve": "approved",
    "approve-session": "approved_for_session",
    "deny": "denied",
    "abort": "abort",
}


class ScriptedReviewer:
    """Gives the prepared answers one after the other, then passes every question on."""

    automatic = True  # no person reads the question

    def __init__(self, answers: tuple[str, ...]) -> None:
        for answer in answers:
            if answer not in ANSWERS:
                raise RequestError(f"`--answer {answer}` is not an answer", hint=f"use one of: {', '.join(ANSWERS)}")
        self._left = list(answers)

    def review(self, request: ApprovalRequest) -> Decision | None:
        """The next answer; a plain approval gives exactly the grants that the request offers."""
        if not self._left:
            return None
        decision = ANSWERS[self._left.pop(0)]
        given = request.grants if decision in ("approved", "approved_for_session") else ()
        return Decision(request.stage, decision, "script", given)

"""Puts the questions of one session of an agent, for whichever call runs a turn in it."""

from __future__ import annotations

from sandgate.protocol.decisions import Decision
from sandgate.serving.inbox import Inbox
from sandgate.serving.ledger_access import kept_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    from sandgate.agent.agent import Agent
    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.serving.calls import Review
    from sandgate.serving.ledger_access import Ledger

NOBODY = "no call of a client waits for this session, so nobody could be asked"


class ThreadAnswers:
    """What the agent asks. What a model says of a question comes with its form, or beside it."""

    def __init__(self, ledger: Ledger, principal: str, *, timeout_s: float) -> None:
        self.review: Review | None = None  # of the call that runs a turn
        self.agent: Agent | None = None  # once it is open
        self.inbox = Inbox(ledger, principal, timeout_s=timeout_s, confinement=self._confinement)
        self.hear = kept_in(ledger)

    async def answer(self, request: ApprovalRequest, _delegate: Mapping[str, str] | None = None) -> Decision:
        """As the client, or whoever else is asked, decides."""
        if self.review is None:
            return Decision(request.stage, "denied", "none", reason=NOBODY)
        return await self.review(request)

    def reads_advice(self, _request: ApprovalRequest) -> Literal["both"]:
        """With the form if it comes in time, and beside it later."""
        return "both"

    def expect(self, _request: ApprovalRequest) -> None:
        """There is nothing to prepare."""

    def _confinement(self) -> Mapping[str, Any]:
        return {} if self.agent is None else self.agent.confinement()

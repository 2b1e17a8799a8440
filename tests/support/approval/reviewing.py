"""Requests for tests of reviewers."""

from __future__ import annotations

from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import ApprovalRequest
from sandgate.protocol.risk import RiskAssessment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.decisions import Stage
    from sandgate.protocol.permissions import Grant
    from sandgate.protocol.risk import RiskLevel


def request_for(
    *argv: str,
    stage: Stage = "initial",
    grants: tuple[Grant, ...] = (),
    risk: RiskLevel | None = "medium",
    call_id: str = "call",
) -> ApprovalRequest:
    """A question about `argv`; `risk`: what the offline assessment says."""
    return ApprovalRequest(
        request_id=f"request-{call_id}",
        call_id=call_id,
        stage=stage,
        command=CommandRequest(argv, "/project", {"PATH": "/usr/bin:/bin"}),
        reason="",
        grants=grants,
        risk=None if risk is None else RiskAssessment("Does something.", risk),
    )

"""What a surface prints of a forecast and of a risk, beside what the session's own methods answer."""

from __future__ import annotations

from sandgate.approvals.prompts.risk_lines import risk_lines as lines
from sandgate.gate.forecast import Forecast as Forecast
from sandgate.gate.forecast import forecast_json as forecast_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.risk import RiskAssessment


def risk_lines(risk: RiskAssessment) -> list[str]:
    """The risk as a prompt shows it, without colour."""
    return list(lines(risk))

"""The lines of a risk assessment in a prompt. Pure text; colour is the surface's business.

A level is said in words and capitals, so that it can be read without colour, and nothing here can be mistaken for a
recommendation.
"""

from __future__ import annotations

from sandgate.display import visible
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.risk import RiskAssessment, RiskCategory

LABELS: dict[RiskCategory, str] = {
    "data_deletion": "data deletion",
    "data_exfiltration": "data exfiltration",
    "privilege_escalation": "privilege escalation",
    "system_modification": "system modification",
    "network_access": "network access",
    "resource_exhaustion": "resource exhaustion",
    "compliance": "compliance",
}
MAX_SHOWN_REASONS = 4  # lines under the level; the rest is in the record


class RiskLines(Record):
    """The parts a surface may style: the level's word stands apart from the rest of its line."""

    summary: str | None  # "Summary: …", None without a description
    level: str  # "HIGH"
    risk: str  # "Risk: HIGH (data deletion, network access)"
    reasons: tuple[str, ...]  # "  - deletes recursively"

    @property
    def lines(self) -> tuple[str, ...]:
        """Everything in order."""
        return (*((self.summary,) if self.summary else ()), self.risk, *self.reasons)


def risk_lines(risk: RiskAssessment) -> tuple[str, ...]:
    """The block as plain lines."""
    return render(risk).lines


def render(risk: RiskAssessment) -> RiskLines:
    """The block between the reason and the command. Escapes whatever a terminal might obey."""
    text = visible(risk.description).strip()
    level = risk.risk_level.upper()
    labels = ", ".join(LABELS[category] for category in risk.risk_categories if category in LABELS)
    line = f"Risk: {level}" + (f" ({labels})" if labels else "")
    if risk.confidence == "low":
        line += ", not certain"
    reasons = tuple(f"  - {visible(reason)}" for reason in risk.reasons[:MAX_SHOWN_REASONS])
    return RiskLines(summary=f"Summary: {text}" if text else None, level=level, risk=line, reasons=reasons)

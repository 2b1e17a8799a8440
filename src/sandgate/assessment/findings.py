"""The pieces an assessment is made of: one finding per thing a command does."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from sandgate.protocol.risk import Confidence, FactKind, RiskCategory, RiskLevel

LOW: Final = "low"
MEDIUM: Final = "medium"
HIGH: Final = "high"

DELETION: Final = "data_deletion"
EXFILTRATION: Final = "data_exfiltration"
PRIVILEGE: Final = "privilege_escalation"
SYSTEM: Final = "system_modification"
NETWORK: Final = "network_access"
EXHAUSTION: Final = "resource_exhaustion"
COMPLIANCE: Final = "compliance"

RANK: dict[str, int] = {LOW: 0, MEDIUM: 1, HIGH: 2}


class Finding(Record):
    """One effect, rated on its own. The assessment's level is that of its worst finding."""

    level: RiskLevel
    kind: FactKind
    target: str  # path, host or program; "?" when only the running command knows
    why: str  # a short reason: "deletes recursively"
    sentence: str = ""  # plain words for the description, without a full stop; "" for a mere reason
    consequence: str = ""  # a second sentence: what makes it serious
    categories: tuple[RiskCategory, ...] = ()
    confidence: Confidence = "high"


def worse(one: RiskLevel, other: RiskLevel) -> RiskLevel:
    """The higher of two levels."""
    return one if RANK[one] >= RANK[other] else other

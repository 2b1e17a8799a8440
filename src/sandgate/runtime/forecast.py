"""What would happen to a command, as a value."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.risk import RiskAssessment
    from sandgate.protocol.verdicts import Verdict


class Forecast(Record):
    """What would happen to a command, without running it."""

    verdict: Verdict
    approval: str
    sandbox: str
    backend: str
    confined: bool
    guarantees: tuple[str, ...]
    writable: tuple[str, ...]
    network: str
    risk: RiskAssessment | None

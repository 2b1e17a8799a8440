"""What would happen to a command, as a value."""

from __future__ import annotations

from sandgate.protocol.verdicts import Allow, Ask, Forbid
from sandgate.protocol.wire import plain, risk_json
from sandgate.record import Record, never_reached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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


def verdict_word(verdict: Verdict) -> str:
    """The verdict as one word."""
    match verdict:
        case Allow():
            return "allow"
        case Ask():
            return "ask"
        case Forbid():
            return "forbid"
        case _:
            return never_reached(verdict)


def forecast_json(forecast: Forecast) -> dict[str, Any]:
    """What `check --json` prints."""
    return {
        "verdict": verdict_word(forecast.verdict),
        "because": plain(forecast.verdict.because),
        "reason": getattr(forecast.verdict, "reason", ""),
        "sandbox": {
            "backend": forecast.backend,
            "confined": forecast.confined,
            "guarantees": list(forecast.guarantees),
            "writable": list(forecast.writable),
            "network": forecast.network,
        },
        "risk": risk_json(forecast.risk) if forecast.risk else None,
    }

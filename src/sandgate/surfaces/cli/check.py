"""`sandgate check`: what would happen to a command, and why. Runs nothing."""

from __future__ import annotations

from sandgate.commandline.words import joined
from sandgate.display import visible
from sandgate.protocol.verdicts import Allow, Ask, Forbid
from sandgate.record import never_reached
from sandgate.runtime.risk import risk_lines
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.session import opened, request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.verdicts import Verdict
    from sandgate.runtime.forecast import Forecast
    from sandgate.surfaces.cli.parse import Parsed

CODES = {"allow": 0, "ask": 3, "forbid": 4}


def main(parsed: Parsed) -> int:
    """0 would run unasked, 3 would ask, 4 forbidden."""
    runtime = opened(parsed)
    forecast = runtime.forecast(request(parsed, runtime))
    word = verdict_word(forecast.verdict)
    if parsed.on("json"):
        _print_json(forecast, word)
    else:
        say.out("".join(f"{line}\n" for line in _lines(forecast, word)))
    return CODES[word]


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


def _lines(forecast: Forecast, word: str) -> list[str]:
    lines = [f"verdict: {word}", f"policy: {forecast.approval}, sandbox {forecast.sandbox}"]
    reason = getattr(forecast.verdict, "reason", "")
    if reason:
        lines.append(f"reason: {visible(reason)}")
    lines += [
        f"  {cause.verdict}: {visible(joined(cause.segment))} ({cause.source}: {visible(cause.detail)})"
        for cause in forecast.verdict.because
    ]
    confined = f"backend {forecast.backend}" if forecast.confined else "none: it would run unconfined"
    lines.append(f"sandbox: {confined}")
    if forecast.confined:
        lines.append(f"  may write: {', '.join(map(visible, forecast.writable)) or 'nothing'}")
        lines.append(f"  network: {forecast.network}")
    return lines + (risk_lines(forecast.risk) if forecast.risk else [])


def _print_json(forecast: Forecast, word: str) -> None:
    import json

    from sandgate.surfaces.cli.jsonlines import plain, risk_json

    say.out(
        json.dumps(
            {
                "verdict": word,
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
        )
        + "\n"
    )

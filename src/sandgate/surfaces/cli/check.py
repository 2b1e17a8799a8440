"""`sandgate check`: what would happen to a command, and why. Runs nothing."""

from __future__ import annotations

from sandgate.commandline.words import joined
from sandgate.display import visible
from sandgate.runtime.forecast import forecast_json, verdict_word
from sandgate.runtime.risk import risk_lines
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.session import opened, request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.runtime.forecast import Forecast
    from sandgate.surfaces.cli.parse import Parsed

CODES = {"allow": 0, "ask": 3, "forbid": 4}


def main(parsed: Parsed) -> int:
    """0 would run unasked, 3 would ask, 4 forbidden."""
    runtime = opened(parsed)
    forecast = runtime.forecast(request(parsed, runtime))
    word = verdict_word(forecast.verdict)
    if parsed.on("json"):
        import json

        say.out(json.dumps(forecast_json(forecast)) + "\n")
    else:
        say.out("".join(f"{line}\n" for line in _lines(forecast, word)))
    return CODES[word]


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

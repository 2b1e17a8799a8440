"""`sandgate check`: what would happen to a command, and why. Runs nothing."""

from __future__ import annotations

from sandgate.display import one_line, visible
from sandgate.runtime.foresight import forecast_json, risk_lines
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.denied_lines import some_places
from sandgate.surfaces.cli.session import opened, person_present, requested

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.policy.explanation import Change, Part
    from sandgate.runtime.foresight import Forecast
    from sandgate.surfaces.cli.parse import ParsedLine

CODES = {"allow": 0, "ask": 3, "forbid": 4}
OTHERWISE = {"allow": "to have it allowed", "ask": "to have it asked about", "forbid": "to have it forbidden"}
PART_SHOWN_CHARS = 300


STOPPED = " (to start; the sandbox would stop part of it, see below)"


def main(parsed: ParsedLine) -> int:
    """0 would run unasked, 3 would ask, 4 forbidden."""
    runtime = opened(parsed)
    forecast = runtime.forecast(requested(parsed, runtime))
    if parsed.on("json"):
        import json

        say.out(json.dumps(forecast_json(forecast)) + "\n")
    else:
        say.out("".join(f"{line}\n" for line in _lines(forecast)))
        if forecast.approval == "never" and not (parsed.text("approval") or person_present()):
            say.fact("there is no terminal, so nobody could be asked; `-a on-failure` tells what a person would meet")
    return CODES[forecast.word]


def _lines(forecast: Forecast) -> list[str]:
    stops = forecast.confined and forecast.stopped and forecast.word != "forbid"
    lines = [
        f"verdict: {forecast.word}{STOPPED if stops else ''}",
        f"policy: {forecast.approval}, sandbox {forecast.sandbox}",
    ]
    reason = getattr(forecast.verdict, "reason", "")
    if reason:
        lines.append(f"reason: {visible(reason)}")
    lines += _part_lines(forecast.parts, 1)
    if forecast.flip:
        lines.append(f"{OTHERWISE[forecast.flip.verdict]}: {_change(forecast.flip)}")
    else:
        lines.append("no single change known here gives another verdict")
    confined = f"backend {forecast.backend}" if forecast.confined else "none: it would run unconfined"
    lines.append(f"sandbox: {confined}")
    if forecast.confined:
        lines.append(f"  may write: {', '.join(map(visible, forecast.writable)) or 'nothing'}")
        if forecast.closed:
            lines.append(f"  but not: {visible(some_places(forecast.closed))}")
        lines.append(f"  network: {forecast.network}")
        lines += [f"  would stop: {visible(each.words)}" for each in forecast.stopped]
    return lines + (list(risk_lines(forecast.risk)) if forecast.risk else [])


def _part_lines(part: Part, depth: int) -> list[str]:
    """A part and what hangs below it, each level further in."""
    alone = "" if part.decides else ", alone"
    text = one_line(part.text, limit=PART_SHOWN_CHARS)
    lines = [f"{'  ' * depth}{part.verdict}: {text} ({part.source}{alone}: {visible(part.detail)})"]
    lines += [line for each in part.parts for line in _part_lines(each, depth + 1)]
    return [*lines, f"{'  ' * (depth + 1)}and {part.left_out} more, not shown"] if part.left_out else lines


def _change(change: Change) -> str:
    if change.kind == "approval_policy":
        return f"-a {change.what}"
    if change.prefix:
        decide = "" if change.decide == "allow" else f"--decide {change.decide} "
        return f"sandgate rules add {decide}-- {visible(change.what)}"
    return visible(change.what)

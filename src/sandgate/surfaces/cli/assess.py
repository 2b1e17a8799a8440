"""`sandgate assess`: the risk of a command and the facts behind it. Runs nothing."""

from __future__ import annotations

from sandgate.display import visible
from sandgate.runtime.foresight import risk_lines
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.session import opened, requested

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.cli.parse import ParsedLine

NOT_ASSESSED = 3


def main(parsed: ParsedLine) -> int:
    """0 whatever the level; 3 when the command could not be assessed."""
    runtime = opened(parsed)
    command = requested(parsed, runtime)
    risk = runtime.risk(command)
    if risk is None:
        say.fact("this command could not be assessed")
        return NOT_ASSESSED
    if parsed.on("json"):
        import json

        from sandgate.protocol.wire import plain, risk_json

        say.out(json.dumps({"risk": risk_json(risk), "facts": plain(risk.facts)}) + "\n")
        return 0
    facts = [f"  {fact.kind}: {visible(fact.target)} ({visible(fact.why)})" for fact in risk.facts]
    say.out("".join(f"{line}\n" for line in (*risk_lines(risk), *facts)))
    return 0

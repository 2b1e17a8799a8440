"""What a surface prints of a forecast, a risk and matching rules, beside what the session's own methods answer."""

from __future__ import annotations

from sandgate.approvals.prompts.risk_lines import risk_lines as risk_lines
from sandgate.gate.forecast import Forecast as Forecast
from sandgate.gate.forecast import forecast_json as forecast_json
from sandgate.gate.rule_check import RuleMatch as RuleMatch
from sandgate.gate.rule_check import matches_json as matches_json
from sandgate.gate.rule_check import rule_matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.gate.rule_check import RuleMatches
    from sandgate.protocol.commands import CommandRequest
    from sandgate.runtime.runtime import Runtime


def matching_rules(runtime: Runtime, command: CommandRequest) -> RuleMatches:
    """Which rules of a session, as they hold by now, speak about a command. Runs and counts nothing."""
    return rule_matches(
        runtime.policies,
        runtime.gate.rules_holding(command),
        command,
        runtime.confinement.given_by_rules(command, runtime.confinement),
    )

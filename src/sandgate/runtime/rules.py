"""The rules of a session. Nothing is imported where no rules directory exists, which is the usual case."""

from __future__ import annotations

import os

from sandgate.policy.rules import NO_RULES
from sandgate.protocol.permissions import DangerFullAccess

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.config import Loaded
    from sandgate.policy.rules import Rule, RuleSet
    from sandgate.protocol.permissions import SandboxPolicy


def rules_in_force(loaded: Loaded) -> tuple[RuleSet, tuple[str, ...]]:
    """All rules of all layers, and warnings. Raises RuleError naming file, line and cause."""
    if not any(os.path.lexists(directory.path) for directory in loaded.rules):
        return NO_RULES, ()
    from sandgate.config.rules_files import load_rules

    read = load_rules(loaded)
    return read.rules, (*read.warnings, *_blind_spot(read.rules, loaded.settings.sandbox))


def _blind_spot(rules: RuleSet, sandbox: SandboxPolicy) -> tuple[str, ...]:
    from sandgate.policy.rules.network import host_lists

    forbidden = host_lists(rules.network)[1]
    if not forbidden or not (isinstance(sandbox, DangerFullAccess) or sandbox.network_access):
        return ()
    return (
        f"the network is on, and rules forbid {len(forbidden)} host{'s' * (len(forbidden) > 1)}: a command that names "
        "one is refused; names inside programs are not seen",
    )


def used_so_far(environ: Mapping[str, str], rules: tuple[Rule, ...]) -> Mapping[str, int]:
    """How often the rules that hold so many times were used, by their identity."""
    counting = tuple(rule for rule in rules if rule.uses is not None)
    if not counting:
        return {}
    from sandgate.runtime.accepting import counter_of

    return counter_of(environ)().used(counting)

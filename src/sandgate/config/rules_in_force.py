"""The rules of a session, and where accepted ones are kept (the user's own file) and counted (the state directory).

Nothing is imported where no rules directory exists, which is the usual case.
"""

from __future__ import annotations

import os

from sandgate.policy.rules import NO_RULES
from sandgate.protocol.permissions import DangerFullAccess

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sandgate.approvals.use_counts import RuleUses
    from sandgate.config import Loaded
    from sandgate.gate.rulebook import Keep
    from sandgate.policy.rules import Rule, RuleSet
    from sandgate.protocol.decisions import Amendment
    from sandgate.protocol.permissions import SandboxPolicy


def rules_in_force(loaded: Loaded, home: str = "") -> tuple[RuleSet, tuple[str, ...]]:
    """All rules of all layers, and warnings. `home` is what `~` means in them. Raises RuleError naming file, line and
    cause."""
    if not any(os.path.lexists(directory.path) for directory in loaded.rules):
        return NO_RULES, ()
    from sandgate.config.rules_files import load_rules

    read = load_rules(loaded)
    if read.rules.places:
        from sandgate.config.places_in_force import checked_places

        places = checked_places(read.rules.places, home, loaded.settings.grants)
        read = read.but(rules=read.rules.but(places=places))
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
    return counter_of(environ)().used(counting)


def keeper_of(loaded: Loaded) -> Keep | None:
    """Saves a rule among the user's own; None where those do not hold, or there is no place for them."""
    own = next((directory.path for directory in loaded.rules if directory.owner == "user"), None)
    if own is None or not loaded.settings.rules_enabled:
        return None

    def keep(amendment: Amendment) -> str:
        from sandgate.config.rules_writing import append_rule

        return append_rule(os.path.dirname(own), amendment)

    return keep


def counter_of(environ: Mapping[str, str]) -> Callable[[], RuleUses]:
    """Counts the uses of rules for all sessions of this user; asked for when the first rule is to be counted."""

    def counter() -> RuleUses:
        from sandgate.approvals.use_counts import RuleUses
        from sandgate.config.state_directory import ensured_state

        return RuleUses(lambda: ensured_state(environ))

    return counter

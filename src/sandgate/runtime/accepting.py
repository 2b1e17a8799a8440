"""Where accepted rules are kept and counted: the user's own rule file, and the state directory."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sandgate.approvals.uses import RuleUses
    from sandgate.config import Loaded
    from sandgate.gate.rulebook import Keep
    from sandgate.protocol.decisions import Amendment


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
        from sandgate.approvals.uses import RuleUses
        from sandgate.config.state_directory import ensured_state

        return RuleUses(lambda: ensured_state(environ))

    return counter

"""The rules of a session. Nothing is imported where no rules directory exists, which is the usual case."""

from __future__ import annotations

import os

from sandgate.policy.rules import NO_RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.config import Loaded
    from sandgate.policy.rules import RuleSet


def rules_in_force(loaded: Loaded) -> tuple[RuleSet, tuple[str, ...]]:
    """All rules of all layers, and warnings. Raises RuleError naming file, line and cause."""
    if not any(os.path.lexists(directory.path) for directory in loaded.rules):
        return NO_RULES, ()
    from sandgate.config.rules_files import load_rules

    read = load_rules(loaded)
    return read.rules, read.warnings

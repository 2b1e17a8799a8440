"""Rules about places as they hold for this user: `~` is his home, and what is forbidden also by its real path.

No setting gives what a rule forbids: the rules may be those of the machine, and the settings are the user's own.
"""

from __future__ import annotations

import os

from sandgate.errors import RuleError
from sandgate.policy.rules.places import at_home, closing, needs_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.policy.rules import PlaceRule
    from sandgate.protocol.permissions import Grant


def checked_places(rules: tuple[PlaceRule, ...], home: str, settled: tuple[Grant, ...]) -> tuple[PlaceRule, ...]:
    """Raises RuleError where a rule cannot be kept, or forbids what settings or options give (`settled`)."""
    found = tuple([_resolved(rule, home) for rule in rules])
    for grant in settled:
        real = grant.but(value=_real(grant.value))
        rule = closing(grant, found, ("forbid",)) or closing(real, found, ("forbid",))
        if rule is not None:
            raise RuleError(
                f"cannot grant `{grant.value}`",
                why=f"the {rule.named} forbids it",
                hint="take it out of `--grant`, and of `grants` in the settings",
            )
    return found


def _resolved(rule: PlaceRule, home: str) -> PlaceRule:
    if needs_home(rule):
        if home[:1] != "/":
            raise RuleError(
                f"cannot use the {rule.named}", why="`~` needs a home, and you have none", hint="set `$HOME`"
            )
        rule = at_home(rule, os.path.normpath(home))
    if rule.decide == "allow":
        return rule
    return rule.but(
        paths=tuple(dict.fromkeys((*rule.paths, *map(_real, rule.paths), *map(os.path.realpath, rule.paths))))
    )


def _real(path: str) -> str:
    """As calls name it: the directory without links, and the name as it is."""
    directory, name = os.path.split(path)
    return os.path.join(os.path.realpath(directory), name)

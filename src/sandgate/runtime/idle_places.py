"""Says of a new rule about a place that it would give nothing where it is written.

A rule that is there already says so as it is met, once, and stops nothing (`sandbox/carried_grants.py`). Who writes one
down is still there to write another.
"""

from __future__ import annotations

from os.path import isdir, islink

from sandgate.config.places_in_force import checked_places
from sandgate.errors import ConfinementError, RequestError
from sandgate.policy.common_places import homes_of, is_common
from sandgate.policy.rules.places import closing
from sandgate.protocol.permissions import Grant, RuleGrant
from sandgate.sandbox.carried_grants import given_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.policy.rules.model import PlaceRule
    from sandgate.protocol.permissions import EffectivePermissions
    from sandgate.runtime.commands import CommandSession


def refuse_idle(rule: PlaceRule, session: CommandSession) -> None:
    """Raises RequestError where a command of this session would have nothing by one of its places."""
    if rule.decide != "allow" or rule.grant is None:
        return
    try:
        permissions = session.confinement.permissions()
    except ConfinementError:  # from here nothing can be run, so there is nothing to look at
        return
    (resolved,) = checked_places((rule,), session.environ.get("HOME", ""), ())
    for shown, path in zip(rule.paths, resolved.paths, strict=True):
        grant = Grant(rule.grant, path)
        if said := _why_nothing(grant, rule, session, permissions):
            raise RequestError(f"a rule for `{rule.grant}={shown}` would give nothing", why=said)


def _why_nothing(grant: Grant, rule: PlaceRule, session: CommandSession, permissions: EffectivePermissions) -> str:
    closed_by = closing(grant, session.policies.rules.places, ("ask", "forbid"))
    if closed_by is not None:
        return f"the {closed_by.named} says `{closed_by.decide}` about it, and the stricter rule wins"
    if is_common(grant.value, homes=homes_of(session.environ)):
        return "it is about a whole home, or much more than one place"
    if not permissions.confined:
        return ""
    given, notes = given_here((RuleGrant(grant, rule.named),), permissions)
    if notes:
        return notes[0].partition(" gives nothing: ")[2]
    return "" if given else _no_directory(grant.value)


def _no_directory(path: str) -> str:
    return "it is a link" if islink(path) else "it is no directory" if not isdir(path) else ""

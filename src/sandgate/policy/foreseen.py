"""What the sandbox would stop, told before anything runs.

Made from what the assessor found a command to do and from what the command would be permitted. It is a forecast: the
paths are those that could be read off the command line, and what only the running program knows is not among them. Nor
is what happens on another machine: there only the way to it is closed.
"""

from __future__ import annotations

from sandgate.places.git_draft import kind_of
from sandgate.policy.effective import lies_below
from sandgate.protocol.risk import STAYS_HERE
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    from sandgate.protocol.permissions import EffectivePermissions
    from sandgate.protocol.risk import Fact

    Attempted = Literal["write", "delete", "read", "connect"]

STOPPED_MAX = 16  # listed of one command
HARMLESS_DEVICES = frozenset(("/dev/null", "/dev/zero", "/dev/full", "/dev/stdout", "/dev/stderr", "/dev/tty"))


class Stopped(Record):
    """One thing the command would try and not be let."""

    operation: Attempted
    target: str  # a path or a host, "?" when only the running command knows

    @property
    def words(self) -> str:
        """For people."""
        unnamed = self.operation == "connect" and self.target == "?"
        return "connect to other machines" if unnamed else f"{self.operation} {self.target}"


UNNAMED = Stopped("connect", "?")


def would_be_stopped(facts: Iterable[Fact], permissions: EffectivePermissions) -> tuple[Stopped, ...]:
    """What of these the sandbox would refuse, worst facts first; at most `STOPPED_MAX`. Empty without a sandbox."""
    if not permissions.confined:
        return ()
    facts = tuple(facts)
    found = [stopped for fact in facts if (stopped := _stopped(fact, permissions)) is not None]
    if any(fact.host and fact.why != STAYS_HERE for fact in facts):  # `git clone` and the host it clones from
        found = [each for each in found if each != UNNAMED]
    return tuple(dict.fromkeys(found))[:STOPPED_MAX]


def _stopped(fact: Fact, permissions: EffectivePermissions) -> Stopped | None:
    if fact.kind == "contacts":
        return Stopped("connect", fact.host or "?") if permissions.network == "off" else None
    if fact.target[:1] != "/" or fact.target in HARMLESS_DEVICES or not fact.here:
        return None
    if fact.kind == "reads":
        hidden = _depth(fact.target, permissions.hidden) > _depth(fact.target, permissions.reopened)
        return Stopped("read", fact.target) if hidden else None
    if fact.kind == "writes" and fact.target in permissions.drafts:
        return None  # what git writes somewhere in its directory: which names these are, only git knows
    if fact.kind in ("writes", "deletes") and not _writable(fact.target, permissions):
        return Stopped("delete" if fact.kind == "deletes" else "write", fact.target)
    return None


def _writable(path: str, permissions: EffectivePermissions) -> bool:
    """The most specific entry decides, as `EffectivePermissions` says."""
    draft = next((place for place in permissions.drafts if lies_below(path, place)), "")
    if draft:
        return kind_of(path[len(draft) + 1 :]) is not None
    closed = (*permissions.read_only, *permissions.absent, *permissions.hidden, *permissions.reopened)
    return _depth(path, permissions.writable) > _depth(path, closed)


def _depth(path: str, places: Iterable[str]) -> int:
    """How deep the innermost of `places` around `path` lies; 0 when none is."""
    return max((len(place) for place in places if path == place or lies_below(path, place)), default=0)

"""What was approved for the session. In memory; what an earlier part of the session left is put in again by name.

An entry says which grants were given to exactly one command, perhaps for so many passages or until some moment; a later
question is covered when what was given includes what it asks for. One passage uses an entry once, however many of its
questions it answers.
"""

from __future__ import annotations

from _thread import allocate_lock
from time import time

from sandgate.approvals.places import SessionPlaces
from sandgate.protocol.implied_grants import implied_by
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from sandgate.protocol.bindings import Binding
    from sandgate.protocol.decisions import ApprovalKey
    from sandgate.protocol.permissions import Grant

    Seeing = Callable[[], Binding]  # what a command is about now

ENTRIES_MAX = 4096  # commands remembered in one session; further ones are simply asked about again
ENTRIES_OF_ONE_MAX = 128  # of one command, tied to different contents of what it executes; the oldest go first
LIMITED_MAX = 64  # approvals with an end kept for one command; a further one is worth its own passage only
ANY = "*"  # a passage that is only thought of


class Renewed(Record):
    """An approval of an earlier part of the session: only the name of its key is known."""

    name: str
    grants: tuple[Grant, ...]
    until: float | None = None  # seconds since the epoch
    binding: Binding | None = None  # see `ApprovalStore.remember`


class _Given:
    """One answer: grants, when it ends, and the passages that used it."""

    def __init__(
        self,
        grants: frozenset[Grant],
        until: float | None,
        uses: int | None,
        passage: str,
        binding: Binding | None,
    ) -> None:
        self.grants = grants
        self.binding = binding  # None: to nothing
        self.until = until  # seconds since the epoch; None: with the session
        self.uses = uses  # passages; None: all
        self.passages = {passage} - {""}  # kept only where they are counted

    @property
    def limited(self) -> bool:
        return self.until is not None or self.uses is not None

    def holds_for(self, passage: str, now: float) -> bool:
        if self.until is not None and now >= self.until:
            return False
        return self.uses is None or passage in self.passages or len(self.passages) < self.uses

    def fits(self, seen: Seeing | None) -> bool:
        """Whether what it was given for is still so. Nothing is looked at for an answer that is tied to nothing."""
        return self.binding is None or seen is None or self.binding.holds(seen())

    def is_over(self, now: float) -> bool:
        """No later passage can use it."""
        return not self.holds_for("", now)


class ApprovalStore:
    """Session approvals: remember, recall, use, list, revoke. `now` tells the time in seconds since the epoch."""

    def __init__(self, now: Callable[[], float] = time) -> None:
        self._now = now
        self._guard = allocate_lock()
        self.places = SessionPlaces(now)  # for any command
        self._given: dict[ApprovalKey, list[_Given]] = {}
        self._renewed: dict[str, list[Renewed]] = {}  # until a command comes whose key has that name
        self._name_of: Callable[[ApprovalKey], str] = lambda _key: ""

    def remember(
        self,
        key: ApprovalKey,
        grants: tuple[Grant, ...],
        *,
        until: float | None = None,
        uses: int | None = None,
        passage: str = "",
        binding: Binding | None = None,
    ) -> None:
        """Add grants to what this command may have, `passage` being the first of the `uses` it is given for.

        With a `binding` only as long as all it says is so.
        """
        given = _Given(frozenset(grants), until, uses, passage, binding)
        with self._guard:
            if key not in self._given and len(self._given) >= ENTRIES_MAX:
                return
            entry = self._given.setdefault(key, [])
            if given.limited:
                if sum(each.limited for each in entry) < LIMITED_MAX:
                    entry.append(given)
                return
            endless = next((each for each in entry if not each.limited and each.binding == binding), None)
            if endless is None:
                entry.insert(0, given)
                del entry[ENTRIES_OF_ONE_MAX:]
            else:
                endless.grants |= given.grants

    def renew(self, approvals: Iterable[Renewed], name_of: Callable[[ApprovalKey], str]) -> None:
        """They hold from now on. Of more than ENTRIES_MAX the newest are kept."""
        with self._guard:
            self._name_of = name_of
            for each in tuple(approvals)[-ENTRIES_MAX:]:
                self._renewed.setdefault(each.name, []).append(each)

    @property
    def empty(self) -> bool:
        """Nothing was approved yet."""
        with self._guard:
            return not self._given and not self._renewed

    def recall(self, key: ApprovalKey, passage: str = ANY, seen: Seeing | None = None) -> tuple[Grant, ...] | None:
        """The grants this command has in that passage; None when it is not approved.

        `seen` says what the command is about now; it is asked only where an answer is tied to that. None: as it was.
        """
        with self._guard:
            holding = self._holding(key, passage, seen)
        return None if not holding else _sorted(grant for given in holding for grant in given.grants)

    def recall_all(
        self, keys: Collection[ApprovalKey], passage: str = ANY, seen: Seeing | None = None
    ) -> tuple[Grant, ...] | None:
        """The grants given to all of these together; None when one of them is not approved."""
        given = [self.recall(key, passage, seen) for key in keys]
        if any(grants is None for grants in given):
            return None
        return tuple(dict.fromkeys(grant for grants in given for grant in grants or ()))

    def covers(
        self,
        keys: Collection[ApprovalKey],
        wanted: tuple[Grant, ...],
        passage: str = ANY,
        held: tuple[Grant, ...] = (),
        seen: Seeing | None = None,
    ) -> bool:
        """Whether asking for `wanted` would repeat what was answered for the session.

        What includes it is no answer where it is `held` already: then it was not enough.
        """
        given = self.recall_all(keys, passage, seen)
        if given is None:
            return False
        useful = [grant for grant in given if grant not in held]
        return all(implied_by(useful, grant) for grant in wanted)

    def use(
        self, keys: Collection[ApprovalKey], wanted: tuple[Grant, ...], passage: str, seen: Seeing | None = None
    ) -> tuple[Grant, ...] | None:
        """Counts this passage where that is limited, and says what it may have; None when it is too late.

        Unlimited answers come first, and no more limited ones are used than `wanted` takes.
        """
        with self._guard:
            taken = _needed([self._holding(key, passage, seen) for key in keys], wanted)
            for given in taken or ():
                if given.uses is not None:
                    given.passages.add(passage)
        return None if taken is None else _sorted(grant for given in taken for grant in given.grants)

    def revoke(self, key: ApprovalKey) -> bool:
        """Forget one command; False when it was not there."""
        with self._guard:
            self._take_up(key)
            return self._given.pop(key, None) is not None

    def clear(self) -> None:
        """Forget everything, as when the sandbox policy of the session changes."""
        with self._guard:
            self._given.clear()
            self._renewed.clear()
        self.places.clear()

    def entries(self) -> tuple[tuple[ApprovalKey, frozenset[Grant]], ...]:
        """Everything that still holds and whose command is known, oldest first."""
        with self._guard:
            held = [(key, self._holding(key, ANY, None)) for key in tuple(self._given)]
        return tuple(
            (key, frozenset(grant for each in holding for grant in each.grants)) for key, holding in held if holding
        )

    def _holding(self, key: ApprovalKey, passage: str, seen: Seeing | None) -> list[_Given]:
        now = self._now()
        self._take_up(key)
        return [given for given in self._given.get(key, ()) if given.holds_for(passage, now) and given.fits(seen)]

    def _take_up(self, key: ApprovalKey) -> None:
        """What was renewed for this command is an entry like any other from now on."""
        if not self._renewed:
            return
        for each in self._renewed.pop(self._name_of(key), ()):
            self._given.setdefault(key, []).append(_Given(frozenset(each.grants), each.until, None, "", each.binding))


def _needed(holding: list[list[_Given]], wanted: tuple[Grant, ...]) -> list[_Given] | None:
    """Of the answers to each key the fewest that allow all of them and include `wanted`; None when all do not."""
    taken: list[_Given] = []
    for each in holding:
        if not each:
            return None
        taken += [given for given in each if not given.limited] or each[:1]
    for grant in wanted:
        if implied_by([one for given in taken for one in given.grants], grant):
            continue
        more = next((given for each in holding for given in each if implied_by(given.grants, grant)), None)
        if more is None:
            return None
        taken.append(more)
    return taken


def _sorted(grants: Iterable[Grant]) -> tuple[Grant, ...]:
    return tuple(sorted(set(grants), key=lambda grant: (grant.kind, grant.value)))

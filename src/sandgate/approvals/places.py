"""Places and addresses that a session's commands were given for its length, whichever command asks.

An answer to a call that waits is about what the call wants, and the command is there for everybody to see. So "for the
session" is about that place. What commands made under an answer that allowed a new entry is theirs, and open below, as
long as it is that very object: what a person makes under the same name is not.

The same holds for an answer after a failure, where all that it gives are such places: then each later command is
planned with them, since no call of it may wait. A place that is another object by then, or behind a link, is not used.
"""

from __future__ import annotations

from _thread import allocate_lock
from os import stat
from os.path import isdir, isfile, islink, realpath
from time import time

from sandgate.kernel.target import AT_FDCWD
from sandgate.protocol.implied_grants import implied_by
from sandgate.protocol.permissions import SUPERVISED_KINDS, Grant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sandgate.kernel.object_identity import ObjectIdentity
    from sandgate.protocol.decisions import ApprovalRequest

    Identity = tuple[int, int]  # of a directory

PLACES_MAX = 1024  # of one session; further ones are simply asked about again
_CHANGES = ("write_path", "write_root", *SUPERVISED_KINDS)
_PLACES = (*_CHANGES, "host", "unix_socket")  # what is read is no such place: a secret is for one command


def is_about_places(request: ApprovalRequest, grants: tuple[Grant, ...]) -> bool:
    """Whether "for the session" gives `grants` to all of its commands: what they are is said by the question."""
    if request.stage == "held":
        return True
    if request.stage != "retry" or request.keys or request.changes:
        return False
    return bool(grants) and all(each.kind in _PLACES and each.value != "*" for each in grants)


class SessionPlaces:
    """Threads may share it. `now` tells the time in seconds since the epoch."""

    def __init__(self, now: Callable[[], float] = time) -> None:
        self._now = now
        self._guard = allocate_lock()
        self._given: dict[Grant, float | None] = {}  # until when; None: with the session
        self._planned: dict[Grant, Identity | None] = {}  # of these, what plans are made with, and which directory
        self._made: dict[str, ObjectIdentity] = {}  # where a new entry was given, what a command has made

    def remember(self, grants: tuple[Grant, ...], *, until: float | None, planned: bool = False) -> None:
        """`planned`: they were given after a failure."""
        with self._guard:
            for grant in grants:
                if len(self._given) < PLACES_MAX or grant in self._given:
                    self._given[grant] = until
                    if planned:
                        self._planned[grant] = _directory(grant)

    def note_made(self, paths: Iterable[str]) -> None:
        """A command has made something at each of these, as far as it was given that."""
        if not self._given:
            return
        given = {each.value for each in self.given() if each.kind == "new_entry"}
        for path in given.intersection(paths):
            found = _object_at(path)
            if found is not None:
                with self._guard:
                    self._made[path] = found

    def given(self) -> tuple[Grant, ...]:
        """All that holds now."""
        if not self._given:
            return ()
        now = self._now()
        with self._guard:
            return tuple([each for each, until in self._given.items() if until is None or now < until])

    def planned(self) -> tuple[Grant, ...]:
        """What a command has from its start because it was given after the failure of another one."""
        if not self._planned:
            return ()
        return tuple([each for each in self.given() if each in self._planned and self._is_same(each)])

    def carried(self) -> tuple[Grant, ...]:
        """What is carried out for a command from its start: what was given at a call, and what was made since."""
        return tuple([each for each in map(self._as_carried, self.given()) if each is not None])

    def _is_same(self, grant: Grant) -> bool:
        """A name may be something else by now; a directory may not, nor may what lies behind a link."""
        if grant.kind not in _CHANGES:
            return True
        now = _directory(grant)
        return realpath(grant.value) == grant.value and (now is None or now == self._planned[grant])

    def _as_carried(self, grant: Grant) -> Grant | None:
        is_own = self._is_own(grant)
        if is_own and isdir(grant.value):
            return Grant("write_root", grant.value)
        if grant not in self._planned:
            return grant
        is_file = is_own and isfile(grant.value) and realpath(grant.value) == grant.value
        return Grant("write_path", grant.value) if is_file else None

    def _is_own(self, grant: Grant) -> bool:
        """Whether what lies at the place of a new entry is what a command made there."""
        if grant.kind != "new_entry" or islink(grant.value):
            return False
        made = self._made.get(grant.value)
        return made is not None and made == _object_at(grant.value)

    def covers(self, wanted: tuple[Grant, ...], held: tuple[Grant, ...]) -> bool:
        """Whether all that is wanted was given; not by what is `held` already, for that was not enough."""
        useful = [each for each in self.given() if each not in held]
        return bool(wanted) and all(implied_by(useful, each) or self._is_below_own(each, useful) for each in wanted)

    def _is_below_own(self, wanted: Grant, given: list[Grant]) -> bool:
        """Whether it lies in what a command was allowed to make, and made, or is that."""
        if wanted.kind not in _CHANGES:
            return False
        path = f"{wanted.value}/"
        return any(path.startswith(f"{each.value}/") and self._is_own(each) for each in given)

    def clear(self) -> None:
        with self._guard:
            self._given.clear()
            self._planned.clear()
            self._made.clear()


def _directory(grant: Grant) -> Identity | None:
    """Which one it is; None where it is none."""
    if grant.kind not in _CHANGES or grant.kind in SUPERVISED_KINDS or not isdir(grant.value):
        return None
    about = stat(grant.value)
    return about.st_dev, about.st_ino


def _object_at(path: str) -> ObjectIdentity | None:
    """Which object it is, links not followed; None for nothing."""
    from sandgate.kernel.object_identity import identity_at

    try:
        return identity_at(AT_FDCWD, path)[0]
    except OSError:
        return None

"""Places and addresses that a session's commands were given for its length, whichever command asks.

An answer to a call that waits is about what the call wants, and the command is there for everybody to see. So "for the
session" is about that place. What was made under an answer that allowed a new entry is new, and open below.
"""

from __future__ import annotations

from _thread import allocate_lock
from time import time

from sandgate.protocol.implied_grants import implied_by
from sandgate.protocol.permissions import SUPERVISED_KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.protocol.permissions import Grant

PLACES_MAX = 1024  # of one session; further ones are simply asked about again
_CHANGES = ("write_path", "write_root", *SUPERVISED_KINDS)


class SessionPlaces:
    """Threads may share it. `now` tells the time in seconds since the epoch."""

    def __init__(self, now: Callable[[], float] = time) -> None:
        self._now = now
        self._guard = allocate_lock()
        self._given: dict[Grant, float | None] = {}  # until when; None: with the session

    def remember(self, grants: tuple[Grant, ...], *, until: float | None) -> None:
        with self._guard:
            for grant in grants:
                if len(self._given) < PLACES_MAX or grant in self._given:
                    self._given[grant] = until

    def given(self) -> tuple[Grant, ...]:
        """All that holds now."""
        if not self._given:
            return ()
        now = self._now()
        with self._guard:
            return tuple([each for each, until in self._given.items() if until is None or now < until])

    def covers(self, wanted: tuple[Grant, ...], held: tuple[Grant, ...]) -> bool:
        """Whether all that is wanted was given; not by what is `held` already, for that was not enough."""
        useful = [each for each in self.given() if each not in held]
        return bool(wanted) and all(implied_by(useful, each) or _is_below_new(each, useful) for each in wanted)

    def clear(self) -> None:
        with self._guard:
            self._given.clear()


def _is_below_new(wanted: Grant, given: list[Grant]) -> bool:
    """Whether it lies in what was allowed to be made, or is that."""
    if wanted.kind not in _CHANGES:
        return False
    made = [each.value for each in given if each.kind == "new_entry"]
    return any(wanted.value == place or wanted.value.startswith(place + "/") for place in made)

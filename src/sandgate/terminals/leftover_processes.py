"""Finds out whether a process is left of a session whose leader has ended.

Until none is, the session stays the warden's: its number names what is left of it. Looking at all processes is not
cheap, so many ends at a time cost one look, a moment later.
"""

from __future__ import annotations

from _thread import allocate_lock
from time import monotonic

from sandgate.kernel.session_tree import living_sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.terminals.pump import Pump
    from sandgate.terminals.warden import Warden

LOOK_AGAIN_S = 30.0  # while a process is left
LOOK_AFTER_S = 0.5  # the end of a leader; process numbers are not used up in that time


class Remnants:
    """Sessions without a leader, until the next look."""

    def __init__(self, warden: Warden, pump: Pump) -> None:
        self._warden = warden
        self._pump = pump
        self._guard = allocate_lock()
        self._leaderless: set[int] = set()

    def leader_ended(self, session: int) -> None:
        """The leader was reaped just now. To be called on the pump's thread."""
        with self._guard:
            self._leaderless.add(session)
            first = len(self._leaderless) == 1
        if first:
            self._pump.at(monotonic() + LOOK_AFTER_S, self.look)

    def look(self) -> None:
        """Lets go of the sessions of which no process is left."""
        with self._guard:
            leaderless, self._leaderless = self._leaderless, set()
        peopled = leaderless & living_sessions() if leaderless else leaderless
        for session in leaderless - peopled:
            self._warden.drop(session)
        if peopled:  # to be let go in time, before the number is another session's
            with self._guard:
                self._leaderless |= peopled
            self._pump.at(monotonic() + LOOK_AGAIN_S, self.look)

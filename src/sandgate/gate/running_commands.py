"""Which commands of one session run at the same time, so that one of them can be alone.

A command that begins a repository (`policy.beginnings`) must be: what runs beside it was planned before there was one,
and would not find it protected. So it begins when no other command of the session runs, and no other session may
write there; a command that comes while it runs waits for its end, and is planned anew when it was planned before.
When they ran is kept: what was made then, they made.
"""

from __future__ import annotations

import os
from collections import deque
from threading import Condition
from time import CLOCK_REALTIME, clock_gettime_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.permissions import EffectivePermissions

    class Others(Protocol):
        """The other sessions that may write in a directory."""

        def keep_out(self, directory: str) -> bool: ...
        def let_in(self) -> None: ...


ALONE_S = 60.0  # how long a command waits for one that is alone
RUNS_MAX = 4096  # finished commands whose times are kept
LONG_NS = 120 * 10**9  # beside a command that ran longer, people work on files of their own
CLOCK_REALTIME_COARSE = 5  # <linux/time.h>: the time at the kernel's last tick, which files get


class RunningCommands:
    """The confined commands of a session that run. Threads take turns."""

    def __init__(self, others: Others) -> None:
        self._others = others
        self._changed = Condition()
        self._running = 0
        self._alone = False
        self._begun: set[str] = set()  # repositories
        self._began_ns: dict[int, int] = {}  # by the identity of a plan that runs
        self._ran: deque[tuple[int, int]] = deque(maxlen=RUNS_MAX)
        self._in_vain = 0  # commands that were to be alone and are not: their next plans expect nothing

    def may_begin(self, git: str) -> bool:
        """Whether a command that makes `git` could be alone now. It still has to `enter`."""
        with self._changed:
            if self._in_vain:
                self._in_vain -= 1
                return False
            if self._running or self._alone or not self._others.keep_out(os.path.dirname(git)):
                return False
            self._others.let_in()
            return True

    def enter(self, plan: ConfinedCommand) -> bool:
        """From now on it runs, until `leave`; False: it does not, and is to be planned anew."""
        with self._changed:
            entered = self._enter(plan.permissions)
            if entered:
                self._began_ns[id(plan)] = clock_gettime_ns(CLOCK_REALTIME_COARSE)
            return entered

    def leave(self, plan: ConfinedCommand) -> None:
        """What entered is over, and all that it left behind was looked at."""
        with self._changed:
            began, ended = self._began_ns.pop(id(plan)), clock_gettime_ns(CLOCK_REALTIME)
            if ended - began < LONG_NS:
                self._ran.append((began, ended))
            self._running -= 1
            if plan.permissions.begun:
                self._begun.add(plan.permissions.begun)
                self._end_alone()

    @property
    def any(self) -> bool:
        """Whether one runs now."""
        with self._changed:
            return self._running > 0

    def ran(self, moment_ns: int) -> bool:
        """Whether a command that is over, and took no longer than most do, ran at this moment of the clock of files."""
        with self._changed:
            return any(began <= moment_ns <= ended for began, ended in self._ran)

    def _enter(self, permissions: EffectivePermissions) -> bool:
        git = permissions.begun
        if not self._changed.wait_for(lambda: not self._alone, ALONE_S):
            return False
        if git:
            self._alone = self._running == 0 and self._others.keep_out(os.path.dirname(git))
            if not self._alone or os.path.lexists(git):
                self._in_vain += 1
                self._end_alone()
                return False
        elif any(os.path.lexists(path) for path in self._begun.intersection(permissions.absent)):
            return False
        self._running += 1
        return True

    def _end_alone(self) -> None:
        if self._alone:
            self._alone = False
            self._others.let_in()
            self._changed.notify_all()

"""Which commands of one session run at the same time, so that one of them can be alone.

A command that begins a repository (`policy.beginnings`) must be: what runs beside it was planned before there was one,
and would not find it protected. So it begins when no other command of the session runs, and no other session may
write there; a command that comes while it runs waits for its end, and is planned anew when it was planned before.
"""

from __future__ import annotations

import os
from threading import Condition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from sandgate.protocol.permissions import EffectivePermissions

    class Others(Protocol):
        """The other sessions that may write in a directory."""

        def keep_out(self, directory: str) -> bool: ...
        def let_in(self) -> None: ...


ALONE_S = 60.0  # how long a command waits for one that is alone


class RunningCommands:
    """The confined commands of a session that run. Threads take turns."""

    def __init__(self, others: Others) -> None:
        self._others = others
        self._changed = Condition()
        self._running = 0
        self._alone = False
        self._begun: set[str] = set()  # repositories
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

    def enter(self, permissions: EffectivePermissions) -> bool:
        """From now on a command with these runs, until `leave`; False: it does not, and is to be planned anew."""
        git = permissions.begun
        with self._changed:
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

    def leave(self, permissions: EffectivePermissions) -> None:
        """What entered is over, and all that it left behind was looked at."""
        with self._changed:
            self._running -= 1
            if permissions.begun:
                self._begun.add(permissions.begun)
                self._end_alone()

    def _end_alone(self) -> None:
        if self._alone:
            self._alone = False
            self._others.let_in()
            self._changed.notify_all()

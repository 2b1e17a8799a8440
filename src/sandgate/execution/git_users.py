"""Who has a lock on a git directory runs beside it and knows it as it is: a new submodule there waits for its end.

Many have it at one time, commands with a draft and commands that only read: what git runs for a reader can write as
well. Who carries a new submodule over needs it alone (flock(2)).
"""

from __future__ import annotations

import fcntl
import os

from sandgate.sandbox.private_tmp import DIRECTORY_FLAGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandgate.protocol.confinement import AttemptOutcome


class GitReaders:
    """A command that has no draft, from just before its start until it is over."""

    __slots__ = ("_users",)

    def __init__(self, directories: Iterable[str]) -> None:
        self._users = [user for real in directories if (user := used(real)) is not None]

    def settled(self, outcome: AttemptOutcome) -> AttemptOutcome:
        """Nothing is carried over."""
        self.release()
        return outcome

    def kept_back(self) -> tuple[str, ...]:
        """Git directories with changes that others do not see yet: none, as it has no draft."""
        return ()

    def release(self) -> None:
        """May be repeated."""
        for user in self._users:
            os.close(user)
        self._users = []


def used(real: str) -> int | None:
    """The git directory, with the lock; None while another command needs it alone."""
    try:
        user = os.open(real, DIRECTORY_FLAGS)
    except OSError:
        return None
    try:
        fcntl.flock(user, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        os.close(user)
        return None
    return user

"""Stops a command and everything it has started, and lets it go on.  SIGSTOP, signal(7)

For the time a question stands on a terminal that the command has, too: it could write over the question, and take the
keys that answer it. Processes that start others while they are being stopped are looked for again, until all that are
found are told to stop; what is told stops before it is back in its program.
"""

from __future__ import annotations

import os

from sandgate.kernel.process_tree import DESCENDANTS_MAX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

SIGCONT, SIGSTOP = 18, 19  # numbers of x86-64 and arm64
PASSES_MAX = 32  # over the tree; one that starts processes faster than that cannot be stopped


class StilledTree:
    """What `find` finds. Called with whether it is to be still; False: it cannot be stopped."""

    def __init__(self, find: Callable[[], Collection[int]]) -> None:
        self._find = find
        self._stopped: dict[int, None] = {}

    def __call__(self, still: bool, /) -> bool:
        return self._stop() if still else self._let_go_on()

    def _stop(self) -> bool:
        for _ in range(PASSES_MAX):
            found = self._find()
            if len(found) + 1 >= DESCENDANTS_MAX:
                break
            new = [pid for pid in found if pid not in self._stopped]
            if not new:
                return True
            for pid in new:
                self._stopped[pid] = None
                _signal(pid, SIGSTOP)
        self._let_go_on()
        return False

    def _let_go_on(self) -> bool:
        while self._stopped:
            _signal(self._stopped.popitem()[0], SIGCONT)
        return True


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return

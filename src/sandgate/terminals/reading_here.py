"""Lets a blocking caller read the command he waits for himself.

Between the pump's thread and the caller's lies a change of threads, which costs more than the read. So a caller who has
nothing to do but to wait takes the descriptor over for that time: the pump is told to leave it alone, and whatever else
happens to the command still wakes him, through a descriptor of his own.
"""

from __future__ import annotations

import os
from select import POLLIN, poll

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.terminals.changes import Changes

MS_PER_S = 1_000


class Bell:
    """A descriptor that becomes readable when it is rung. Closed when nobody can ring it any more."""

    def __init__(self) -> None:
        self.fd = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)

    def __call__(self) -> None:
        os.eventfd_write(self.fd, 1)

    def __del__(self) -> None:
        os.close(self.fd)


def await_readable(fd: int, changes: Changes, seen: int, timeout_s: float) -> bool:
    """Until `fd` is readable, which is True, or there is a change after `seen`, or the time is up."""
    bell = Bell()
    if not changes.wake_on(seen, bell):
        return False
    try:
        waiting = poll()
        waiting.register(fd, POLLIN)
        waiting.register(bell.fd, POLLIN)
        ready = waiting.poll(-(-timeout_s * MS_PER_S // 1))
    finally:
        changes.forget(bell)
    return any(number == fd for number, _events in ready)

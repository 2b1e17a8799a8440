"""Lets a blocking caller read the command he waits for himself.

Between the pump's thread and the caller's lies a change of threads, which costs more than the read. So a caller who has
nothing to do but to wait takes the descriptor over for that time: the pump is told to leave it alone, and whatever else
happens to the command still wakes him, through a descriptor of his own. In a conversation he is back at once, so the
pump takes over again only when he has been away for a moment.
"""

from __future__ import annotations

import os
from contextlib import suppress
from select import POLLIN, poll

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.terminals.changes import Changes

MS_PER_S = 1_000
SEAT_BYTES = 8_192  # of one read; a terminal gives no more than half of it at once


class Bell:
    """A descriptor that becomes readable when it is rung. Closed when no thread can ring it any more."""

    def __init__(self) -> None:
        self.fd = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)

    def __call__(self) -> None:
        os.eventfd_write(self.fd, 1)

    def silence(self) -> None:
        with suppress(BlockingIOError):
            os.eventfd_read(self.fd)

    def __del__(self) -> None:
        os.close(self.fd)


class Seat:
    """Where one caller after the other waits for what is printed at `fd`, and reads it into `buffer`."""

    def __init__(self, fd: int) -> None:
        self.buffer = bytearray(SEAT_BYTES)
        self._fd = fd
        self._bell = Bell()
        self._poll = poll()
        self._poll.register(fd, POLLIN)
        self._poll.register(self._bell.fd, POLLIN)

    def wait(self, changes: Changes, seen: int, timeout_s: float) -> bool:
        """Until there is something to read, which is True, or a change after `seen`, or the time is up."""
        bell = self._bell
        if not changes.wake_on(seen, bell):
            return False
        try:
            ready = self._poll.poll(-(-timeout_s * MS_PER_S // 1))
        finally:
            changes.forget(bell)
        readable = False
        for fd, _events in ready:
            if fd == self._fd:
                readable = True
            else:  # perhaps for a wait that was over by then; one wake-up too many does no harm
                bell.silence()
        return readable

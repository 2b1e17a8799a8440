"""Moves a command's output on without ever waiting for its reader.

The descriptors we forward to belong to others: a shell, a pager, a log file. They may be slow, gone or full, and
their flags are shared with processes we do not know, so O_NONBLOCK must not be set on them. A pipe or a terminal is
opened a second time through /proc, which gives a description of our own for the same object; where that is not
permitted we ask `poll` first and write no more than a pipe takes whole. A file is written at once: its offset lives
in the caller's description, and no reader can make it wait.
"""

from __future__ import annotations

import os
import stat
from errno import EBADF, EIO, ENOSPC, ENXIO, EPIPE, ETIMEDOUT

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.execution.capture import Capture, Stream

READ_BYTES = 65_536  # the default capacity of a pipe, pipe(7)
PENDING_BYTES = 262_144  # forwarded late at most; then the command waits, as it would without us
PIPE_BUF_BYTES = 4_096  # written whole or not at all once poll says there is room, pipe(7)
TERMINAL_BUF_BYTES = 256  # a terminal is "writable" with less room than a pipe is
FIRST_FREE_DESCRIPTOR = 3


class ForwardingStopped(Record):
    """Some output could not be passed on. It was still captured, and the command was not told."""

    stream: Stream
    errno: int

    def sentence(self) -> str:
        """What happened and why, for people."""
        causes = {
            EBADF: "it is closed, or not open for writing",
            ENOSPC: "no space is left on its disk",
            EIO: "its terminal went away",
            ETIMEDOUT: "whoever reads it was too slow",
        }
        return f"cannot pass on the command's {self.stream}: {causes.get(self.errno) or os.strerror(self.errno)}"


class Forwarding:
    """Passes bytes on to one descriptor of the caller; keeps what it cannot take yet."""

    __slots__ = ("_at_most_bytes", "_fd", "_mode", "_opened", "_own", "_pending", "_polled", "lost", "stopped")

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._own: int | None = None
        self._pending = bytearray()
        self._polled = False  # write only after poll, and little
        self._at_most_bytes = READ_BYTES
        self._opened = False
        self.stopped = 0  # the errno that ended it
        self.lost = False  # there was something to pass on after that
        try:
            self._mode = os.fstat(fd).st_mode
        except OSError as error:
            self.stopped = error.errno or EBADF

    @property
    def fd(self) -> int:
        """What to poll for POLLOUT while `waiting`."""
        return self._fd if self._own is None else self._own

    @property
    def waiting(self) -> bool:
        return bool(self._pending)

    @property
    def full(self) -> bool:
        """True while nothing more should be read from the command."""
        return len(self._pending) >= PENDING_BYTES

    def send(self, data: bytes) -> None:
        """Takes over `data`; writes what can be written without waiting."""
        if not self._opened and not self.stopped:
            self._open()
        if self.stopped:
            self.lost = True
            return
        if not self._polled and not self._pending:
            data = data[self._write(data) :]
        if not self.stopped:
            self._pending += data

    def flush(self) -> None:
        """Writes what the descriptor takes now."""
        while self._pending:
            written = self._write(self._pending[: self._at_most_bytes])
            del self._pending[:written]
            if self._polled or not written:
                return

    def stop(self, errno: int) -> None:
        """Ends it; what is pending is dropped."""
        self.stopped = errno
        self.lost = self.lost or bool(self._pending)
        self._pending.clear()

    def close(self) -> None:
        if self._own is not None:
            os.close(self._own)
            self._own = None
        self._pending.clear()

    def _write(self, data: bytes | bytearray) -> int:
        try:
            return os.write(self.fd, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            self.stop(error.errno or EIO)
            self.lost = True
            return 0

    def _open(self) -> None:
        self._opened = True
        terminal = stat.S_ISCHR(self._mode) and os.isatty(self._fd)
        if not (terminal or stat.S_ISFIFO(self._mode) or stat.S_ISSOCK(self._mode)):
            return
        try:
            self._own = os.open(f"/proc/self/fd/{self._fd}", os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
        except OSError as error:
            if error.errno == ENXIO and stat.S_ISFIFO(self._mode):
                self.stop(EPIPE)  # a named pipe whose last reader has left
            self._polled = True
            self._at_most_bytes = TERMINAL_BUF_BYTES if terminal else PIPE_BUF_BYTES


class OutputStream:
    """One stream of the command: read, captured, forwarded, shown to a listener."""

    __slots__ = ("_capture", "_on_output", "fd", "forwarding", "name")

    def __init__(
        self,
        name: Stream,
        fd: int,
        *,
        capture: Capture,
        forwarding: Forwarding | None,
        on_output: Callable[[Stream, bytes], None] | None,
    ) -> None:
        self.name = name
        self.fd: int | None = fd  # None: over
        self.forwarding = forwarding
        self._capture = capture
        self._on_output = on_output

    def also_tell(self, hear: Callable[[bytes], None]) -> None:
        """Every chunk, before anybody else hears of it."""
        told = self._on_output

        def both(name: Stream, data: bytes) -> None:
            hear(data)
            if told is not None:
                told(name, data)

        self._on_output = both

    @property
    def readable(self) -> bool:
        return self.fd is not None and not self.held_back

    @property
    def held_back(self) -> bool:
        """The caller's reader is slower than the command."""
        return self.fd is not None and self.forwarding is not None and self.forwarding.full

    @property
    def waiting(self) -> bool:
        return self.forwarding is not None and self.forwarding.waiting

    def read(self) -> None:
        """Takes what is there; never blocks after `poll` has reported the descriptor."""
        assert self.fd is not None
        try:
            data = os.read(self.fd, READ_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            if error.errno != EIO:
                raise
            data = b""  # how a terminal says that no process holds its other side, pty(7)
        if not data:
            self.stop_reading()
            return
        self._capture.add(self.name, data)
        if self.forwarding is not None:
            self.forwarding.send(data)
            self._notice_lost_reader()
        if self._on_output is not None:
            self._on_output(self.name, data)

    def flush(self) -> None:
        assert self.forwarding is not None
        self.forwarding.flush()
        self._notice_lost_reader()

    def stopped(self) -> ForwardingStopped | None:
        """What the caller should be told, if anything. A reader that leaves early is an everyday thing: `| head`."""
        forwarding = self.forwarding
        if forwarding is None or not forwarding.lost or forwarding.stopped == EPIPE:
            return None
        return ForwardingStopped(self.name, forwarding.stopped)

    def stop_reading(self) -> None:
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None

    def abandon(self) -> None:
        """Neither reads nor delivers any more."""
        self.stop_reading()
        if self.waiting and self.forwarding is not None:
            self.forwarding.stop(ETIMEDOUT)

    def close(self) -> None:
        self.stop_reading()
        if self.forwarding is not None:
            self.forwarding.close()

    def _notice_lost_reader(self) -> None:
        # Our reader has left, so the command's has: with no read end it gets the SIGPIPE it would have had without us.
        if self.forwarding is not None and self.forwarding.stopped == EPIPE:
            self.stop_reading()


def pipe() -> tuple[int, int]:
    """A pipe, both ends close-on-exec and clear of the standard descriptors."""
    read_end, write_end = os.pipe()
    return clear_of_standard(read_end), clear_of_standard(write_end)


def clear_of_standard(fd: int) -> int:
    """The same description under a number from 3 up.

    When the caller runs with stdin or stdout closed, the next descriptor gets its number; handed to a child as 0, 1
    or 2 it would stand in its own way.
    """
    if fd >= FIRST_FREE_DESCRIPTOR:
        return fd
    from fcntl import F_DUPFD_CLOEXEC, fcntl

    moved: int = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE_DESCRIPTOR)
    os.close(fd)
    return moved

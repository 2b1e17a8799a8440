"""The two ways a live command is connected: a terminal of its own, or empty input and a pipe. pty(7)

A terminal's master stays open as long as the command lives, because closing it hangs up. Both outputs of a command on a
pipe share the one pipe: what it wrote arrives in the order in which it wrote it.
"""

from __future__ import annotations

import os
import termios
from contextlib import suppress
from errno import EIO
from fcntl import F_SETPIPE_SZ, fcntl, ioctl
from select import POLLIN, poll
from struct import pack

from sandgate.errors import RequestError
from sandgate.execution.streams import clear_of_standard, pipe

ROWS, COLUMNS = 24, 80
CELLS_MAX = 4_096  # rows or columns; far beyond every screen, and what a reader of the size can still multiply
PIPE_BYTES = 1_048_576  # asked for; a busy pipe then needs fewer wake-ups, and a refusal does not matter
_OUTPUT_FIELD = 1  # of what tcgetattr returns


def check_size(rows: int, columns: int) -> None:
    """Raises RequestError for a size that no terminal has."""
    if not (0 < rows <= CELLS_MAX and 0 < columns <= CELLS_MAX):
        raise RequestError(f"`{rows}` x `{columns}` is no size", hint=f"rows and columns are 1 to {CELLS_MAX}")


class Line:
    """One connection: `ends` are the command's 0, 1 and 2, `fd` is ours."""

    __slots__ = ("_lent", "ends", "fd", "tty")

    def __init__(self, fd: int, ends: tuple[int, int, int], *, tty: bool) -> None:
        os.set_blocking(fd, False)
        self.fd = fd
        self.ends = ends
        self.tty = tty
        self._lent = set(ends)

    def close_lent(self) -> None:
        """Once the command has its own copies. May be repeated.

        The other side of a terminal is kept until `let_go`: a command that closes its terminal and opens it again
        would have hung up in between.
        """
        kept = self.ends[0] if self.tty else -1
        for fd in self._lent - {kept}:
            os.close(fd)
            self._lent.discard(fd)

    def let_go(self) -> None:
        """The command is over: when no other process holds the other side, that is the end. May be repeated."""
        while self._lent:
            os.close(self._lent.pop())

    def close(self) -> None:
        """Hangs up. May be repeated."""
        self.let_go()
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def read_into(self, buffer: bytearray) -> int:
        """How much of what is there was put at the start of `buffer`; 0 when no process can write any more, -1:
        nothing."""
        try:
            return os.readv(self.fd, (buffer,))
        except BlockingIOError:
            return -1
        except OSError as error:
            if error.errno != EIO:
                raise
            return 0  # how a terminal says that no process holds its other side

    def readable(self) -> bool:
        """There is something to read, or the end."""
        waiting = poll()
        waiting.register(self.fd, POLLIN)
        return bool(waiting.poll(0))

    def write(self, data: bytes | bytearray | memoryview) -> int:
        """How much of it was taken. OSError when no process is left to read it."""
        try:
            return os.write(self.fd, data)
        except BlockingIOError:
            return 0

    def resize(self, rows: int, columns: int) -> None:
        """Sets the terminal's size; the kernel tells its foreground programs."""
        ioctl(self.fd, termios.TIOCSWINSZ, pack("HHHH", rows, columns, 0, 0))


def open_line(*, rows: int, columns: int, post_processing: bool) -> Line:
    """A fresh terminal of this size. Without `post_processing` a line ends in `\\n` alone, and costs far less.

    OSError when the machine has no terminal, or we no descriptor, left.
    """
    check_size(rows, columns)
    master, slave = (clear_of_standard(fd) for fd in os.openpty())
    line = Line(master, (slave, slave, slave), tty=True)
    try:
        line.resize(rows, columns)
        if not post_processing:
            modes = termios.tcgetattr(slave)
            modes[_OUTPUT_FIELD] &= ~termios.OPOST
            termios.tcsetattr(slave, termios.TCSANOW, modes)
    except BaseException:
        line.close()
        raise
    return line


def open_pipe() -> Line:
    """Empty input, and one pipe for both outputs. OSError when we have no descriptor left."""
    read_end, write_end = pipe()
    try:
        empty = clear_of_standard(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
    except BaseException:
        os.close(read_end)
        os.close(write_end)
        raise
    with suppress(OSError):  # then it is as large as pipes are here
        fcntl(read_end, F_SETPIPE_SZ, PIPE_BYTES)
    return Line(read_end, (empty, write_end, write_end), tty=False)

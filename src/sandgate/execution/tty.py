"""Gives a command a terminal of its own, and puts ours out of the way.

The command talks to a fresh pair (pty(7)); our terminal, if there is one, is raw for that time, so that keys, Ctrl-C
included, reach the command's terminal, which gives them their meaning. Output comes back merged: a terminal has one
stream. Sizes follow ours. Every change to our terminal is undone on every way out.
"""

from __future__ import annotations

import os
import termios
from contextlib import suppress
from fcntl import ioctl
from select import POLLIN, POLLOUT, poll
from struct import pack, unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from signal import SIGWINCH
    from signal import signal as on_signal
    from typing import Any
else:
    from _signal import SIGWINCH
    from _signal import signal as on_signal

_SIZE = "HHHH"
DEFAULT_SIZE = pack(_SIZE, 24, 80, 0, 0)  # rows, columns, and pixels that are never filled in; struct winsize
TYPED_BYTES = 4_096  # the most a terminal's line discipline holds, termios(3)
END_OF_INPUT = b"\x04"  # VEOF: means it only at the start of a line; elsewhere the first one just ends the line
_LOCAL, _ECHO, _BY_LINE = 3, termios.ECHO, termios.ICANON


class TerminalModes:
    """Remembers how a terminal was set and puts it back: a killed `vim` or `sudo` cannot do it any more."""

    __slots__ = ("_before", "_fd")

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._before = termios.tcgetattr(fd)

    def restore(self) -> bool:
        """Does nothing when nothing changed: setting modes from the background would stop us, tcsetattr(3).

        False: the terminal went away, and nothing is left to put right.
        """
        try:
            if termios.tcgetattr(self._fd) != self._before:
                termios.tcsetattr(self._fd, termios.TCSANOW, self._before)
        except termios.error:
            return False
        return True

    def make_raw(self) -> None:
        """All keys arrive at once and mean nothing; not in a terminal that went away."""
        from tty import setraw

        with suppress(termios.error):
            setraw(self._fd, termios.TCSANOW)


class TerminalRelay:
    """A terminal for the command: `slave` to be given away, `master` to be read by the caller.

    The two belong to the caller. Until `close`, what arrives on `stdin` is typed into it.
    """

    __slots__ = (
        "_ended_line",
        "_is_lent",
        "_modes",
        "_resized_before",
        "_size_of",
        "_stdin",
        "_typed",
        "_writer",
        "master",
        "slave",
    )

    def __init__(self, *, stdin: int | None, stdout: int | None) -> None:
        # A number of its own: the caller's may also be what we write to, and `poll` reports numbers.
        self._stdin = None if stdin is None else os.dup(stdin)
        self._typed = b""
        self._ended_line = True
        self._modes: TerminalModes | None = None
        self._is_lent = False
        self._resized_before: Any = None
        ours = [fd for fd in (stdin, stdout) if fd is not None and os.isatty(fd)]
        self._size_of = ours[0] if ours else None
        self.master, self.slave = os.openpty()
        os.set_blocking(self.master, False)
        self._writer: int | None = os.dup(self.master)
        self.tell_size()
        if stdin is not None and os.isatty(stdin):
            self._modes = TerminalModes(stdin)
            self._modes.make_raw()
        else:
            _silence_echo(self.slave)
        self._follow_size()

    def interest(self) -> list[tuple[int, int]]:
        """Descriptors to poll, with their events."""
        wanted = []
        if self._stdin is not None and not self._typed:
            wanted.append((self._stdin, POLLIN))
        if self._writer is not None and self._typed:
            wanted.append((self._writer, POLLOUT))
        return wanted

    def handle(self, fd: int) -> None:
        """Moves what can be moved without waiting."""
        if fd == self._stdin:
            self._read(fd)
        elif fd == self._writer:
            self._type(fd)

    @property
    def reads_keys(self) -> bool:
        """Whether the command takes keys one by one, as what paints its lines itself does."""
        try:
            return self._writer is not None and not termios.tcgetattr(self._writer)[_LOCAL] & _BY_LINE
        except termios.error:
            return False

    def lend(self) -> bool:
        """Our terminal is as it was before, for a question. What was typed until now is the command's."""
        if self._stdin is not None and self._modes is not None:
            self._put_aside(self._stdin)
        self._is_lent = self._modes is None or self._modes.restore()
        return self._is_lent

    def take_back(self) -> None:
        """The question is over."""
        self._is_lent = False
        if self._modes is not None:
            self._modes.make_raw()

    def tell_size(self, *, smaller: bool = False) -> None:
        """The command's terminal is as large as ours; `smaller` by a row. While it is lent that has to wait."""
        if self._writer is None or self._is_lent:
            return
        try:
            size = DEFAULT_SIZE if self._size_of is None else ioctl(self._size_of, termios.TIOCGWINSZ, DEFAULT_SIZE)
            rows, *others = unpack(_SIZE, size)
            ioctl(self._writer, termios.TIOCSWINSZ, pack(_SIZE, rows - 1 if smaller and rows > 1 else rows, *others))
        except OSError:
            return  # one of the two went away

    def close(self) -> None:
        """Puts our terminal back."""
        if self._resized_before is not None:
            on_signal(SIGWINCH, self._resized_before)
            self._resized_before = None
        if self._modes is not None:
            self._modes.restore()
        self._stop_typing()
        if self._writer is not None:
            os.close(self._writer)
            self._writer = None

    def _read(self, fd: int) -> None:
        try:
            data = os.read(fd, TYPED_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""  # our terminal went away
        if data:
            self._ended_line = data.endswith(b"\n")
        else:
            self._stop_typing()
            data = END_OF_INPUT if self._ended_line else END_OF_INPUT * 2
        self._typed = data

    def _put_aside(self, fd: int) -> None:
        waiting = poll()
        waiting.register(fd, POLLIN)
        if len(self._typed) < TYPED_BYTES and any(found == POLLIN for _, found in waiting.poll(0)):
            typed, self._typed = self._typed, b""
            self._read(fd)
            self._typed = typed + self._typed

    def _type(self, fd: int) -> None:
        try:
            self._typed = self._typed[os.write(fd, self._typed) :]
        except BlockingIOError:
            return
        except OSError:
            self._typed = b""  # no process is left to read it
            self._stop_typing()

    def _stop_typing(self) -> None:
        if self._stdin is not None:
            os.close(self._stdin)
            self._stdin = None

    def _follow_size(self) -> None:
        if self._size_of is None:
            return
        try:
            self._resized_before = on_signal(SIGWINCH, lambda _number, _frame: self.tell_size())
        except ValueError:
            return  # not the main thread: the size stays what it was at the start


def _silence_echo(slave: int) -> None:
    """Input that no person types would otherwise show up in the output."""
    modes = termios.tcgetattr(slave)
    modes[_LOCAL] &= ~_ECHO
    termios.tcsetattr(slave, termios.TCSANOW, modes)

"""Gives a command a terminal of its own, and puts ours out of the way.

The command talks to a fresh pair (pty(7)); our terminal, if there is one, is raw for that time, so that keys, Ctrl-C
included, reach the command's terminal, which gives them their meaning. Output comes back merged: a terminal has one
stream. Sizes follow ours. Every change to our terminal is undone on every way out.
"""

from __future__ import annotations

import os
import termios
from fcntl import ioctl
from select import POLLIN, POLLOUT
from struct import pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from signal import SIGWINCH
    from signal import signal as on_signal
    from typing import Any
else:
    from _signal import SIGWINCH
    from _signal import signal as on_signal

DEFAULT_SIZE = pack("HHHH", 24, 80, 0, 0)  # rows, columns, and pixels that are never filled in; struct winsize
TYPED_BYTES = 4_096  # the most a terminal's line discipline holds, termios(3)
END_OF_INPUT = b"\x04"  # VEOF: means it only at the start of a line; elsewhere the first one just ends the line
_ECHO_FIELD, _ECHO = 3, termios.ECHO


class TerminalModes:
    """Remembers how a terminal was set and puts it back: a killed `vim` or `sudo` cannot do it any more."""

    __slots__ = ("_before", "_fd")

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._before = termios.tcgetattr(fd)

    def restore(self) -> None:
        """Does nothing when nothing changed: setting modes from the background would stop us, tcsetattr(3)."""
        try:
            if termios.tcgetattr(self._fd) != self._before:
                termios.tcsetattr(self._fd, termios.TCSANOW, self._before)
        except termios.error:
            return  # the terminal went away: nothing is left to put right


class TerminalRelay:
    """A terminal for the command: `slave` to be given away, `master` to be read by the caller.

    The two belong to the caller. Until `close`, what arrives on `stdin` is typed into it.
    """

    __slots__ = (
        "_ended_line",
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
        self._resized_before: Any = None
        ours = [fd for fd in (stdin, stdout) if fd is not None and os.isatty(fd)]
        self._size_of = ours[0] if ours else None
        self.master, self.slave = os.openpty()
        os.set_blocking(self.master, False)
        self._writer: int | None = os.dup(self.master)
        self._set_size()
        if stdin is not None and os.isatty(stdin):
            self._make_raw(stdin)
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

    def _make_raw(self, fd: int) -> None:
        from tty import setraw

        self._modes = TerminalModes(fd)
        setraw(fd, termios.TCSANOW)

    def _set_size(self) -> None:
        size = DEFAULT_SIZE if self._size_of is None else ioctl(self._size_of, termios.TIOCGWINSZ, DEFAULT_SIZE)
        if self._writer is not None:
            ioctl(self._writer, termios.TIOCSWINSZ, size)

    def _follow_size(self) -> None:
        if self._size_of is None:
            return
        try:
            self._resized_before = on_signal(SIGWINCH, lambda _number, _frame: self._set_size())
        except ValueError:
            return  # not the main thread: the size stays what it was at the start


def _silence_echo(slave: int) -> None:
    """Input that no person types would otherwise show up in the output."""
    modes = termios.tcgetattr(slave)
    modes[_ECHO_FIELD] &= ~_ECHO
    termios.tcsetattr(slave, termios.TCSANOW, modes)

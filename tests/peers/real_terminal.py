"""A program in a terminal of its own, as a person sees and uses it: a screen that is read, and keys that are typed."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

import pyte

ROWS, COLUMNS = 50, 140
SEEN_LIMIT_S = 20
"""For what is waited for on the screen."""

SETTLED_S, DRAWN_S = 0.3, 1.5
"""Without output, after which a screen counts as drawn; and at most, for what is animated."""

# What programs ask a terminal at their start, and what this one says: some wait for it before they show anything.
REPLIES = {
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b[c": b"\x1b[?62;c",
    b"\x1b[0c": b"\x1b[?62;c",
    b"\x1b[>0q": b"\x1bP>|pyte\x1b\\",
    b"\x1b[?u": b"\x1b[?0u",
    b"\x1b]10;?\x1b\\": b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\",
    b"\x1b]11;?\x1b\\": b"\x1b]11;rgb:0000/0000/0000\x1b\\",
    b"\x1b]10;?\x07": b"\x1b]10;rgb:ffff/ffff/ffff\x07",
    b"\x1b]11;?\x07": b"\x1b]11;rgb:0000/0000/0000\x07",
}

# Sequences that the emulator knows nothing of and stumbles over.
UNKNOWN = re.compile(rb"\x1b\[[<>=][0-9;]*[A-Za-z]|\x1b\[\?[0-9;]*[um]")
ENDED = re.compile(rb"\[[0-?]*[ -/]*[@-~]|[^\[\]P]|\].*(\x07|\x1b\\)", re.DOTALL)


class RealTerminal:
    """The running program, and what it shows."""

    def __init__(self, master: int, pid: int) -> None:
        self.master, self.pid = master, pid
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self._rest = b""  # a sequence of which only the beginning has come

    @property
    def shown(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display)

    def see(self, *wanted: str | Callable[[str], bool]) -> str:
        """Returns the screen as soon as it holds all of this and has settled."""
        end = time.monotonic() + SEEN_LIMIT_S
        while not all(_holds(self.shown, each) for each in wanted):
            assert self._take(end - time.monotonic()), f"{wanted} did not appear:\n{self.shown}"
        end = time.monotonic() + DRAWN_S
        while (left := end - time.monotonic()) > 0 and self._take(min(left, SETTLED_S)):
            continue
        return self.shown

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def _take(self, patience_s: float) -> bool:
        """Takes what comes next; False when nothing does."""
        if patience_s <= 0 or not select.select([self.master], [], [], patience_s)[0]:
            return False
        try:
            data = os.read(self.master, 65_536)
        except OSError:
            return False
        for asked, said in REPLIES.items():
            if asked in data:
                os.write(self.master, said)
        whole, begun, rest = (self._rest + data).rpartition(b"\x1b")
        complete = not begun or ENDED.match(rest)
        self._rest = b"" if complete else begun + rest
        self._stream.feed(UNKNOWN.sub(b"", whole + begun + rest if complete else whole))
        return bool(data)


def _holds(shown: str, wanted: str | Callable[[str], bool]) -> bool:
    return wanted in shown if isinstance(wanted, str) else wanted(shown)


@contextmanager
def terminal(command: Sequence[str], environ: Mapping[str, str], directory: str) -> Iterator[RealTerminal]:
    """The program, until the block ends; then its whole session is ended."""
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(directory)
        os.execve(command[0], list(command), {**environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"})
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    try:
        yield RealTerminal(master, pid)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(master)

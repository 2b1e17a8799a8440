"""Lends our terminal to a question while a command of `--tty` has a picture on it, and takes it back afterwards.

Before the question: what the command has printed is shown, what was typed for it is put aside, the first screen is
there, and the terminal behaves as it did before the command. Meanwhile nothing of the command is shown: its own
terminal holds what it prints, and makes it wait when that is full. Afterwards its modes and its second screen come
back, and it is told of another size and of the right one again, since programs that paint the whole screen paint anew
then alone. It is told so only when no call of it waits: a signal may interrupt one.
"""

from __future__ import annotations

from select import POLLIN, POLLOUT, poll
from time import monotonic_ns

from sandgate.execution.screen_modes import ScreenModes
from sandgate.protocol.commands import NS_PER_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.execution.streams import OutputStream
    from sandgate.execution.tty import TerminalRelay

SHOWN_LIMIT_MS = 1_000  # for a terminal to take what the command has printed before
READS_MAX = 4  # of what it has printed and nobody has read yet, 64 KiB each: one that prints for ever is cut off
SETTLE_MS = 50  # between the end of a question and the other size: the call is carried out meanwhile
REPAINT_MS = 200  # for the program to see the other size before it has the right one again


class LentTerminal:
    """Called with whether a question is to stand on it; False: it cannot be had."""

    __slots__ = ("_due_ns", "_is_lent", "_is_smaller", "_modes", "_relay", "_shown", "_was_lent")

    def __init__(self, relay: TerminalRelay, shown: OutputStream | None) -> None:
        """`shown`: what the terminal shows; None where the command's output goes elsewhere."""
        self._relay = relay
        self._shown = shown
        self._modes = ScreenModes()
        self._is_lent = self._was_lent = False
        self._due_ns = 0  # when the next size is told; 0: none is
        self._is_smaller = False
        if shown is not None:
            shown.also_tell(self._modes.show)

    def __call__(self, wanted: bool, /) -> bool:
        return self._lend() if wanted else self._take_back()

    def repaint(self, now_ns: int, *, waits: bool) -> None:
        """Tells the sizes when it is time. `waits`: a call of the command does, or is asked about."""
        if not self._due_ns or self._is_lent or waits or now_ns < self._due_ns:
            return
        paints = not self._is_smaller and (self._modes.is_alternate or self._relay.reads_keys)
        self._is_smaller = paints
        self._due_ns = now_ns + REPAINT_MS * NS_PER_MS if paints else 0
        self._relay.tell_size(smaller=paints)

    def wait_ms(self, limit_ms: int | None, *, waits: bool) -> int | None:
        """How long may be waited before `repaint` is due, `limit_ms` at most."""
        if not self._due_ns or self._is_lent or waits:
            return limit_ms
        left_ms = max(0, -(-(self._due_ns - monotonic_ns()) // NS_PER_MS))
        return left_ms if limit_ms is None else min(limit_ms, left_ms)

    def close(self) -> None:
        """What a command that was ended has left on the terminal is taken away."""
        if self._was_lent and self._modes.is_alternate:
            self._write(self._modes.undone())

    def _lend(self) -> bool:
        self._read_rest()
        if not self._is_flushed() or not self._relay.lend():
            return False
        self._write(self._modes.left())
        if not self._is_flushed():
            self._relay.take_back()
            return False
        self._is_lent = self._was_lent = True
        return True

    def _take_back(self) -> bool:
        if not self._is_lent:
            return True
        self._is_lent = False
        self._relay.take_back()
        self._write(self._modes.entered_again())
        self._due_ns = monotonic_ns() + SETTLE_MS * NS_PER_MS
        return True

    def _read_rest(self) -> None:
        for _ in range(READS_MAX):
            stream = self._shown
            if stream is None or stream.fd is None or not _is_ready(stream.fd, POLLIN, 0):
                return
            stream.read()

    def _write(self, data: bytes) -> None:
        if data and self._shown is not None and self._shown.forwarding is not None:
            self._shown.forwarding.send(data)

    def _is_flushed(self) -> bool:
        """Whether all that was to be shown is."""
        end_ns = monotonic_ns() + SHOWN_LIMIT_MS * NS_PER_MS
        while self._shown is not None and self._shown.waiting and self._shown.forwarding is not None:
            left_ms = (end_ns - monotonic_ns()) // NS_PER_MS
            if left_ms <= 0 or not _is_ready(self._shown.forwarding.fd, POLLOUT, left_ms):
                return False
            self._shown.flush()
        return True


def _is_ready(fd: int, event: int, limit_ms: int) -> bool:
    waiting = poll()
    waiting.register(fd, event)
    return any(found & event for _, found in waiting.poll(limit_ms))

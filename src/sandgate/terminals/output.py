"""What a live command printed: once for the caller who takes it piece by piece, once for all others.

The pending part is what no call has answered with yet; taking it empties it. The transcript is the whole life, and is
read by offset, so that readers never take anything from one another. Both keep head and tail in bounded memory and
count what lay between. The one who reads the command writes both, directly: nothing is lost on the way.
"""

from __future__ import annotations

import sys
from _thread import allocate_lock

from sandgate.execution.capture import HeadTail
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Listener = Callable[[bytes], None]


class Taken(Record):
    """The pending output: its beginning, its end, and how many bytes were between them and are not kept."""

    head: bytes = b""
    tail: bytes = b""
    omitted_bytes: int = 0

    @property
    def total_bytes(self) -> int:
        return len(self.head) + self.omitted_bytes + len(self.tail)

    def joined(self) -> bytes:
        """Everything kept, without a sign of the gap."""
        return self.head + self.tail


class OutputPiece(Record):
    """Part of the transcript. `end` is the offset to go on from."""

    data: bytes
    start: int  # the offset that was asked for
    end: int
    omitted_bytes: int = 0  # asked for and not kept: they lie before the part of `data` that is newest
    gap_at: int = 0  # where in `data` they are missing

    def offset_of(self, place: int) -> int:
        """The offset of what ends at `place` of `data`."""
        return self.start + place + (self.omitted_bytes if place > self.gap_at else 0)


class Output:
    """Both parts. `add` belongs to one thread, everything else to all."""

    __slots__ = ("_guard", "_head_bytes", "_pending", "_transcript", "listeners")

    def __init__(self, *, pending_bytes: int, transcript_bytes: int) -> None:
        self._guard = allocate_lock()
        self._pending = HeadTail(pending_bytes)
        self._transcript = HeadTail(transcript_bytes)
        self._head_bytes = transcript_bytes // 2  # of the transcript: as HeadTail divides it
        self.listeners: tuple[Listener, ...] = ()  # are told each piece as it was read, on the reading thread

    @property
    def total_bytes(self) -> int:
        """Everything the command ever printed."""
        return self._transcript.total_bytes

    @property
    def omitted_bytes(self) -> int:
        """How much of that the transcript does not keep."""
        return self._transcript.omitted_bytes

    @property
    def pending_bytes(self) -> int:
        """How much was printed and not taken."""
        return self._pending.total_bytes

    @property
    def taken_bytes(self) -> int:
        """How much was printed and taken: the offset at which the pending output begins."""
        with self._guard:
            return self._transcript.total_bytes - self._pending.total_bytes

    def add(self, data: bytes | memoryview) -> None:
        """Keeps a copy; `data` may change afterwards."""
        with self._guard:
            self._pending.add(data)
            self._transcript.add(data)
        if self.listeners:
            piece = bytes(data)
            for listener in self.listeners:
                self._tell(listener, piece)

    def _tell(self, listener: Listener, piece: bytes) -> None:
        try:
            listener(piece)
        except BaseException:  # a listener's mistake must not stop the reading; it is told once, and nothing more
            self.listeners = tuple(each for each in self.listeners if each is not listener)
            sys.excepthook(*sys.exc_info())

    def take(self, *, whole_characters: bool = False) -> Taken:
        """The pending output, which is none afterwards; but for the beginning of a last character, if so wanted."""
        with self._guard:
            head, tail, omitted = self._pending.drain()
            # Head and tail may meet inside a character; behind a gap they do not meet.
            end = tail[-3:] if omitted else head[-3:] + tail[-3:]
            begun = unfinished(end) if whole_characters else b""
            if begun:
                self._pending.add(begun)
                head = head[: len(head) - max(0, len(begun) - len(tail))]
                tail = tail[: max(0, len(tail) - len(begun))]
            return Taken(head, tail, omitted)

    def read(self, offset: int) -> OutputPiece:
        """Everything from `offset` on that is kept. An offset beyond the end is the end."""
        with self._guard:
            total = self._transcript.total_bytes
            start = min(max(offset, 0), total)
            data, omitted = self._transcript.since(start)
        return OutputPiece(data, start, total, omitted, max(0, self._head_bytes - start) if omitted else 0)

    def transcript(self) -> bytes:
        """The whole life, as far as it is kept, without a sign of the gap; see `omitted_bytes`."""
        with self._guard:
            return self._transcript.kept()


def unfinished(data: bytes) -> bytes:
    """The bytes at the end that begin a character of UTF-8 and do not complete it; three at most."""
    for length in range(1, min(3, len(data)) + 1):
        byte = data[-length]
        if byte >= 0xC0:
            needed = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return data[-length:] if length < needed and byte < 0xF8 else b""
        if byte < 0x80:
            return b""
    return b""

"""Keeps what a reader needs of a command's output, in bounded memory.

The start of a log says what was attempted, the end says how it went; the middle is what a reader can spare, and
what was spared is counted. Each stream has its own head and tail; beside them the order of arrival of both streams
is kept for as long as everything fits. Decoding is the caller's business: a cut may fall inside a character.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Stream = Literal["stdout", "stderr"]

CAPTURE_BYTES = 1024 * 1024  # kept of each stream, and of both together


class HeadTail:
    """The first and the last half of `capacity_bytes`, and how much lay between them.

    The head never changes once it is full. The tail is a ring: a program that writes byte by byte costs no more than
    one that writes in blocks.
    """

    __slots__ = ("_capacity_bytes", "_head", "_head_bytes", "_next", "_tail", "_tail_bytes", "total_bytes")

    def __init__(self, capacity_bytes: int) -> None:
        self._capacity_bytes = capacity_bytes
        self._head_bytes = capacity_bytes // 2
        self._tail_bytes = capacity_bytes - self._head_bytes
        self._head = bytearray()
        self._tail = bytearray()
        self._next = 0  # where the full ring is written next: its oldest byte
        self.total_bytes = 0  # everything that was ever added

    def add(self, data: bytes | memoryview) -> None:
        self.total_bytes += len(data)
        if not self._capacity_bytes:
            return
        room = self._head_bytes - len(self._head)
        if room > 0:
            self._head += data[:room]
            if len(data) <= room:
                return
            data = data[room:]
        size, free = len(data), self._tail_bytes - len(self._tail)
        if size <= free:
            self._tail += data
        elif size >= self._tail_bytes:
            self._tail, self._next = bytearray(data[size - self._tail_bytes :]), 0
        else:
            self._tail += data[:free]
            self._overwrite(data[free:])

    def _overwrite(self, data: bytes | memoryview) -> None:
        tail, at = self._tail, self._next
        end = at + len(data)
        if end <= self._tail_bytes:
            tail[at:end] = data
        else:
            before = self._tail_bytes - at
            tail[at:] = data[:before]
            tail[: end - self._tail_bytes] = data[before:]
        self._next = end % self._tail_bytes

    def kept(self) -> bytes:
        """Head and tail, one after the other."""
        tail = memoryview(self._tail)
        return b"".join((self._head, tail[self._next :], tail[: self._next]))

    def ends(self) -> tuple[bytes, bytes]:
        """Head and tail; `omitted_bytes` lay between them."""
        return bytes(self._head), self._tail_from(0)

    def since(self, offset: int) -> tuple[bytes, int]:
        """What was added from `offset` on, as far as it is kept, and how many bytes of that are not."""
        tail_start = self.total_bytes - len(self._tail)
        if offset >= tail_start:
            return self._tail_from(offset - tail_start), 0
        head = bytes(self._head[offset:])
        return head + self._tail_from(0), tail_start - offset - len(head)

    def drain(self) -> tuple[bytes, bytes, int]:
        """Head, tail and how much lay between them; afterwards it is as new."""
        head, tail = self.ends()
        omitted = self.omitted_bytes
        self._head, self._tail, self._next, self.total_bytes = bytearray(), bytearray(), 0, 0
        return head, tail, omitted

    def _tail_from(self, position: int) -> bytes:
        """The tail without its `position` oldest bytes."""
        at = self._next + position
        if at < len(self._tail):
            return bytes(self._tail[at:] + self._tail[: self._next])
        return bytes(self._tail[at - len(self._tail) : self._next])

    @property
    def omitted_bytes(self) -> int:
        return max(0, self.total_bytes - self._capacity_bytes)


class Capture:
    """Both streams of one command, apart and together."""

    __slots__ = ("_arrived", "_capacity_bytes", "stderr", "stdout")

    def __init__(self, capacity_bytes: int = CAPTURE_BYTES) -> None:
        self._capacity_bytes = capacity_bytes
        self.stdout = HeadTail(capacity_bytes)
        self.stderr = HeadTail(capacity_bytes)
        self._arrived: bytearray | None = bytearray()  # None: it did not fit

    def add(self, stream: Stream, data: bytes) -> None:
        (self.stdout if stream == "stdout" else self.stderr).add(data)
        if self._arrived is None:
            return
        if len(self._arrived) + len(data) <= self._capacity_bytes:
            self._arrived += data
        else:
            self._arrived = None

    def aggregated(self) -> bytes:
        """Both streams in order of arrival; over the cap, stdout's share followed by stderr's."""
        if self._arrived is not None:
            return bytes(self._arrived)
        out, err = self.stdout.kept(), self.stderr.kept()
        out_bytes, err_bytes = shares(len(out), len(err), self._capacity_bytes)
        return _ends(out, out_bytes) + _ends(err, err_bytes)


def shares(out_bytes: int, err_bytes: int, capacity_bytes: int) -> tuple[int, int]:
    """Stdout is sure of a third, stderr of two thirds; the one that is short leaves its room to the other."""
    out = min(out_bytes, capacity_bytes // 3)
    err = min(err_bytes, capacity_bytes - out)
    out += min(capacity_bytes - out - err, out_bytes - out)
    return out, err


def _ends(data: bytes, size: int) -> bytes:
    """The first and last bytes of `data`, `size` in all."""
    if len(data) <= size:
        return data
    head = size // 2
    return data[:head] + data[len(data) - (size - head) :]

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

CAPTURE_BYTES = 1024 * 1024  # kept of each stream, and of both together; exec.md section 4


class HeadTail:
    """The first and the last half of `capacity_bytes`, and how much lay between them."""

    __slots__ = ("_capacity_bytes", "_head", "_head_bytes", "_tail", "_tail_bytes", "_total_bytes")

    def __init__(self, capacity_bytes: int) -> None:
        self._capacity_bytes = capacity_bytes
        self._head_bytes = capacity_bytes // 2
        self._tail_bytes = capacity_bytes - self._head_bytes
        self._head = bytearray()
        self._tail = bytearray()
        self._total_bytes = 0

    def add(self, data: bytes) -> None:
        self._total_bytes += len(data)
        room = self._head_bytes - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        # Trimmed only when it has doubled: dropping the front of a buffer moves what stays.
        if len(self._tail) > 2 * self._tail_bytes:
            del self._tail[: len(self._tail) - self._tail_bytes]

    def kept(self) -> bytes:
        excess = max(0, len(self._tail) - self._tail_bytes)
        return bytes(self._head) + bytes(self._tail[excess:])

    @property
    def omitted_bytes(self) -> int:
        return max(0, self._total_bytes - self._capacity_bytes)


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

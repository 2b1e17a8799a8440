"""Lines out of a stream of bytes, with a limit on what is kept of an unfinished one.

A client can send a line that never ends. Once a line is longer than the limit, what was kept of it is let go, its rest
is skipped as it comes, and the line after it counts again.
"""

from __future__ import annotations


class Lines:
    """The lines of one stream, in order. None stands for a line longer than `limit_bytes`, as soon as that is known."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._kept = bytearray()
        self._skipping = False

    def fed(self, chunk: bytes) -> list[bytes | None]:
        """What `chunk` completes, without the line ends."""
        lines: list[bytes | None] = []
        *ends, rest = chunk.split(b"\n")
        for piece in ends:
            self._keep(piece, lines)
            if not self._skipping:
                lines.append(bytes(self._kept))
            self._kept = bytearray()
            self._skipping = False
        self._keep(rest, lines)
        return lines

    def rest(self) -> bytes:
        """What came after the last line end; empty when that line was too long."""
        return bytes(self._kept)

    def _keep(self, piece: bytes, lines: list[bytes | None]) -> None:
        if self._skipping:
            return
        if len(self._kept) + len(piece) > self._limit_bytes:
            self._kept = bytearray()
            self._skipping = True
            lines.append(None)
        else:
            self._kept += piece

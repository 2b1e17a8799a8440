"""Cuts a stream of output into pieces for events, so that no character is torn apart.

Pieces are at most `max_bytes` long and each is whole UTF-8 by itself. A character whose end has not arrived yet is held
back, three bytes at most, until it does or the stream ends. A byte that is no UTF-8 at all is a piece of its own: the
one kind of piece that a reader has to expect and replace.
"""

from __future__ import annotations

DELTA_BYTES_MAX = 8_192  # one event's output


class Splitter:
    """Holds back at most three bytes between calls. ValueError when `max_bytes` has no room for a character."""

    __slots__ = ("_held", "_max_bytes")

    def __init__(self, max_bytes: int = DELTA_BYTES_MAX) -> None:
        if max_bytes < 1:
            raise ValueError("a piece has at least one byte")
        self._max_bytes = max_bytes
        self._held = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Pieces that are ready; joined, with those of `flush`, they are everything that was fed."""
        return self._pieces(self._held + data, final=False)

    def flush(self) -> list[bytes]:
        """What was held back, when nothing follows any more."""
        return self._pieces(self._held, final=True)

    def _pieces(self, data: bytes, *, final: bool) -> list[bytes]:
        pieces: list[bytes] = []
        start = 0
        while start < len(data):
            window = data[start : start + self._max_bytes]
            length, waiting = _whole(window)
            at_end = start + len(window) == len(data)
            if not length and waiting and at_end and not final:
                break  # the rest of this character may still come
            piece = window[: length or 1]
            pieces.append(piece)
            start += len(piece)
        self._held = data[start:]
        return pieces


def _whole(window: bytes) -> tuple[int, bool]:
    """How many bytes from the start are whole characters, and whether an unfinished one follows them."""
    try:
        window.decode()
    except UnicodeDecodeError as problem:
        return problem.start, problem.reason == "unexpected end of data"
    return len(window), False

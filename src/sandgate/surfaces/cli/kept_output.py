"""What a command printed, as far as one item of the event stream holds it: its first and last bytes.

The start of a log says what was attempted, the end says how it went. Memory stays under `OUTPUT_BYTES_MAX` however
much is printed; what is missing is counted and said where it was.
"""

from __future__ import annotations

OUTPUT_BYTES_MAX = 1 << 20  # the mark comes on top
_HEAD_BYTES = OUTPUT_BYTES_MAX // 2
_TAIL_BYTES = OUTPUT_BYTES_MAX - _HEAD_BYTES
MARK = "\n... {count} bytes omitted ...\n"


class KeptOutput:
    """Takes pieces in order of arrival; a piece may end within a character."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._omitted = 0

    def add(self, piece: bytes) -> None:
        """One more piece."""
        room = _HEAD_BYTES - len(self._head)
        if room > 0:
            self._head += piece[:room]
            piece = piece[room:]
        self._tail += piece
        if len(self._tail) > 2 * _TAIL_BYTES:  # seldom, so that small pieces do not move it all each time
            self._trim()

    def text(self) -> str:
        """All of it, or its two ends around the mark."""
        self._trim()
        head, tail = self._head.decode("utf-8", "replace"), self._tail.decode("utf-8", "replace")
        if self._omitted:
            return head + MARK.format(count=self._omitted) + tail
        return (self._head + self._tail).decode("utf-8", "replace")

    def _trim(self) -> None:
        over = len(self._tail) - _TAIL_BYTES
        if over > 0:
            del self._tail[:over]
            self._omitted += over


def kept(text: str) -> str:
    """A whole output, cut as if it had arrived in pieces."""
    if len(text) <= OUTPUT_BYTES_MAX // 4:  # no character takes more than four bytes
        return text
    output = KeptOutput()
    output.add(text.encode("utf-8", "backslashreplace"))
    return output.text()

"""Cuts a stream of server-sent events into the data of each event, wherever the network has cut it before.

The format is the WHATWG's (HTML, "Server-sent events"), of which only `data` fields matter here. A piece may end
inside a character, between the two halves of a line end, or anywhere else.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

EVENT_BYTES_MAX = (
    16 * 1024 * 1024
)  # of one event; the last of an answer may repeat all of it, pictures and thoughts too


class EventTooLong(Exception):
    """One event has more than `EVENT_BYTES_MAX`."""


class EventCutter:
    """Feed it pieces; it gives the data of the events that are complete."""

    def __init__(self) -> None:
        self._line = bytearray()  # begun and not yet ended
        self._data: list[bytes] = []
        self._held = 0  # bytes in `_data`
        self._after_return = False  # the last piece ended with a carriage return, which a line feed may follow

    def feed(self, piece: bytes) -> Iterator[str]:
        """The events that this piece completes. Raises EventTooLong."""
        if not piece:
            return
        if self._after_return:
            piece = piece.removeprefix(b"\n")
        self._after_return = piece.endswith(b"\r")
        for line in piece.splitlines(keepends=True):
            content = line.rstrip(b"\r\n")
            self._line += content
            if self._held + len(self._line) > EVENT_BYTES_MAX:
                raise EventTooLong
            if len(content) < len(line):
                yield from self._line_ended()

    def end(self) -> Iterator[str]:
        """The last event, when the stream ended without the blank line that should follow it."""
        yield from self._line_ended()
        yield from self._line_ended()

    def _line_ended(self) -> Iterator[str]:
        line, self._line = bytes(self._line), bytearray()
        if line:
            name, _, value = line.partition(b":")
            if name == b"data":
                self._data.append(value.removeprefix(b" "))
                self._held += len(value) + 1
            return
        data, self._data, self._held = self._data, [], 0
        if data:
            yield b"\n".join(data).decode("utf-8", "replace")

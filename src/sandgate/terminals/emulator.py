"""A terminal played by `pyte`, with what pyte lacks: a second screen, and an end to what costs much or raises.

The only module that imports pyte, which is optional; so nothing but the making of a picture may import this one.
"""

from __future__ import annotations

from unicodedata import combining

import pyte

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ALTERNATES = (47, 1047, 1049)  # private modes that switch to the second screen
CELL_CHARS_MAX = 8  # a letter and its accents; more of them take time that grows with their square

_IGNORED = (3, 5)  # 132 columns: the size is not the program's to set; everything reversed: costly, and not text


class Painted(pyte.Screen):
    """pyte's screen with a second one, and with erasing that costs what there is to erase."""

    _first: Any = None

    @property
    def is_alternate(self) -> bool:
        return self._first is not None

    def reset(self) -> None:
        self._first = None
        super().reset()

    def set_mode(self, *modes: int, **options: Any) -> None:
        if options.get("private"):
            if self._first is None and any(mode in ALTERNATES for mode in modes):
                self._first = (dict(self.buffer), self.cursor.x, self.cursor.y)
                self.buffer.clear()
            modes = tuple(mode for mode in modes if mode not in _IGNORED)
        super().set_mode(*modes, **options)

    def reset_mode(self, *modes: int, **options: Any) -> None:
        if options.get("private"):
            if self._first is not None and any(mode in ALTERNATES for mode in modes):
                self.buffer.clear()
                first, column, row = self._first
                self.buffer.update(first)
                self.cursor.x, self.cursor.y = min(column, self.columns - 1), min(row, self.lines - 1)
                self._first = None
            modes = tuple(mode for mode in modes if mode not in _IGNORED)
        super().reset_mode(*modes, **options)

    def draw(self, data: str) -> None:
        if data.isascii():
            super().draw(data)
            return
        for char in data:  # one by one: pyte drops the rest of a text behind a character without width
            if not (combining(char) and self._is_crowded()):
                super().draw(char)

    def erase_in_display(self, how: int = 0, *_arguments: Any, **_options: Any) -> None:
        at = self.cursor.y
        for row in list(self.buffer):
            if how in (2, 3) or (how == 0 and row > at) or (how == 1 and row < at):
                del self.buffer[row]
        self.erase_in_line(how)

    def alignment_display(self) -> None:
        """Does not fill the screen with E: for adjusting a tube, and costly."""

    def erase_in_line(self, how: int = 0, private: bool = False) -> None:  # noqa: ARG002 # the signature is pyte's
        line, at = self.buffer[self.cursor.y], self.cursor.x
        for column in list(line):
            if how == 2 or (how == 0 and column >= at) or (how == 1 and column <= at):
                del line[column]

    def _is_crowded(self) -> bool:
        row, column = self.cursor.y, self.cursor.x
        if not column:
            row, column = row - 1, self.columns
        return len(self.buffer[row][column - 1].data) >= CELL_CHARS_MAX


class Emulator(pyte.ByteStream):
    """Plays bytes on a screen; a sequence that pyte cannot take is left out."""

    def __init__(self, columns: int, rows: int) -> None:
        self.screen = Painted(columns, rows)
        super().__init__(self.screen)

    def _send_to_parser(self, data: str) -> Any:
        try:
            return super()._send_to_parser(data)
        except Exception:  # of any kind: the parser has begun anew, as a terminal does after nonsense
            return self._taking_plain_text

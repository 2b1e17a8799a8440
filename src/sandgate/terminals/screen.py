"""Shows what a terminal's screen looks like, for programs that paint it: editors, pagers, monitors.

`pyte` plays the terminal. It is optional, imported by the first picture, and kept on a short lead: output is only
collected until a caller asks for a picture, and then at most its last `RENDER_BYTES_MAX` bytes are played, for at most
`RENDER_MS_MAX`. A screen is mostly repainted as a whole, so an early picture lost is soon made good. `emulator.py`
adds what pyte lacks.
"""

from __future__ import annotations

from time import monotonic_ns

from sandgate.errors import RequestError, SandgateError
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.terminals.emulator import Emulator

ROWS_MAX, COLUMNS_MAX = 300, 500
RENDER_BYTES_MAX = 65_536  # of output that one picture is made from
RENDER_MS_MAX = 1_000  # of making one picture; then it is made from the last `HURRIED_BYTES` alone
HURRIED_BYTES = 8_192
TITLE_CHARS_MAX = 200

_SLICE_BYTES = 1_024  # played between two looks at the clock
_NS_PER_MS = 1_000_000
_ALTERNATES = (47, 1047, 1049)  # private modes that switch to the second screen, as in emulator.py
_TO_ALTERNATE = tuple(b"\x1b[?%dh" % mode for mode in _ALTERNATES)
_FROM_ALTERNATE = tuple(b"\x1b[?%dl" % mode for mode in _ALTERNATES)


class Screen(Record):
    """A picture. Rows and columns count from 0; a double-width character takes two columns and is one in its line."""

    lines: tuple[str, ...]  # one for each row, without the spaces at its end
    row: int
    column: int
    cursor_visible: bool
    alternate: bool  # the second screen, which full-screen programs paint on and leave when they end
    title: str
    whole: bool  # False when it was made from the end of the output only


class ScreenView:
    """A terminal's screen over time. RequestError for an impossible size; SandgateError without pyte, when asked."""

    def __init__(self, *, rows: int, columns: int) -> None:
        _check(rows, columns)
        self._rows, self._columns = rows, columns
        self._pending = bytearray()
        self._emulator: Any = None
        self._whole = True
        self._alternate = False  # before what is pending, where no emulator knows

    def feed(self, data: bytes) -> None:
        """Takes note of output; costs no more than a copy."""
        self._pending += data
        if len(self._pending) > 2 * RENDER_BYTES_MAX:
            self._forget(RENDER_BYTES_MAX)

    def resize(self, *, rows: int, columns: int) -> None:
        """What came before is shown as it was, then cut or given room, as a terminal does."""
        _check(rows, columns)
        if self._pending or self._emulator is not None:
            self._play()
            self._emulator.screen.resize(rows, columns)
        self._rows, self._columns = rows, columns

    def screen(self) -> Screen:
        self._play()
        shown = self._emulator.screen
        return Screen(
            lines=tuple(_text(shown.buffer[row], shown.columns) for row in range(shown.lines)),
            row=shown.cursor.y,
            column=min(shown.cursor.x, shown.columns - 1),
            cursor_visible=not shown.cursor.hidden,
            alternate=shown.is_alternate,
            title=shown.title[:TITLE_CHARS_MAX],
            whole=self._whole,
        )

    def _play(self) -> None:
        """Brings the emulator up to date, or makes a new one from the end of the output."""
        if len(self._pending) > RENDER_BYTES_MAX:
            self._forget(RENDER_BYTES_MAX)
        if not self._played():
            self._forget(HURRIED_BYTES)
            self._played(hurried=True)
        self._pending.clear()

    def _played(self, *, hurried: bool = False) -> bool:
        """False when the time is over; what is pending is then still there."""
        if self._emulator is None:
            self._emulator = _emulator(self._columns, self._rows)
            if self._alternate:
                self._emulator.feed(_TO_ALTERNATE[-1])
        deadline = monotonic_ns() + RENDER_MS_MAX * _NS_PER_MS
        for start in range(0, len(self._pending), _SLICE_BYTES):
            if monotonic_ns() > deadline and not hurried:
                return False
            self._emulator.feed(bytes(self._pending[start : start + _SLICE_BYTES]))
        return True

    def _forget(self, keep: int) -> None:
        """Drops all but the last bytes, but not the knowledge on which screen they were painted."""
        cut = max(len(self._pending) - keep, 0)
        if self._emulator is not None:
            self._alternate = self._emulator.screen.is_alternate
        dropped = bytes(self._pending[:cut])
        entered = max(map(dropped.rfind, _TO_ALTERNATE))
        left = max(map(dropped.rfind, _FROM_ALTERNATE))
        if entered != left:
            self._alternate = entered > left
        # A sequence or a character may be cut: what is left of it ends with the line, or where the next one begins.
        rest = bytes(self._pending[cut:])
        ends = [end for end in (rest.find(b"\n"), rest.find(b"\x1b")) if end >= 0]
        self._pending = bytearray(rest[min(ends, default=0) :])
        self._emulator = None
        self._whole = False


def screen_after(data: bytes, *, rows: int, columns: int) -> Screen:
    """The picture after `data`, on a terminal of that size."""
    view = ScreenView(rows=rows, columns=columns)
    view.feed(data)
    return view.screen()


def _check(rows: int, columns: int) -> None:
    if not (0 < rows <= ROWS_MAX and 0 < columns <= COLUMNS_MAX):
        raise RequestError(
            f"a terminal cannot have {rows} rows and {columns} columns",
            why=f"at most {ROWS_MAX} rows and {COLUMNS_MAX} columns are shown",
        )


def _text(cells: Any, columns: int) -> str:
    # The cell behind a double-width character is empty; one whose character was painted over shows nothing.
    return "".join(cells[column].data for column in range(columns) if column in cells or cells.default.data).rstrip()


def _emulator(columns: int, rows: int) -> Emulator:
    try:
        from sandgate.terminals.emulator import Emulator
    except ImportError as problem:
        raise SandgateError(
            "cannot show the screen",
            why="the package `pyte`, which plays the terminal, is not installed",
            hint="pip install 'sandgate[screen]', or ask for plain output",
        ) from problem
    return Emulator(columns, rows)

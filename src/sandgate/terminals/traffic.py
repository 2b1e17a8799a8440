"""Moves the bytes of one live command: what it prints into its output, what is typed towards it.

The pump does it as things become possible. A blocking caller who waits for the next output may read it himself for
that time (`direct_reading.py`); no other thread reads then. What a terminal does not take yet is kept, within a limit.
"""

from __future__ import annotations

from _thread import allocate_lock
from select import EPOLLIN, EPOLLOUT
from time import monotonic

from sandgate.errors import InputNotTaken
from sandgate.terminals.direct_reading import Seat
from sandgate.terminals.pump import READ_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.kernel.foreground import Foreground
    from sandgate.terminals.changes import Changes
    from sandgate.terminals.lines import Line
    from sandgate.terminals.output import Output
    from sandgate.terminals.pump import Pump

READS_PER_TURN = 16  # of one command, before the others have theirs; measured in bench/
FULL_BYTES = 2_048  # a smaller read has emptied a terminal, nearly always; the rest is reported again
READ_HERE_S = 1.0  # a caller reads by himself, before he looks around
KEEP_S = 0.003  # the pump leaves the reading to callers who come back so soon; two threads would hinder each other
UNWRITTEN_BYTES_MAX = 1_048_576  # typed and not taken by the terminal yet
NOT_WRITTEN = "failed to write to stdin"
TOO_MUCH = (
    f"the command does not read its input as fast as it is typed, and {UNWRITTEN_BYTES_MAX} bytes may wait for it"
)


class Traffic:
    """One line and both directions. `closed`: no process can print any more, or none listens."""

    def __init__(self, line: Line, pump: Pump, output: Output, changes: Changes) -> None:
        self.closed = False
        self._line = line
        self._pump = pump
        self._output = output
        self._changes = changes
        self._guard = allocate_lock()
        self._reading = allocate_lock()
        self._taking = False
        self._kept = False  # for callers who read by themselves; the pump will ask whether they still do
        self._left_s = 0.0  # when the last of them left
        self._seat: Seat | None = None  # for callers who read by themselves, from the first one on
        self._interest = EPOLLIN  # what the pump watches the command's output for
        self._unwritten = bytearray()

    @property
    def unwritten_bytes(self) -> int:
        return len(self._unwritten)

    @property
    def has_unread(self) -> bool:
        """Something was printed that is not in the output yet."""
        with self._guard:
            # In this order: what is not there any more is being taken, or has been.
            return self._line.fd >= 0 and (self._line.readable() or self._taking)

    def write(self, data: bytes) -> None:
        """Types `data`; returns at once. Raises InputNotTaken when no process takes it."""
        with self._guard:
            if self._line.fd < 0:
                raise InputNotTaken(NOT_WRITTEN, why="the command is over")
            if len(self._unwritten) + len(data) > UNWRITTEN_BYTES_MAX:
                raise InputNotTaken(
                    NOT_WRITTEN, why=TOO_MUCH, hint="wait until it reads, write less at once, or interrupt it"
                )
            if not self._unwritten:
                data = data[self._written(data) :]
            if data:
                self._unwritten += data
                self._pump.change(self._line.fd, self._interest | EPOLLOUT)

    def resize(self, rows: int, columns: int) -> bool:
        """False when there is nothing left to resize."""
        with self._guard:
            if self._line.fd >= 0:
                self._line.resize(rows, columns)
            return self._line.fd >= 0

    def look(self) -> Foreground | None:
        """Who uses the terminal; None without one, and when that cannot be told."""
        from termios import error as TerminalGone  # noqa: N812  it is an exception of another module's making

        from sandgate.kernel.foreground import look

        with self._guard:  # the descriptor must not become another file's meanwhile
            if not self._line.tty or self._line.fd < 0:
                return None
            try:
                return look(self._line.fd)
            except (OSError, TerminalGone):
                return None

    def ready(self, events: int) -> None:
        """The pump's call: something can be moved."""
        if events & EPOLLOUT:
            self._write_on()
        if events & ~EPOLLOUT and self._reading.acquire(blocking=False):
            try:
                self._read_on(self._pump.buffer)
            finally:
                self._reading.release()

    def read_here(self, seen: int, timeout_s: float) -> bool:
        """A blocking caller's wait: he reads the next output himself. False: the pump has to do it."""
        if self.closed or not self._reading.acquire(blocking=False):
            return False
        try:
            if self.closed or self._line.fd < 0:
                return False
            if self._interest:
                self._attend_to(0)
            seat = self._seat = self._seat or Seat(self._line.fd)
            if seat.wait(self._changes, seen, min(timeout_s, READ_HERE_S)):
                self._read_on(seat.buffer)
        finally:
            self._left_s = monotonic()
            self._reading.release()
            self._keep()
        return True

    def let_go(self) -> None:
        """The command is over; see `Line.let_go`."""
        with self._guard:
            self._line.let_go()

    def end(self) -> None:
        """Takes what is still on its way, and hangs up. A caller that reads here must have been told to leave."""
        with self._reading:
            if not self.closed:
                self._pump.forget(self._line.fd)
                self._read_the_rest()
            self._seat = None
        with self._guard:
            self._line.close()
            self._unwritten.clear()

    def _read_on(self, buffer: bytearray) -> None:
        """Takes what is there, through `buffer`. With `_reading` held."""
        if self.closed:
            return
        self._taking = True
        try:
            size = self._take(buffer)
        finally:
            self._taking = False
        if size == 0:
            self._pump.forget(self._line.fd)
            self.closed = True
        self._changes.happened()

    def _take(self, buffer: bytearray) -> int:
        size = -1
        with memoryview(buffer) as view:
            for _ in range(READS_PER_TURN):
                size = self._line.read_into(buffer)
                if size > 0:
                    self._output.add(view[:size])
                if size < FULL_BYTES:
                    break
        return size

    def _read_the_rest(self) -> None:
        self.closed = True
        buffer = bytearray(READ_BYTES)
        for _ in range(READS_PER_TURN):
            size = self._line.read_into(buffer)
            if size <= 0:
                return
            self._output.add(memoryview(buffer)[:size])

    def _keep(self) -> None:
        """Leaves the reading to callers for a moment more. Without `_reading`, so that `_give_back` gets it."""
        with self._guard:
            if self._kept or self._interest or self.closed:
                return
            self._kept = True
            self._pump.at(self._left_s + KEEP_S, self._give_back)

    def _give_back(self) -> None:
        """The pump's call: it reads again, unless callers still do."""
        with self._guard:
            self._kept = False
        if not self._reading.acquire(blocking=False):
            return  # the caller that reads now keeps it, when it leaves
        try:
            is_left = monotonic() - self._left_s >= KEEP_S
            if is_left and not self.closed:
                self._attend_to(EPOLLIN)
        finally:
            self._reading.release()
        if not is_left:
            self._keep()

    def _attend_to(self, reading: int) -> None:
        """Has the pump watch for what there is to do; `reading` is 0 while a caller reads."""
        with self._guard:
            self._interest = reading
            self._pump.change(self._line.fd, reading | (EPOLLOUT if self._unwritten else 0))

    def _write_on(self) -> None:
        with self._guard:
            written = self._written(self._unwritten)
            del self._unwritten[:written]
            if not self._unwritten:
                self._pump.change(self._line.fd, self._interest)

    def _written(self, data: bytes | bytearray) -> int:
        try:
            return self._line.write(data)
        except OSError:
            return len(data)  # no process is left to read it; its end will be told

"""One live command: read while it runs, written to, waited for, and ended.

Everything that happens to it happens on the pump's thread and steps one count (`changes.py`). Callers on any thread
look at what is there and wait for the next step. The end is told by the process, not by its output: whoever still
holds the other side is waited for briefly, and then it is over.
"""

from __future__ import annotations

from _thread import allocate_lock
from select import EPOLLIN, EPOLLOUT
from time import monotonic, monotonic_ns

from sandgate.errors import InputNotTaken, RequestError, StdinClosed
from sandgate.protocol.commands import CommandResult
from sandgate.protocol.confinement import AttemptOutcome
from sandgate.record import Record
from sandgate.terminals.changes import Changes
from sandgate.terminals.lines import CELLS_MAX
from sandgate.terminals.output import Output
from sandgate.terminals.turns import Turns
from sandgate.terminals.waiting import Wait, drive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from sandgate.kernel.child import Child, Ended
    from sandgate.kernel.foreground import Foreground
    from sandgate.protocol.commands import CommandRequest, Termination
    from sandgate.protocol.confinement import ConfinedCommand, ExecFailure, SetupFailure
    from sandgate.protocol.denials import Refused
    from sandgate.terminals.limits import ExecLimits
    from sandgate.terminals.lines import Line
    from sandgate.terminals.output import Listener, Piece
    from sandgate.terminals.patterns import Match, Wanted
    from sandgate.terminals.pump import Pump
    from sandgate.terminals.waiting import Steps

READS_PER_TURN = 16  # of one command, before the others have theirs; measured in bench/
UNWRITTEN_BYTES_MAX = 1_048_576  # typed and not taken by the terminal yet
KILL_GRACE_S = 2.0  # between asking a command to end and killing it; unified_exec.md section 13
CLOSE_LIMIT_MS = 10_000  # a process in an uninterruptible call may outlive SIGKILL; we do not wait for it
FOREVER_MS = 86_400_000 * 365  # a lock takes no longer wait
NS_PER_MS = 1_000_000
SIGHUP, SIGINT, SIGKILL, SIGTERM, SIGCONT = 1, 2, 9, 15, 18  # numbers of x86-64 and arm64
STDIN_CLOSED = "stdin is closed for this session; rerun exec_command with tty=true to keep stdin open"
NOT_WRITTEN = "failed to write to stdin"


if TYPE_CHECKING:

    class Watcher(Protocol):
        """Is told, on the pump's thread, what matters beyond one command."""

        def refused(self, terminal: Terminal) -> None:
            """The sandbox has refused something, for the first time or again."""
            ...

        def over(self, terminal: Terminal) -> None:
            """All output is read and the process gone; told once, before `Terminal.over` is true."""
            ...


class Identity(Record):
    """Which command this is. Nothing of it changes while the command lives."""

    terminal_id: int  # what a model calls the session; never a pid
    call_id: str  # of the call that started it
    command: CommandRequest
    plan: ConfinedCommand
    rows: int = 0
    columns: int = 0


class Terminal:
    """See the module. Made by `start`, which calls `attend` last."""

    def __init__(
        self,
        identity: Identity,
        line: Line,
        child: Child,
        pump: Pump,
        limits: ExecLimits,
        watcher: Watcher,
    ) -> None:
        self.identity = identity
        self.changes = Changes()
        self.output = Output(pending_bytes=limits.output_max_bytes, transcript_bytes=limits.output_max_bytes)
        self.turns = Turns()
        self.started_ns = self.last_used_ns = monotonic_ns()
        self.ended_ns = 0
        self.ended: Ended | None = None
        self.stopped_by: Termination | None = None
        self.failure_message = ""  # why Sandgate ended it, when it did
        self.output_closed = False
        self.over = False
        self._line = line
        self._child = child
        self._pump = pump
        self._trailing_s = limits.trailing_output_grace_ms / 1000
        self._watcher = watcher
        self._guard = allocate_lock()
        self._unwritten = bytearray()
        self._refusals_seen = 0
        self._reading = False

    # What there is to know

    @property
    def tty(self) -> bool:
        return self._line.tty

    @property
    def failure(self) -> SetupFailure | ExecFailure | None:
        """It never started, for this reason."""
        return self._child.failure

    @property
    def exited(self) -> bool:
        """The command itself is over; some of its output may still be on its way."""
        return self.ended is not None or self.failure is not None

    @property
    def exit_code(self) -> int | None:
        return None if self.ended is None else self.ended.exit_code

    @property
    def duration_ms(self) -> int:
        """From its start to its end, or to now."""
        return ((self.ended_ns or monotonic_ns()) - self.started_ns) // NS_PER_MS

    @property
    def pid(self) -> int:
        """The process of ours that the command hangs on: itself, or whatever supervises it."""
        return self._child.pid

    @property
    def total_bytes(self) -> int:
        return self.output.total_bytes

    @property
    def refused(self) -> tuple[Refused, ...]:
        """What the sandbox has refused so far."""
        return tuple(self._child.refused)

    def look(self) -> Foreground | None:
        """Who uses its terminal, and who waits for it; None without a terminal, and when that cannot be told."""
        from termios import error as TerminalGone  # noqa: N812  it is an exception of another module's making

        from sandgate.kernel.foreground import look

        with self._guard:  # the descriptor must not become somebody else's meanwhile
            if not self.tty or self._line.fd < 0:
                return None
            try:
                return look(self._line.fd)
            except (OSError, TerminalGone):
                return None

    @property
    def unwritten_bytes(self) -> int:
        """Typed, and not taken by the terminal yet."""
        return len(self._unwritten)

    @property
    def has_unread_output(self) -> bool:
        """It printed something that is not in `output` yet."""
        with self._guard:
            # In this order: what is not there any more is being read, or has been.
            return self._line.fd >= 0 and (self._line.readable() or self._reading)

    def read(self, offset: int = 0) -> Piece:
        """Everything it printed from `offset` on, as far as it is kept. Takes nothing from anybody."""
        return self.output.read(offset)

    def outcome(self) -> AttemptOutcome:
        """How it went, for the gate. Only when it is over."""
        child = self._child
        return AttemptOutcome(
            result=None if child.failure is not None else self._result(),
            refused=tuple(child.refused),
            refused_omitted=child.refused_omitted,
            reported=child.reported,
            layers=child.layers,
            failure=child.failure,
        )

    # What can be done with it

    def write(self, data: bytes) -> None:
        """Types `data`; returns at once. Raises StdinClosed without a terminal, InputNotTaken when nobody takes it."""
        if not self.tty:
            raise StdinClosed(STDIN_CLOSED)
        with self._guard:
            if self._line.fd < 0:
                raise InputNotTaken(NOT_WRITTEN, why="the command is over")
            if len(self._unwritten) + len(data) > UNWRITTEN_BYTES_MAX:
                raise InputNotTaken(NOT_WRITTEN, why="the command does not read its input", hint="interrupt it")
            if not self._unwritten:
                data = data[self._written(data) :]
            if data:
                self._unwritten += data
                self._pump.change(self._line.fd, EPOLLIN | EPOLLOUT)

    def resize(self, rows: int, columns: int) -> None:
        """Changes the size of its terminal. Raises RequestError for a size no terminal has, or without one."""
        if not self.tty:
            raise RequestError("cannot resize", why="the command has no terminal", hint="start it with tty=true")
        if not (0 < rows <= CELLS_MAX and 0 < columns <= CELLS_MAX):
            raise RequestError(f"`{rows}` x `{columns}` is no size", hint=f"rows and columns are 1 to {CELLS_MAX}")
        with self._guard:
            if self._line.fd >= 0:
                self._line.resize(rows, columns)
                self.identity = self.identity.but(rows=rows, columns=columns)

    def settle_in(self) -> None:
        """It will live for long."""
        self._child.settle_in()

    def signal(self, number: int) -> None:
        """Sends a signal to the command's own process group."""
        if not self.exited:
            self._child.signal_group(number)

    def terminate(self, grace_s: float = KILL_GRACE_S) -> None:
        """Asks it to end, and kills everything it started after `grace_s`. Returns at once; may be repeated."""
        if self.exited:
            return
        self.stopped_by = self.stopped_by or "cancelled"
        if grace_s > 0:
            # An interactive shell ignores TERM, and ends when its terminal hangs up; one that is stopped must wake.
            for number in (SIGHUP, SIGTERM, SIGCONT) if self.tty else (SIGTERM, SIGCONT):
                self._child.signal_group(number)
        self._pump.at(monotonic() + grace_s, self._kill)

    def fail(self, message: str) -> None:
        """Ends it at once, for a reason that the caller is told."""
        if not self.exited:
            self.failure_message = self.failure_message or message
            self._kill()

    def listen(self, listener: Listener) -> None:
        """From now on tells `listener` each piece of output, on the pump's thread."""
        self.output.listeners = (*self.output.listeners, listener)

    def wait_for(self, wanted: Sequence[bytes | str | Wanted], *, timeout_ms: int, offset: int = 0) -> Match | None:
        """Blocks until one of the texts or patterns appears in the output from `offset` on.

        `Match.end` is the offset behind it. None when it is over, or the time is up, first. Raises RequestError for
        patterns that cannot be used.
        """
        return drive(self.watching(wanted, timeout_ms=timeout_ms, offset=offset))

    def wait_exit(self, timeout_ms: int | None = None) -> int | None:
        """Blocks until it is over, all output read; its exit code, None when it is not within `timeout_ms`."""
        return drive(self.ending(timeout_ms))

    def watching(
        self, wanted: Sequence[bytes | str | Wanted], *, timeout_ms: int, offset: int = 0
    ) -> Steps[Match | None]:
        """The waits of `wait_for`."""
        from sandgate.terminals.patterns import Patterns, Wanted

        patterns = Patterns([each if isinstance(each, Wanted) else Wanted(_as_text(each)) for each in wanted])
        deadline, at, fed = monotonic() + timeout_ms / 1000, offset, 0
        while True:
            seen, over = self.changes.count, self.over
            piece = self.read(at)
            at = piece.end
            match = patterns.feed(piece.data)
            if match is not None:
                return match.but(end=piece.offset_of(match.end - fed))
            fed += len(piece.data)
            left = deadline - monotonic()
            if over or left <= 0:
                return None
            yield Wait(self.changes, seen, left)

    def ending(self, timeout_ms: int | None = None) -> Steps[int | None]:
        """The waits of `wait_exit`."""
        deadline = monotonic() + (FOREVER_MS if timeout_ms is None else timeout_ms) / 1000
        while True:
            seen = self.changes.count
            if self.over:
                return self.exit_code
            left = deadline - monotonic()
            if left <= 0:
                return None
            yield Wait(self.changes, seen, left)

    def close(self) -> None:
        """Kills everything it started, and waits until it is gone. May be repeated."""
        if not self.over:
            self.stopped_by = self.stopped_by or "cancelled"
            self._kill()
            self.wait_exit(CLOSE_LIMIT_MS)

    def attend(self) -> None:
        """From now on the pump looks after it."""
        self._pump.watch(self._line.fd, self._ready)
        if self.failure is not None:  # known at once: nothing was started
            self._pump.at(monotonic(), self._finish)
        for fd in self._child.descriptors():
            self._pump.watch(fd, self._told_through(fd))

    # On the pump's thread

    def _ready(self, events: int) -> None:
        if events & EPOLLOUT:
            self._write_on()
        if events & ~EPOLLOUT:
            self._read_on()

    def _read_on(self) -> None:
        self._reading = True
        for _ in range(READS_PER_TURN):
            data = self._line.read()
            if data is None:
                break
            if not data:
                self._pump.forget(self._line.fd)
                self.output_closed = True
                break
            self.output.add(data)
        self._reading = False
        self.changes.happened()
        if self.output_closed and self.exited:
            self._finish()

    def _write_on(self) -> None:
        with self._guard:
            written = self._written(self._unwritten)
            del self._unwritten[:written]
            if not self._unwritten:
                self._pump.change(self._line.fd, EPOLLIN)

    def _written(self, data: bytes | bytearray) -> int:
        try:
            return self._line.write(data)
        except OSError:
            return len(data)  # nobody is left to read it; its end will be told

    def _told_through(self, fd: int) -> Callable[[int], None]:
        def told(_events: int) -> None:
            # `handle` may close the descriptor, and its number may be somebody else's a moment later.
            self._pump.forget(fd)
            self._child.handle(fd)
            self._note()
            if fd in self._child.descriptors():
                self._pump.watch(fd, told)

        return told

    def _note(self) -> None:
        if len(self._child.refused) > self._refusals_seen:
            self._refusals_seen = len(self._child.refused)
            self._watcher.refused(self)
        if self.ended is None and self._child.ended is not None:
            self.ended_ns = monotonic_ns()
            self.ended = self._child.ended
        if not self.exited:
            return
        self.changes.happened()
        if self.output_closed:
            self._finish()
        else:
            self._pump.at(monotonic() + self._trailing_s, self._finish)

    def _kill(self) -> None:
        if not self.exited:
            self._child.kill_tree()

    def _finish(self) -> None:
        """It is over: what is still on its way is taken, everything is let go."""
        if self.over:
            return
        if not self.output_closed:
            self._pump.forget(self._line.fd)
            self._read_the_rest()
        with self._guard:
            self._line.close()
            self._unwritten.clear()
        self._child.close()
        if self.ended is None:
            self.ended, self.ended_ns = self._child.ended, monotonic_ns()
        try:
            self._watcher.over(self)
        finally:
            self.over = True
            self.changes.happened()

    def _read_the_rest(self) -> None:
        self.output_closed = True
        for _ in range(READS_PER_TURN):
            data = self._line.read()
            if not data:
                return
            self.output.add(data)

    def _result(self) -> CommandResult:
        ended = self.ended
        assert ended is not None  # it is over, and did start
        printed = self.output.transcript()
        return CommandResult(
            exit_code=ended.exit_code,
            signal=ended.signal,
            termination=self.stopped_by or ("exited" if ended.signal is None else "signaled"),
            stdout=printed.joined(),
            stderr=b"",
            aggregated=printed.joined(),
            stdout_omitted_bytes=printed.omitted_bytes,
            duration_ms=self.duration_ms,
        )


def _as_text(wanted: bytes | str) -> str:
    return wanted if isinstance(wanted, str) else wanted.decode("utf-8", "surrogateescape")

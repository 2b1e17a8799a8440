"""One live command: read while it runs, written to, waited for, and ended.

Everything that happens to it happens on the pump's thread and steps one count (`changes.py`). Callers on any thread
look at what is there and wait for the next step. The end is told by the process, not by its output: a process that
still holds the other side is waited for briefly, and then it is over.
"""

from __future__ import annotations

from time import monotonic, monotonic_ns
from weakref import WeakSet

from sandgate.errors import RequestError, StdinClosed
from sandgate.protocol.commands import NS_PER_MS
from sandgate.protocol.confinement import AttemptOutcome
from sandgate.terminals.call_queue import CallQueue
from sandgate.terminals.changes import Changes
from sandgate.terminals.ending import result_of
from sandgate.terminals.lines import COLUMNS, ROWS, check_size
from sandgate.terminals.output import Output
from sandgate.terminals.traffic import Traffic
from sandgate.terminals.waiting import drive
from sandgate.terminals.watching import await_end, watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.kernel.child import Child, Ended
    from sandgate.kernel.foreground import Foreground
    from sandgate.patterns.wanted import Match, Wanted
    from sandgate.protocol.commands import Termination
    from sandgate.protocol.confinement import ExecFailure, SetupFailure
    from sandgate.protocol.denials import Refused
    from sandgate.protocol.held_calls import HeldCall
    from sandgate.terminals.awaiting import Awaiting
    from sandgate.terminals.identity import TerminalIdentity, Watcher
    from sandgate.terminals.limits import ExecLimits
    from sandgate.terminals.lines import Line
    from sandgate.terminals.output import Listener, OutputPiece
    from sandgate.terminals.pump import Pump
    from sandgate.terminals.questions import Questions
    from sandgate.terminals.recording.taping import Tape
    from sandgate.terminals.screen import Screen

KILL_GRACE_S = 2.0  # between asking a command to end and killing it
CLOSE_LIMIT_MS = 10_000  # a process in an uninterruptible call may outlive SIGKILL; we do not wait for it
SIGHUP, SIGINT, SIGKILL, SIGTERM, SIGCONT = 1, 2, 9, 15, 18  # numbers of x86-64 and arm64
STDIN_CLOSED = "stdin is closed for this session; rerun exec_command with tty=true to keep stdin open"


class Terminal:
    """See the module. Made by `start`, which calls `attend` last."""

    def __init__(
        self,
        identity: TerminalIdentity,
        line: Line,
        child: Child,
        pump: Pump,
        limits: ExecLimits,
        watcher: Watcher,
    ) -> None:
        self.identity = identity
        self.changes = Changes()  # whatever happens to it
        self.endings = Changes()  # only that it is over: a wait for that need not hear of each piece of output
        pending_bytes = 0 if identity.held else limits.output_max_bytes  # its holder reads by offset
        self.output = Output(pending_bytes=pending_bytes, transcript_bytes=limits.output_max_bytes)
        self.turns = CallQueue()
        self.awaiting: WeakSet[Awaiting] = WeakSet()  # calls that have not had their answer about it
        self.started_ns = self.last_used_ns = monotonic_ns()
        self.ended_ns = 0
        self.ended: Ended | None = None
        self.stopped_by: Termination | None = None
        self.cursor = 0  # the offset behind the last text that was waited for
        self.failure_message = ""  # why Sandgate ended it, when it did
        self.over = False
        self.questions: Questions | None = None  # about its calls, where they are held
        self._line = line
        self._child = child
        self._pump = pump
        self._trailing_s = limits.trailing_output_grace_ms / 1000
        self._watcher = watcher
        self._traffic = Traffic(line, pump, self.output, self.changes)
        self._tape: Tape | None = None
        self._refusals_seen = 0
        self.changes.wait_instead = self._read_here

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
    def output_closed(self) -> bool:
        """No process can print any more."""
        return self._traffic.closed

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

    @property
    def held(self) -> HeldCall | None:
        """The call of it that waits until somebody has answered."""
        return None if self.questions is None else self.questions.asked_about

    @property
    def unserved(self) -> tuple[str, ...]:
        """Addresses of its own loopback where it met no server so far, one for each port."""
        return tuple(self._child.unserved)

    @property
    def may_listen(self) -> bool:
        """Whether it may serve a port. Looking which one costs a millisecond and more."""
        return self._child.may_listen or self.identity.plan.report != "report"

    def look(self) -> Foreground | None:
        """Who uses its terminal, and who waits for it; None without a terminal, and when that cannot be told."""
        return self._traffic.look()

    @property
    def hides_input(self) -> bool:
        """What is typed now is not to be seen: a line is wanted, and echo is off."""
        found = self.look()
        return found is not None and found.canonical and not found.echo

    @property
    def unwritten_bytes(self) -> int:
        """Typed, and not taken by the terminal yet."""
        return self._traffic.unwritten_bytes

    @property
    def has_unread_output(self) -> bool:
        """It printed something that is not in `output` yet."""
        return self._traffic.has_unread

    def read(self, offset: int = 0) -> OutputPiece:
        """Everything it printed from `offset` on, as far as it is kept. Takes nothing from other readers."""
        return self.output.read(offset)

    def outcome(self) -> AttemptOutcome:
        """How it went, for the gate. Only when it is over."""
        child = self._child
        return AttemptOutcome(
            result=None if child.failure is not None else result_of(self),
            refused=tuple(child.refused),
            locked=tuple(child.locked),
            unserved=tuple(child.unserved),
            refused_omitted=child.refused_omitted,
            reported=child.reported,
            layers=child.layers,
            performed=tuple(child.performed_calls),
            performed_omitted=child.performed_omitted,
            failure=child.failure,
        )

    # What can be done with it

    def write(self, data: bytes) -> None:
        """Types `data`; returns at once.

        Raises StdinClosed without a terminal, InputNotTaken when no process takes it.
        """
        if not self.tty:
            raise StdinClosed(STDIN_CLOSED)
        if self._tape is not None:
            self._tape.input(data, hidden=self.hides_input)
        self._traffic.write(data)
        self.last_used_ns = monotonic_ns()

    def resize(self, rows: int, columns: int) -> None:
        """Changes the size of its terminal. Raises RequestError for a size no terminal has, or without one."""
        if not self.tty:
            raise RequestError("cannot resize", why="the command has no terminal", hint="start it with tty=true")
        check_size(rows, columns)
        if self._traffic.resize(rows, columns):
            self.identity = self.identity.but(rows=rows, columns=columns)
            if self._tape is not None:
                self._tape.resize(rows=rows, columns=columns)

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
        if self.questions is not None:
            self._pump.at(monotonic(), self.questions.stop)
        if grace_s > 0:
            # An interactive shell ignores TERM, and ends when its terminal hangs up; one that is stopped must wake.
            for number in (SIGHUP, SIGTERM, SIGCONT) if self.tty else (SIGTERM, SIGCONT):
                self._child.signal_group(number)
        self._pump.at(monotonic() + grace_s, self._kill)

    def kill(self) -> None:
        """Kills its process group, and under a helper everything it started. Returns at once."""
        if not self.exited:
            self.stopped_by = self.stopped_by or "cancelled"
            self._child.signal_group(SIGKILL)

    def fail(self, message: str) -> None:
        """Ends it at once, for a reason that the caller is told."""
        if not self.exited:
            self.failure_message = self.failure_message or message
            self._kill()

    def record(self, path: str) -> None:
        """From now on writes an asciicast v3 to the new file `path`, without what is typed while echo is off.

        Raises RequestError when the file cannot be made or exists, or a recording is being made.
        """
        from sandgate.terminals.recording.taping import Tape

        if self._tape is not None or not self.tty:
            why = "it has no terminal" if not self.tty else "it is being recorded"
            raise RequestError("cannot record the command", why=why)
        self._tape = Tape(path, self.identity)
        self.listen(self._tape.output)

    def screen(self) -> Screen:
        """What a person in front of its terminal would see now. Raises RequestError without the extra `screen`."""
        from sandgate.terminals.screen import screen_after

        printed = self.output.transcript()
        rows, columns = self.identity.rows or ROWS, self.identity.columns or COLUMNS
        return screen_after(printed, rows=rows, columns=columns)

    def listen(self, listener: Listener) -> None:
        """From now on tells `listener` each piece of output, on the pump's thread."""
        self.output.listeners = (*self.output.listeners, listener)

    def wait_for(
        self, wanted: Sequence[bytes | str | Wanted], *, timeout_ms: int, offset: int | None = None
    ) -> Match | None:
        """Blocks until one of the texts or patterns appears in the output from `offset` on; see `watching.watch`."""
        return drive(watch(self, wanted, timeout_ms=timeout_ms, offset=offset))

    def wait_exit(self, timeout_ms: int | None = None) -> int | None:
        """Blocks until it is over, all output read; its exit code, None when it is not within `timeout_ms`."""
        return drive(await_end(self, timeout_ms))

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
            self._listen_to(fd)

    # On the pump's thread

    def _ready(self, events: int) -> None:
        self._traffic.ready(events)
        if self.output_closed and self.exited:
            self._finish()

    def _read_here(self, seen: int, timeout_s: float) -> bool:
        """On a caller's thread, in place of a wait."""
        if self.over or not self._traffic.read_here(seen, timeout_s):
            return False
        if self.output_closed and self.exited:
            self._pump.at(monotonic(), self._finish)
        return True

    def _listen_to(self, fd: int) -> None:
        self._pump.watch(fd, lambda _events: self._told(fd))

    def _told(self, fd: int) -> None:
        # `handle` may close the descriptor, and its number may be another file's a moment later.
        self._pump.forget(fd)
        self._child.handle(fd)
        self._note()
        if fd in self._child.descriptors():
            self._listen_to(fd)

    def _note(self) -> None:
        if len(self._child.refused) > self._refusals_seen:
            self._refusals_seen = len(self._child.refused)
            self._watcher.refused(self)
        if self.questions is not None:
            self.questions.look()
        if self.ended is None and self._child.ended is not None:
            self.ended_ns = monotonic_ns()
            self.ended = self._child.ended
        if not self.exited:
            return
        if self.questions is not None:
            self.questions.end()
        self._traffic.let_go()
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
        if self.over or (self.questions is not None and not self.questions.ended(self._finish)):
            return
        self._traffic.end()
        self._child.close()
        if self.ended is None:
            self.ended, self.ended_ns = self._child.ended, monotonic_ns()
        if self._tape is not None:
            self._tape.end(self.exit_code)
        self.changes.wait_instead = None
        try:
            self._watcher.over(self)
        finally:
            self.over, self.questions = True, None
            self.changes.happened()
            self.endings.happened()

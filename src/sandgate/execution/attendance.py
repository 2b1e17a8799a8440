"""The wait for one command, and what is said of it in the end. Loaded while the command runs already.

It tells `Lifetime` what happens and carries out its orders.
"""

from __future__ import annotations

from select import POLLIN, POLLOUT, poll
from time import monotonic_ns

from sandgate.execution.lifetime import Lifetime
from sandgate.protocol.commands import NS_PER_MS, CommandResult
from sandgate.protocol.confinement import AttemptOutcome
from sandgate.record import never_reached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from signal import SIGINT, SIGTERM

    from sandgate.execution.capture import Capture
    from sandgate.execution.early_refusals import Meanwhile
    from sandgate.execution.held_calls import HeldCalls
    from sandgate.execution.interrupts import InterruptsHeld
    from sandgate.execution.lent_terminal import LentTerminal
    from sandgate.execution.lifetime import Order
    from sandgate.execution.streams import OutputStream
    from sandgate.execution.tty import TerminalRelay
    from sandgate.kernel.child import Child, Ended
    from sandgate.protocol.commands import Termination
else:
    from _signal import SIGINT, SIGTERM

STOPPED_EXIT_CODE = 124  # after a time limit or a cancellation, as timeout(1) has it
INTERRUPTED_EXIT_CODE = 130  # 128 + SIGINT
SIGNAL_EXIT_BASE = 128


def begun_at(started_ns: int, timeout_ms: int | None, kill_grace_ms: int) -> Lifetime:
    """The lifetime of a command that began then."""
    return Lifetime(now_ns=started_ns, timeout_ms=timeout_ms, kill_grace_ms=kill_grace_ms)


class Attendance:
    """The wait itself: tells `Lifetime` what happens and carries out its orders."""

    __slots__ = (
        "_cancel_fd",
        "_child",
        "_held",
        "_lent",
        "_meanwhile",
        "_poll",
        "_relay",
        "_streams",
        "_watched",
        "drain_timed_out",
        "ended_ns",
        "lifetime",
    )

    def __init__(
        self,
        child: Child,
        streams: list[OutputStream],
        relay: TerminalRelay | None,
        lifetime: Lifetime,
        cancel_fd: int | None,
        meanwhile: Meanwhile | None,
        held: HeldCalls | None = None,
        lent: LentTerminal | None = None,
    ) -> None:
        self.lifetime = lifetime
        self.ended_ns: int | None = None
        self.drain_timed_out = False
        self._child = child
        self._streams = streams
        self._relay = relay
        self._cancel_fd = cancel_fd
        self._meanwhile = meanwhile
        self._held = held
        self._lent = lent
        self._watched: dict[int, int] = {}
        self._poll = poll()

    def see_through(self, interrupts: InterruptsHeld) -> None:
        try:
            self._see_through(interrupts)
        finally:
            if self._held is not None:
                self._held.end()

    def _see_through(self, interrupts: InterruptsHeld) -> None:
        while not self._finished():
            self._watch(self._interest())
            held_back = any(stream.held_back for stream in self._streams)
            try:
                ready = interrupts.wait(self._poll, self._wait_ms(monotonic_ns()))
            except KeyboardInterrupt:
                self._obey(self.lifetime.interrupted(monotonic_ns()))
                continue
            for fd, _events in ready:
                self._handle(fd)
            now_ns = monotonic_ns()
            self._note_end(now_ns)
            if self._meanwhile is not None and self.ended_ns is None:
                self._meanwhile.look(now_ns, self._child.refused, held_back=self._is_held_back())
            if self._held is not None:
                self._look_at_held(self._held, now_ns)
            if held_back:
                self.lifetime.delivering(now_ns)
            self._obey(self.lifetime.due(now_ns))

    def _look_at_held(self, held: HeldCalls, now_ns: int) -> None:
        if self.ended_ns is not None:
            held.end()
            return
        try:
            answer = held.look(self._child)
        except KeyboardInterrupt:  # at the question: it is meant for the command
            self._obey(self.lifetime.interrupted(now_ns))
            answer = None
        if answer is not None and answer.stop:
            self._obey(self.lifetime.cancelled(now_ns))
        if self.lifetime.stopped_by is not None:
            held.stop(self._child, is_killed=self.lifetime.is_killed)
        if held.asks:
            self.lifetime.hold(now_ns)
        else:
            self.lifetime.release(now_ns)
        if self._lent is not None:
            self._lent.repaint(now_ns, waits=held.asks)

    def _wait_ms(self, now_ns: int) -> int | None:
        limit_ms = self.lifetime.wait_ms(now_ns)
        if self._held is not None:
            limit_ms = self._held.wait_ms(limit_ms)
            if self._lent is not None:
                limit_ms = self._lent.wait_ms(limit_ms, waits=self._held.asks)
        return limit_ms if self._meanwhile is None else self._meanwhile.wait_ms(limit_ms, now_ns)

    def _is_held_back(self) -> bool:
        return any(stream.waiting for stream in self._streams)

    def _finished(self) -> bool:
        if self.lifetime.abandoned or self._child.failure is not None:
            return True
        return self.ended_ns is not None and not any(s.fd is not None or s.waiting for s in self._streams)

    def _interest(self) -> dict[int, int]:
        wanted: dict[int, int] = {}
        shows_question = self._held is not None and self._held.screen_taken
        for stream in self._streams:
            if shows_question and stream.forwarding is not None:
                continue
            if stream.fd is not None and stream.readable:
                wanted[stream.fd] = POLLIN
            if stream.forwarding is not None and stream.forwarding.waiting:
                wanted[stream.forwarding.fd] = POLLOUT
        if self._cancel_fd is not None:
            wanted[self._cancel_fd] = POLLIN
        if self.ended_ns is None:
            wanted.update(dict.fromkeys(self._child.descriptors(), POLLIN))
            if self._held is not None:
                wanted.update(dict.fromkeys(self._held.descriptors(), POLLIN))
            if self._relay is not None and not shows_question:
                wanted.update(self._relay.interest())
        return wanted

    def _watch(self, wanted: dict[int, int]) -> None:
        if wanted == self._watched:
            return
        for fd in self._watched.keys() - wanted.keys():
            self._poll.unregister(fd)
        for fd, events in wanted.items():
            self._poll.register(fd, events)
        self._watched = wanted

    def _handle(self, fd: int) -> None:
        for stream in self._streams:
            if fd == stream.fd:
                stream.read()
                return
            if stream.waiting and stream.forwarding is not None and fd == stream.forwarding.fd:
                stream.flush()
        if fd == self._cancel_fd:
            self._cancel_fd = None
            self._obey(self.lifetime.cancelled(monotonic_ns()))
        elif fd in self._child.descriptors():
            self._child.handle(fd)
        elif self._relay is not None:
            self._relay.handle(fd)

    def _note_end(self, now_ns: int) -> None:
        if self.ended_ns is None and self._child.ended is not None:
            self.ended_ns = now_ns
            if self.lifetime.stopped_by is not None:
                self._child.kill_tree()  # it obeyed; what it started may not have
            self.lifetime.ended(now_ns)

    def _obey(self, order: Order) -> None:
        match order:
            case "wait":
                return
            case "terminate":
                self._child.signal_group(SIGTERM)
            case "interrupt":
                self._child.signal_group(SIGINT)
            case "kill":
                self._child.kill_tree()
            case "stop_reading":
                self._leave_pipes()
            case "abandon":
                self._child.kill_tree()
                self._leave_pipes()
                for stream in self._streams:
                    stream.abandon()
            case _:
                never_reached(order)

    def _leave_pipes(self) -> None:
        for stream in self._streams:
            self.drain_timed_out = self.drain_timed_out or stream.fd is not None
            stream.stop_reading()

    def outcome(self, capture: Capture, started_ns: int) -> AttemptOutcome:
        child = self._child
        return AttemptOutcome(
            result=None if child.failure is not None else _result(child.ended, self, capture, started_ns),
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


def _result(ended: Ended | None, attendance: Attendance, capture: Capture, started_ns: int) -> CommandResult:
    exit_code, signal, termination = _verdict(ended, attendance.lifetime.stopped_by)
    ended_ns = monotonic_ns() if attendance.ended_ns is None else attendance.ended_ns
    return CommandResult(
        exit_code=exit_code,
        signal=signal,
        termination=termination,
        stdout=capture.stdout.kept(),
        stderr=capture.stderr.kept(),
        aggregated=capture.aggregated(),
        stdout_omitted_bytes=capture.stdout.omitted_bytes,
        stderr_omitted_bytes=capture.stderr.omitted_bytes,
        duration_ms=(ended_ns - started_ns) // NS_PER_MS,
        drain_timed_out=attendance.drain_timed_out,
    )


def _verdict(ended: Ended | None, stopped_by: Termination | None) -> tuple[int, int | None, Termination]:
    """Exit code, signal and word. The reason why it was stopped counts, not what the command made of that."""
    if stopped_by == "interrupted":
        return INTERRUPTED_EXIT_CODE, SIGINT, stopped_by
    if stopped_by is not None:
        return STOPPED_EXIT_CODE, None, stopped_by
    assert ended is not None  # left to itself, a command is waited for as long as it takes
    if ended.signal is not None:
        return SIGNAL_EXIT_BASE + ended.signal, ended.signal, "signaled"
    return ended.exit_code, None, "exited"

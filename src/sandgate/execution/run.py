"""Looks after one command from its start to the last byte of its output, with nothing but `poll`.

There is no other thread and no event loop here, so it costs a governed command next to nothing and can be used from
any thread. Who starts the command, and inside what, is the starter's business (`start.py`); when enough
is enough is decided by `lifetime.py`; how bytes travel is in `streams.py`. The end is told by the process, not by
its pipes: a grandchild that holds them delays us by the drain limit at most.
"""

from __future__ import annotations

import os
from select import POLLIN, POLLOUT, poll
from time import monotonic_ns

from sandgate.execution.capture import CAPTURE_BYTES, Capture
from sandgate.execution.interrupts import InterruptsHeld
from sandgate.execution.lifetime import Lifetime
from sandgate.execution.start import start_child
from sandgate.execution.streams import Forwarding, OutputStream, clear_of_standard, pipe
from sandgate.protocol.commands import NS_PER_MS, CommandResult
from sandgate.protocol.confinement import AttemptOutcome
from sandgate.record import never_reached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from signal import SIGINT, SIGTERM

    from sandgate.execution.capture import Stream
    from sandgate.execution.lifetime import Order
    from sandgate.execution.meanwhile import Meanwhile
    from sandgate.execution.start import Starter
    from sandgate.execution.streams import ForwardingStopped
    from sandgate.execution.tty import TerminalModes, TerminalRelay
    from sandgate.kernel.child import Child, Ended
    from sandgate.protocol.commands import Termination
    from sandgate.protocol.confinement import ConfinedCommand
else:
    from _signal import SIGINT, SIGTERM

STOPPED_EXIT_CODE = 124  # after a time limit or a cancellation, as timeout(1) has it
INTERRUPTED_EXIT_CODE = 130  # 128 + SIGINT
SIGNAL_EXIT_BASE = 128


def run(
    plan: ConfinedCommand,
    *,
    stdin: int | None,
    stdout: int | None,
    stderr: int | None,
    timeout_ms: int | None,
    cancel_fd: int | None = None,
    on_output: Callable[[Stream, bytes], None] | None = None,
    on_stopped: Callable[[ForwardingStopped], None] | None = None,
    on_ended: Callable[[], None] | None = None,
    meanwhile: Meanwhile | None = None,
    on_left: Callable[[Child], None] | None = None,
    helper: str | None = None,
    capture_bytes: int = CAPTURE_BYTES,
    kill_grace_ms: int = 0,
    starter: Starter = start_child,
) -> AttemptOutcome:
    """Runs `plan` to its end and says how it went.

    `stdin` goes to the command as it is; None is /dev/null. `stdout` and `stderr` get what the command writes, at
    once and unchanged; None only captures. A plan with `tty` gets a terminal instead: `stdin` is typed into it and
    everything comes out as `stdout`. `cancel_fd` stops the command as soon as it is readable; it is not read.
    `on_output` sees every chunk, up to 64 KiB; `on_stopped` hears once per stream that passing it on had to end.
    `on_ended` is called once it is over, while the last of its sandbox is still being taken down; not for a command
    that had to be abandoned. `meanwhile` tells what is refused while it runs.
    `on_left` takes over a command that ended by itself, and closes it soon: nothing of it lives, and its supervisor is
    on its way out. Without it, and otherwise, this waits for the supervisor, too.
    `kill_grace_ms` lies between SIGTERM and SIGKILL at a time limit or a cancellation; 0 kills at once.

    A failing, killed, stopped or unstartable command is a value. Ctrl-C is, too: it goes to the command, and the
    whole tree is gone before this returns. Raises ConfinementError when the plan's backend cannot be used, and what
    `on_output` raises, after killing the command.
    """
    wiring = _Wiring(Capture(capture_bytes), on_output)
    with InterruptsHeld() as interrupts:
        try:
            started_ns = monotonic_ns()
            lifetime = Lifetime(now_ns=started_ns, timeout_ms=timeout_ms, kill_grace_ms=kill_grace_ms)
            ends = wiring.terminal(stdin, stdout) if plan.tty else wiring.pipes(stdin, stdout, stderr)
            child = starter(plan, stdin=ends[0], stdout=ends[1], stderr=ends[2], helper=helper)
            try:
                wiring.close_lent()
                attendance = _Attendance(child, wiring, lifetime, cancel_fd, meanwhile)
                attendance.see_through(interrupts)
                wiring.tell(on_stopped)
                if on_ended is not None and child.ended is not None:
                    on_ended()
                outcome = _outcome(child, attendance, wiring.capture, started_ns)
            except BaseException:
                child.close()
                raise
            if on_left is not None and outcome.result is not None and outcome.result.termination == "exited":
                on_left(child)
            else:
                child.close()
            return outcome
        finally:
            wiring.close()


class _Wiring:
    """Every descriptor of one run that is ours to close, and the terminal modes that are ours to put back."""

    __slots__ = ("_lent", "_modes", "_on_output", "capture", "relay", "streams")

    def __init__(self, capture: Capture, on_output: Callable[[Stream, bytes], None] | None) -> None:
        self.capture = capture
        self.streams: list[OutputStream] = []
        self.relay: TerminalRelay | None = None
        self._on_output = on_output
        self._lent: list[int] = []  # the command's ends: closed here once it has its own copies
        self._modes: TerminalModes | None = None

    def pipes(self, stdin: int | None, stdout: int | None, stderr: int | None) -> tuple[int, int, int]:
        """Two pipes; returns what the command gets as 0, 1 and 2."""
        # Looked at before anything is opened: a number that is free now would be taken by one of our pipes.
        forwardings = [None if fd is None else Forwarding(fd) for fd in (stdout, stderr)]
        source = self._stdin(stdin)
        out = self._pipe("stdout", forwardings[0])
        err = self._pipe("stderr", forwardings[1])
        return source, out, err

    def terminal(self, stdin: int | None, stdout: int | None) -> tuple[int, int, int]:
        """One terminal for all three."""
        from sandgate.execution.tty import TerminalRelay

        forwarding = None if stdout is None else Forwarding(stdout)
        typed = stdin if stdin is not None and _is_open(stdin) else None
        self.relay = relay = TerminalRelay(stdin=typed, stdout=stdout)
        self._lent.append(relay.slave)
        self._add("stdout", relay.master, forwarding)
        return relay.slave, relay.slave, relay.slave

    def close_lent(self) -> None:
        while self._lent:
            os.close(self._lent.pop())

    def tell(self, on_stopped: Callable[[ForwardingStopped], None] | None) -> None:
        for stream in self.streams:
            stopped = stream.stopped()
            if stopped is not None and on_stopped is not None:
                on_stopped(stopped)

    def close(self) -> None:
        self.close_lent()
        for stream in self.streams:
            stream.close()
        if self.relay is not None:
            self.relay.close()
        if self._modes is not None:
            self._modes.restore()

    def _stdin(self, stdin: int | None) -> int:
        if stdin is None or not _is_open(stdin):
            empty = clear_of_standard(os.open(os.devnull, os.O_RDONLY))
            self._lent.append(empty)
            return empty
        if os.isatty(stdin):
            from sandgate.execution.tty import TerminalModes

            self._modes = TerminalModes(stdin)
        return stdin

    def _pipe(self, name: Stream, forwarding: Forwarding | None) -> int:
        read_end, write_end = pipe()
        self._lent.append(write_end)
        self._add(name, read_end, forwarding)
        return write_end

    def _add(self, name: Stream, fd: int, forwarding: Forwarding | None) -> None:
        self.streams.append(
            OutputStream(name, fd, capture=self.capture, forwarding=forwarding, on_output=self._on_output)
        )


class _Attendance:
    """The wait itself: tells `Lifetime` what happens and carries out its orders."""

    __slots__ = (
        "_cancel_fd",
        "_child",
        "_meanwhile",
        "_poll",
        "_watched",
        "_wiring",
        "drain_timed_out",
        "ended_ns",
        "lifetime",
    )

    def __init__(
        self,
        child: Child,
        wiring: _Wiring,
        lifetime: Lifetime,
        cancel_fd: int | None,
        meanwhile: Meanwhile | None,
    ) -> None:
        self.lifetime = lifetime
        self.ended_ns: int | None = None
        self.drain_timed_out = False
        self._child = child
        self._wiring = wiring
        self._cancel_fd = cancel_fd
        self._meanwhile = meanwhile
        self._watched: dict[int, int] = {}
        self._poll = poll()

    def see_through(self, interrupts: InterruptsHeld) -> None:
        while not self._finished():
            self._watch(self._interest())
            held_back = any(stream.held_back for stream in self._wiring.streams)
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
            if held_back:
                self.lifetime.delivering(now_ns)
            self._obey(self.lifetime.due(now_ns))

    def _wait_ms(self, now_ns: int) -> int | None:
        limit_ms = self.lifetime.wait_ms(now_ns)
        return limit_ms if self._meanwhile is None else self._meanwhile.wait_ms(limit_ms, now_ns)

    def _is_held_back(self) -> bool:
        return any(stream.waiting for stream in self._wiring.streams)

    def _finished(self) -> bool:
        if self.lifetime.abandoned or self._child.failure is not None:
            return True
        return self.ended_ns is not None and not any(s.fd is not None or s.waiting for s in self._wiring.streams)

    def _interest(self) -> dict[int, int]:
        wanted: dict[int, int] = {}
        for stream in self._wiring.streams:
            if stream.fd is not None and stream.readable:
                wanted[stream.fd] = POLLIN
            if stream.forwarding is not None and stream.forwarding.waiting:
                wanted[stream.forwarding.fd] = POLLOUT
        if self._cancel_fd is not None:
            wanted[self._cancel_fd] = POLLIN
        if self.ended_ns is None:
            wanted.update(dict.fromkeys(self._child.descriptors(), POLLIN))
            if self._wiring.relay is not None:
                wanted.update(self._wiring.relay.interest())
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
        for stream in self._wiring.streams:
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
        elif self._wiring.relay is not None:
            self._wiring.relay.handle(fd)

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
                for stream in self._wiring.streams:
                    stream.abandon()
            case _:
                never_reached(order)

    def _leave_pipes(self) -> None:
        for stream in self._wiring.streams:
            self.drain_timed_out = self.drain_timed_out or stream.fd is not None
            stream.stop_reading()


def _outcome(child: Child, attendance: _Attendance, capture: Capture, started_ns: int) -> AttemptOutcome:
    return AttemptOutcome(
        result=None if child.failure is not None else _result(child.ended, attendance, capture, started_ns),
        refused=tuple(child.refused),
        locked=tuple(child.locked),
        unserved=tuple(child.unserved),
        refused_omitted=child.refused_omitted,
        reported=child.reported,
        layers=child.layers,
        failure=child.failure,
    )


def _result(ended: Ended | None, attendance: _Attendance, capture: Capture, started_ns: int) -> CommandResult:
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
    """Exit code, signal and word. Whoever stopped the command counts, not what it made of that."""
    if stopped_by == "interrupted":
        return INTERRUPTED_EXIT_CODE, SIGINT, stopped_by
    if stopped_by is not None:
        return STOPPED_EXIT_CODE, None, stopped_by
    assert ended is not None  # left to itself, a command is waited for as long as it takes
    if ended.signal is not None:
        return SIGNAL_EXIT_BASE + ended.signal, ended.signal, "signaled"
    return ended.exit_code, None, "exited"


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True

"""Looks after one command from its start to the last byte of its output, with nothing but `poll`.

There is no other thread and no event loop here, so it costs a governed command next to nothing and can be used from
any thread. Who starts the command, and inside what, is the starter's business (`start.py`); when enough
is enough is decided by `lifetime.py`; how bytes travel is in `streams.py`. The end is told by the process, not by
its pipes: a grandchild that holds them delays us by the drain limit at most.
"""

from __future__ import annotations

import os
from time import monotonic_ns

from sandgate.execution.capture import CAPTURE_BYTES, Capture
from sandgate.execution.interrupts import InterruptsHeld
from sandgate.execution.start import start_child
from sandgate.execution.streams import Forwarding, OutputStream, clear_of_standard, pipe
from sandgate.modulecache import begun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from sandgate.execution.attendance import Attendance
    from sandgate.execution.capture import Stream
    from sandgate.execution.early_refusals import Meanwhile
    from sandgate.execution.held_calls import Ask, HeldCalls
    from sandgate.execution.lent_terminal import LentTerminal
    from sandgate.execution.start import Starter
    from sandgate.execution.streams import ForwardingStopped
    from sandgate.execution.tty import TerminalModes, TerminalRelay
    from sandgate.kernel.child import Child
    from sandgate.kernel.stilled import StilledTree
    from sandgate.protocol.confinement import AttemptOutcome, ConfinedCommand


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
    ask: Ask | None = None,
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
    that had to be abandoned. `meanwhile` tells what is refused while it runs; `ask` is put the calls that are held.
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
            ends = wiring.terminal(stdin, stdout) if plan.tty else wiring.pipes(stdin, stdout, stderr)
            child = starter(plan, stdin=ends[0], stdout=ends[1], stderr=ends[2], helper=helper)
            try:
                wiring.close_lent()
                clock = started_ns, timeout_ms, kill_grace_ms
                attendance = _attendance(child, wiring, clock, cancel_fd, meanwhile, wiring.held(ask, child))
                attendance.see_through(interrupts)
                wiring.tell(on_stopped)
                if on_ended is not None and child.ended is not None:
                    on_ended()
                outcome = attendance.outcome(wiring.capture, started_ns)
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


def _attendance(
    child: Child,
    wiring: _Wiring,
    clock: tuple[int, int | None, int],
    cancel_fd: int | None,
    meanwhile: Meanwhile | None,
    held: HeldCalls | None,
) -> Attendance:
    """The command runs: what only looking after it needs is loaded meanwhile."""
    begun()
    from sandgate.execution.attendance import Attendance, begun_at

    return Attendance(child, wiring.streams, wiring.relay, begun_at(*clock), cancel_fd, meanwhile, held, wiring.lent)


class _Wiring:
    """Every descriptor of one run that is ours to close, and the terminal modes that are ours to put back."""

    __slots__ = ("_lent", "_modes", "_on_output", "_shows", "capture", "lent", "relay", "streams")

    def __init__(self, capture: Capture, on_output: Callable[[Stream, bytes], None] | None) -> None:
        self.capture = capture
        self.streams: list[OutputStream] = []
        self.relay: TerminalRelay | None = None
        self._on_output = on_output
        self._lent: list[int] = []  # the command's ends: closed here once it has its own copies
        self._modes: TerminalModes | None = None
        self.lent: LentTerminal | None = None  # what lends our terminal to a question
        self._shows = False  # what a command with a terminal of its own prints is seen on ours

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
        self._shows = stdout is not None and os.isatty(stdout)
        typed = stdin if stdin is not None and _is_open(stdin) else None
        self.relay = relay = TerminalRelay(stdin=typed, stdout=stdout)
        self._lent.append(relay.slave)
        self._add("stdout", relay.master, forwarding)
        return relay.slave, relay.slave, relay.slave

    def held(self, ask: Ask | None, child: Child) -> HeldCalls | None:
        """What puts its calls to somebody. A command that has our terminal is stopped while a question is on it.

        One with a terminal of its own cannot reach ours: that is lent to the question.
        """
        if ask is None:
            return None
        from sandgate.execution.held_calls import HeldCalls

        if self.relay is not None:
            from sandgate.execution.lent_terminal import LentTerminal

            self.lent = LentTerminal(self.relay, self.streams[0] if self._shows else None)
            return HeldCalls(ask, self.lent)
        return HeldCalls(ask) if self._modes is None else HeldCalls(ask, _Stilled(child.processes))

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
        if self.lent is not None:
            self.lent.close()
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


class _Stilled:
    """Everything that the command has started is stopped and let go on; what does that is loaded when it is wanted."""

    __slots__ = ("_find", "_tree")

    def __init__(self, find: Callable[[], Collection[int]]) -> None:
        self._find = find
        self._tree: StilledTree | None = None

    def __call__(self, still: bool, /) -> bool:
        if self._tree is None:
            from sandgate.kernel.stilled import StilledTree

            self._tree = StilledTree(self._find)
        return self._tree(still)


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True

"""How long a call waits for a live command, and for what.

The rule is written once, as a generator: it says what it waits for and is woken when something happened or the time is
up. A blocking caller (`drive`) and an event loop (`runtime/aio.py`) drive the same generator. It leaves the output
where it is, so a caller who gives up in the middle takes nothing from others.

A call ends at the end of the command, at its deadline, or as soon as there is nothing to wait for: the output has been
quiet for a moment, and the kernel says that the foreground process waits for input. That last part is asked,
never guessed from the output (`activity.py`).
"""

from __future__ import annotations

from _thread import allocate_lock
from time import monotonic

from sandgate.record import Record
from sandgate.terminals.changes import Changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import TypeVar

    from sandgate.terminals.interfaces import Live

    T = TypeVar("T")

CLOSE_WAIT_S = 0.05  # for another process that still holds the output of a command that is over
OVER_WAIT_S = 30.0  # for what is looked at when a command and its output have ended: its draft, what it planted
QUIET_S = 0.008  # without output, before the kernel is asked whether a process waits for input
LOOK_AGAIN_MAX_S = 0.1  # between two such questions; the first ones come sooner
PAUSE_LOOK_S = 60.0  # a pause has no limit of its own: the question that causes it has one


class Wait(Record):
    """Until `changes` goes beyond `seen`, or for `timeout_s`."""

    changes: Changes
    seen: int
    timeout_s: float


if TYPE_CHECKING:
    Steps = Generator[Wait, None, T]


def drive(steps: Steps[T]) -> T:
    """Carries the waits out, blocking, and returns what they were for."""
    try:
        wait = next(steps)
        while True:
            wait.changes.wait(wait.seen, wait.timeout_s)
            wait = steps.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    finally:
        steps.close()


class Pause:
    """Time that does not count, because a person is being asked something."""

    def __init__(self) -> None:
        self.changes = Changes()
        self._guard = allocate_lock()
        self._holders = 0
        self._since_s = 0.0
        self._total_s = 0.0

    @property
    def held(self) -> bool:
        return self._holders > 0

    def elapsed_s(self) -> float:
        """How long it was held, all in all."""
        return self._total_s + (monotonic() - self._since_s if self._holders else 0.0)

    def hold(self) -> None:
        """From now on; to be followed by one `release`."""
        with self._guard:
            if not self._holders:
                self._since_s = monotonic()
            self._holders += 1

    def release(self) -> None:
        """Time runs again once all that held it have let go."""
        with self._guard:
            self._holders -= 1
            if not self._holders:
                self._total_s += monotonic() - self._since_s
        self.changes.happened()


class Settling(Record):
    """When a call may come back before its deadline."""

    settled: Callable[[Live], bool]  # asks the kernel: a process waits for input, and all input has been read
    needs_output: bool = False  # not before there is something to answer with


def collect(
    terminal: Live,
    *,
    yield_s: float,
    settling: Settling | None = None,
    pause: Pause | None = None,
    enough: Callable[[], bool] | None = None,
) -> Steps[None]:
    """Waits as long as a call waits. What the command printed is then in `terminal.output`, to be taken.

    `enough` is asked after every change and ends the wait.
    """
    started_s = monotonic()
    paused_before_s = pause.elapsed_s() if pause is not None else 0.0
    hush = _Hush(terminal, settling)
    close_deadline_s: float | None = None
    over_deadline_s: float | None = None
    while True:
        if pause is not None and pause.held:
            yield Wait(pause.changes, pause.changes.count, PAUSE_LOOK_S)
            continue
        seen = terminal.changes.count
        # Time that counts: a pause moves every deadline by its length.
        now_s = monotonic() - (pause.elapsed_s() - paused_before_s if pause is not None else 0.0)
        until_s = started_s + yield_s
        if (enough is not None and enough()) or terminal.over:
            return
        if terminal.exited and terminal.output_closed:  # what it left is looked at, and belongs to its last answer
            if over_deadline_s is None:
                over_deadline_s = now_s + OVER_WAIT_S
            if now_s >= over_deadline_s:
                return
            until_s = over_deadline_s
        elif now_s >= until_s:
            return
        elif terminal.exited:
            if close_deadline_s is None:
                close_deadline_s = now_s + CLOSE_WAIT_S
            if now_s >= close_deadline_s:
                return
            until_s = min(until_s, close_deadline_s)
        elif hush.is_the_end(now_s):
            return
        else:
            until_s = min(until_s, hush.next_look_s)
        yield Wait(terminal.changes, seen, until_s - now_s)


class _Hush:
    """Whether a command has fallen silent because it waits for input."""

    def __init__(self, terminal: Live, settling: Settling | None) -> None:
        self._terminal = terminal
        self._settling = settling if terminal.tty else None
        self._printed = -1
        self._interval_s = QUIET_S
        self.next_look_s = float("inf")

    def broken(self, now_s: float) -> bool:
        """There is output that was not there at the last look."""
        printed = self._terminal.total_bytes
        if printed == self._printed:
            return False
        self._printed = printed
        if self._settling is not None:
            self._interval_s = QUIET_S
            self.next_look_s = now_s + QUIET_S
        return True

    def is_the_end(self, now_s: float) -> bool:
        """It waits for input now, and has been silent for a moment."""
        if self._settling is None or self.broken(now_s) or now_s < self.next_look_s:
            return False
        self._interval_s = min(self._interval_s * 2, LOOK_AGAIN_MAX_S)
        self.next_look_s = now_s + self._interval_s
        if self._settling.needs_output and not self._terminal.output.pending_bytes:
            return False
        return self._settling.settled(self._terminal) and self._terminal.total_bytes == self._printed

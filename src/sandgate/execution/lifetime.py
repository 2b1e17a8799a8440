"""Says when a command has had its time, and what to do about it. Pure: it is told the time and gives orders.

Three clocks, never two at once: the time limit while the command runs, the grace between asking it to stop and
killing it, and the drain after its end. The first stands still while a reviewer is asked. An order is given once. The
first part that stops a command names the reason.
"""

from __future__ import annotations

from sandgate.protocol.commands import NS_PER_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from sandgate.protocol.commands import Termination

    # "stop_reading": leave the pipes to the processes that still hold them, but deliver what was read.
    # "abandon": wait for nothing any more, neither the process nor its pipes nor our own reader.
    Order = Literal["wait", "terminate", "interrupt", "kill", "stop_reading", "abandon"]
    Phase = Literal["running", "asked", "killed", "draining", "delivering", "abandoned"]

DRAIN_MS = 2_000  # for processes that still hold the pipes after the command's end
INTERRUPT_GRACE_MS = 3_000  # between Ctrl-C and the kill; a second Ctrl-C does not wait
KILL_WAIT_MS = 5_000  # a process in an uninterruptible call may outlive SIGKILL; we do not


class Lifetime:
    """The phase of one command and the moment that ends the phase."""

    __slots__ = ("_deadline_ns", "_kill_grace_ms", "_left_ns", "_phase", "stopped_by")

    def __init__(self, *, now_ns: int, timeout_ms: int | None, kill_grace_ms: int = 0) -> None:
        self._phase: Phase = "running"
        self._kill_grace_ms = kill_grace_ms
        self._deadline_ns = None if timeout_ms is None else now_ns + timeout_ms * NS_PER_MS
        self._left_ns: int | None = None  # of the time limit, while it stands still
        self.stopped_by: Termination | None = None  # None: it was left to end by itself

    @property
    def abandoned(self) -> bool:
        return self._phase == "abandoned"

    @property
    def is_killed(self) -> bool:
        return self._phase == "killed"

    def wait_ms(self, now_ns: int) -> int | None:
        """How long nothing has to happen, rounded up; None: for ever."""
        if self._deadline_ns is None:
            return None
        return max(0, -(-(self._deadline_ns - now_ns) // NS_PER_MS))

    def due(self, now_ns: int) -> Order:
        """The order of this moment, after whatever happened has been told."""
        if self._deadline_ns is None or now_ns < self._deadline_ns:
            return "wait"
        if self._phase == "running":
            return self._stop("timed_out", now_ns)
        if self._phase == "asked":
            return self._kill(now_ns)
        if self._phase == "draining" and self.stopped_by is None:
            self._phase = "delivering"
            self._deadline_ns = None
            return "stop_reading"
        return self._abandon()

    def hold(self, now_ns: int) -> None:
        """A reviewer is being asked: until `release` the time limit stands still."""
        if self._phase == "running" and self._deadline_ns is not None:
            self._left_ns, self._deadline_ns = max(0, self._deadline_ns - now_ns), None

    def release(self, now_ns: int) -> None:
        """The question is answered, or no call waits for the answer."""
        if self._phase == "running" and self._left_ns is not None:
            self._deadline_ns = now_ns + self._left_ns
        self._left_ns = None

    def cancelled(self, now_ns: int) -> Order:
        """The caller wants no more of it."""
        if self._phase == "running":
            return self._stop("cancelled", now_ns)
        return "wait" if self._phase in ("asked", "killed") else self._abandon()

    def interrupted(self, now_ns: int) -> Order:
        """Ctrl-C: asks first, insists the second time."""
        if self._phase == "running":
            self.stopped_by = "interrupted"
            self._enter("asked", now_ns, INTERRUPT_GRACE_MS)
            return "interrupt"
        if self._phase == "asked":
            return self._kill(now_ns)
        return self._abandon()

    def ended(self, now_ns: int) -> None:
        """The command is over; its pipes may still be held by others."""
        if self._phase in ("running", "asked", "killed"):
            self._enter("draining", now_ns, DRAIN_MS)

    def delivering(self, now_ns: int) -> None:
        """The reader of our own output is slow: that is no reason to cut off what the command wrote.

        After a stop it is: the caller wants the end now.
        """
        if self._phase == "draining" and self.stopped_by is None:
            self._enter("draining", now_ns, DRAIN_MS)

    def _stop(self, why: Termination, now_ns: int) -> Order:
        self.stopped_by = why
        if not self._kill_grace_ms:
            return self._kill(now_ns)
        self._enter("asked", now_ns, self._kill_grace_ms)
        return "terminate"

    def _kill(self, now_ns: int) -> Order:
        self._enter("killed", now_ns, KILL_WAIT_MS)
        return "kill"

    def _abandon(self) -> Order:
        self._phase = "abandoned"
        self._deadline_ns = None
        return "abandon"

    def _enter(self, phase: Phase, now_ns: int, limit_ms: int) -> None:
        self._phase = phase
        self._deadline_ns = now_ns + limit_ms * NS_PER_MS

"""A count that goes up with whatever happens to one thing, and the waits for it to go up.

A waiter says which count it has seen. What happened since then, also between its look and its waiting, lets it through
at once: no wake-up is ever lost, however many wait. Waking is a plain call, so a thread and an event loop can wait for
the same thing.
"""

from __future__ import annotations

from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Wake = Callable[[], object]
    Waiter = Callable[[int, float], bool]  # takes the place of `wait`; False: it could not, and did nothing


class Changes:
    """The count, and the waiters for its next step."""

    __slots__ = ("_guard", "_waiting", "count", "wait_instead")

    def __init__(self) -> None:
        self._guard = allocate_lock()
        self._waiting: list[Wake] = []
        self.count = 0
        self.wait_instead: Waiter | None = None  # a blocking waiter who can make the change happen himself

    def happened(self) -> None:
        """Something did; each wait is woken once."""
        with self._guard:
            self.count += 1
            if not self._waiting:
                return
            waiting, self._waiting = self._waiting, []
        for wake in waiting:
            wake()

    def wake_on(self, seen: int, wake: Wake) -> bool:
        """Calls `wake` at the next change after `seen`, on whatever thread that happens; False: there was one."""
        with self._guard:
            if self.count != seen:
                return False
            self._waiting.append(wake)
            return True

    def forget(self, wake: Wake) -> None:
        """The waiter does not wait any more."""
        with self._guard:
            if wake in self._waiting:
                self._waiting.remove(wake)

    def wait(self, seen: int, timeout_s: float) -> bool:
        """Blocks until there is a change after `seen`, for `timeout_s` at most; False when there was none yet."""
        if timeout_s <= 0:
            return self.count != seen
        if self.wait_instead is not None and self.wait_instead(seen, timeout_s):
            return self.count != seen
        gate = allocate_lock()
        gate.acquire()
        wake = gate.release
        if not self.wake_on(seen, wake):
            return True
        if gate.acquire(timeout=timeout_s):
            return True
        self.forget(wake)
        return self.count != seen

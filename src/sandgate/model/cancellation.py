"""A wish not to get an answer any more, which reaches the code that waits for it on another thread."""

from __future__ import annotations

from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Cancellation:
    """Given up once, for good. Everything that listens is told exactly once, also what begins to listen later."""

    def __init__(self) -> None:
        self._guard = allocate_lock()
        self._listening: list[Callable[[], None]] = []
        self._cancelled = False

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def cancel(self) -> None:
        """Tell every listener, on this thread."""
        with self._guard:
            self._cancelled = True
            told, self._listening = self._listening, []
        for tell in told:
            tell()

    def listen(self, tell: Callable[[], None]) -> None:
        """Have `tell` called when it is cancelled; at once when it is already."""
        with self._guard:
            if not self._cancelled:
                self._listening.append(tell)
                return
        tell()

    def forget(self, tell: Callable[[], None]) -> None:
        """No longer call `tell`."""
        with self._guard:
            if tell in self._listening:
                self._listening.remove(tell)

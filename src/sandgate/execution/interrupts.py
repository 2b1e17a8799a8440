"""Lets Ctrl-C in only while we wait.

Python turns SIGINT into KeyboardInterrupt between any two bytecodes: after a child was started but before we
know its pid, after bytes were read but before they were kept. So for the length of a run the signal is remembered,
and raised at the next wait. Blocking it would do the same with a flaw: a child inherits the mask, and a
part that forgets to clear it makes a command deaf to Ctrl-C.

Only Python's own handler is replaced, and only in the main thread, where alone it runs. A program that made other
arrangements for SIGINT keeps them, and stops a command through the cancel descriptor.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import select
    from signal import SIGINT, default_int_handler, getsignal, signal
    from types import FrameType, TracebackType
    from typing import Self
else:
    from _signal import SIGINT, default_int_handler, getsignal, signal


class InterruptsHeld:
    """Owns the meaning of SIGINT for the length of a block."""

    __slots__ = ("_pending", "_replaced", "_waiting")

    def __init__(self) -> None:
        self._pending = False
        self._replaced = False
        self._waiting = False

    def __enter__(self) -> Self:
        if getsignal(SIGINT) is default_int_handler:
            try:
                signal(SIGINT, self._arrived)
            except ValueError:
                return self  # not the main thread: the signal is not ours to see
            self._replaced = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._replaced:
            signal(SIGINT, default_int_handler)
        if self._pending and error is None:
            raise KeyboardInterrupt  # it came too late for this command; it is still the caller's

    def wait(self, poll: select.poll, timeout_ms: int | None) -> list[tuple[int, int]]:
        """`poll.poll`; raises KeyboardInterrupt here, for a signal from before or during the wait."""
        self._waiting = True
        try:
            if self._pending:
                self._pending = False
                raise KeyboardInterrupt
            return poll.poll(timeout_ms)
        finally:
            self._waiting = False

    def _arrived(self, _number: int, _frame: FrameType | None) -> None:
        if not self._waiting:
            self._pending = True
            return
        self._waiting = False  # the `finally` above may be the very line that is interrupted
        raise KeyboardInterrupt

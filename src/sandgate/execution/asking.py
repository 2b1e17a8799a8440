"""One question about a command that waits for the answer: it can be taken back, and it may need the person's screen.

The question is put on a thread of its own. Whoever puts it to somebody finds it by `asked_now`, without every reviewer
in between having to know of it. While a question stands on the terminal, nothing else may write there or take keys:
the loop that attends the command sees to that before the first line is shown (`take_screen`).
"""

from __future__ import annotations

import os
from _thread import _local, allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

_thread = _local()


def asked_now() -> AskedMeanwhile | None:
    """The question that this thread is putting; None for one whose command does not run."""
    found: AskedMeanwhile | None = getattr(_thread, "asking", None)
    return found


class AskedMeanwhile:
    """A block: within it, the thread puts this question. `withdraw` may be called from any thread."""

    def __init__(self, screen: Callable[[bool], bool] = lambda _taken: True) -> None:
        """`screen` is told that the terminal is wanted, and no more; False: it cannot be had."""
        self.withdrawn = False
        self._screen = screen
        self._guard = allocate_lock()
        self._tell: list[Callable[[], None]] = []
        self._bell = -1

    def __enter__(self) -> Self:
        _thread.asking = self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _thread.asking = None
        with self._guard:
            self._tell.clear()
            if self._bell >= 0:
                os.close(self._bell)
                self._bell = -1

    def withdraw(self) -> None:
        """Nobody waits for the answer any more. May be repeated."""
        with self._guard:
            self.withdrawn = True
            told, self._tell = self._tell, []
            if self._bell >= 0:
                os.eventfd_write(self._bell, 1)
        for tell in told:
            tell()

    def when_withdrawn(self, tell: Callable[[], None]) -> None:
        """Have `tell` called when it is taken back; at once when that has happened."""
        with self._guard:
            if not self.withdrawn:
                self._tell.append(tell)
                return
        tell()

    def descriptor(self) -> int:
        """Readable once it is taken back; closed with the block."""
        with self._guard:
            if self._bell < 0:
                self._bell = os.eventfd(int(self.withdrawn), os.EFD_CLOEXEC | os.EFD_NONBLOCK)
            return self._bell

    def take_screen(self) -> bool:
        """Nothing of the command reaches the terminal, and it takes nothing from it, until `give_back_screen`.

        False: that cannot be promised, so nobody may be asked there.
        """
        return self._screen(True)

    def give_back_screen(self) -> None:
        self._screen(False)

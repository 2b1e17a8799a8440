"""That a call has not had its answer about a live command yet: until then the command must not make room.

A call holds its `Awaiting` and ends it. One that goes away without doing so takes it along: the command knows it
weakly, so that no way of giving up a call can keep a command for good.
"""

from __future__ import annotations

from time import monotonic_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
    from weakref import WeakSet

    class Awaited(Protocol):
        """A command, as far as a caller that waits for it is concerned."""

        awaiting: WeakSet[Awaiting]
        last_used_ns: int


class Awaiting:
    """One call that waits for `terminal`, from its making to its end."""

    __slots__ = ("__weakref__", "terminal")

    def __init__(self, terminal: Awaited) -> None:
        self.terminal = terminal
        terminal.awaiting.add(self)

    def end(self) -> None:
        """The call has its answer, or was given up; the command counts as used now. May be repeated."""
        if self in self.terminal.awaiting:
            self.terminal.last_used_ns = monotonic_ns()
            self.terminal.awaiting.discard(self)

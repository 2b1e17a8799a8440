"""Lets the calls on one live command through one at a time, in the order in which they came."""

from __future__ import annotations

from sandgate.terminals.changes import Changes
from sandgate.terminals.waiting import Wait

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.terminals.waiting import Steps

LOOK_S = 3_600.0  # the call before has its own limit, and leaving wakes us


class CallQueue:
    """Hands out turns; a caller that has one must `leave`, also when it gives up waiting."""

    __slots__ = ("_changes", "_waiting")

    def __init__(self) -> None:
        self._changes = Changes()
        self._waiting: list[object] = []

    def enter(self) -> object:
        """A place at the end of the line."""
        turn = object()
        self._waiting.append(turn)
        return turn

    def wait(self, turn: object) -> Steps[None]:
        """Until all callers before have left."""
        while True:
            seen = self._changes.count
            if self._waiting[0] is turn:
                return
            yield Wait(self._changes, seen, LOOK_S)

    def leave(self, turn: object) -> None:
        """May be repeated."""
        if turn in self._waiting:
            self._waiting.remove(turn)
            self._changes.happened()

"""Lets some things happen side by side and others alone, first come, first served."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class FairLock:
    """Shared or exclusive. Tasks are let in in the order they came. Belongs to one event loop."""

    def __init__(self) -> None:
        self._holders = 0  # how many share it; -1: one has it alone
        self._waiting: deque[tuple[asyncio.Future[None], bool]] = deque()

    @asynccontextmanager
    async def held(self, *, alone: bool) -> AsyncIterator[None]:
        """Waits for its turn."""
        if self._waiting or not self._is_free(alone=alone):
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append((turn, alone))
            try:
                await turn
            except asyncio.CancelledError:
                self._left(turn, alone=alone)
                raise
        else:
            self._take(alone=alone)
        try:
            yield
        finally:
            self._release(alone=alone)

    def _is_free(self, *, alone: bool) -> bool:
        return self._holders == 0 if alone else self._holders >= 0

    def _take(self, *, alone: bool) -> None:
        self._holders = -1 if alone else self._holders + 1

    def _release(self, *, alone: bool) -> None:
        self._holders = 0 if alone else self._holders - 1
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self._is_free(alone=self._waiting[0][1]):
            turn, alone = self._waiting.popleft()
            self._take(alone=alone)
            turn.set_result(None)

    def _left(self, turn: asyncio.Future[None], *, alone: bool) -> None:
        """A task was cancelled while it waited; it may have been given its turn in the same moment."""
        if turn.done() and not turn.cancelled():
            self._release(alone=alone)
            return
        self._waiting = deque(each for each in self._waiting if each[0] is not turn)
        self._admit()

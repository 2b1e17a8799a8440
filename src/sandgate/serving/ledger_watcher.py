"""Notices answers that another process has written. One look at the directory does for all open questions."""

from __future__ import annotations

import asyncio

from sandgate.errors import SandgateError
from sandgate.gate.event_loop import on_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.approvals.ledger.ledger import Ledger
    from sandgate.kernel.inotify import DirectoryWatch

LOOK_AGAIN_S = 0.5  # where the kernel cannot tell that the directory has changed
LOOKS_APART_S = 0.02  # a burst of changes is one look


class LedgerWatcher:
    """Belongs to one event loop. `noticed` is called with the ids that have an answer; None: look at all of them."""

    def __init__(self, ledger: Ledger, noticed: Callable[[frozenset[str] | None], None]) -> None:
        self._ledger = ledger
        self._noticed = noticed
        self._watch: DirectoryWatch | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._looking: asyncio.Task[None] | None = None
        self._changed = False

    def open(self) -> None:
        """From now on; and what came before. May be repeated."""
        loop = asyncio.get_running_loop()
        if self._watch is None and self._timer is None:
            try:
                self._watch = self._ledger.watch()
            except OSError:
                self._timer = loop.call_later(LOOK_AGAIN_S, self._look_again)
            else:
                loop.add_reader(self._watch.fileno(), self._told)
        self._look_soon()

    def close(self) -> None:
        """No question waits for an answer any more. May be repeated."""
        if self._watch is not None:
            asyncio.get_running_loop().remove_reader(self._watch.fileno())
            self._watch.close()
            self._watch = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None

    def _told(self) -> None:
        if self._watch is not None:
            self._watch.drain()
            self._look_soon()

    def _look_again(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(LOOK_AGAIN_S, self._look_again)
        self._look_soon()

    def _look_soon(self) -> None:
        self._changed = True
        if self._looking is None:
            self._looking = asyncio.ensure_future(self._look())

    async def _look(self) -> None:
        while self._changed:
            self._changed = False
            try:
                answered: frozenset[str] | None = (await on_thread(self._ledger.survey))[1]
            except SandgateError:
                answered = None
            self._noticed(answered)
            await asyncio.sleep(LOOKS_APART_S)
        self._looking = None

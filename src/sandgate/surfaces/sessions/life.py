"""One open session from its beginning to its end: opened, its events handed on in their order, each once, and ended."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from sandgate.errors import SandgateError, SessionEnded
from sandgate.protocol.operations import Shutdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from sandgate.agent.agent import Agent
    from sandgate.protocol.events import Event
    from sandgate.protocol.operations import Operation

CLOSE_S = 15.0  # for a session that was told to end; then it is cut off
ENDED = "the session has ended"


class SessionLife:
    """Belongs to one event loop. `begun` is called before the first event, `ended` after the last, whatever ends it."""

    def __init__(
        self, begun: Callable[[Agent], object], take: Callable[[Event], object], ended: Callable[[], object]
    ) -> None:
        self._told_begun, self._take, self._told_ended = begun, take, ended
        self._agent: Agent | None = None
        self._life: asyncio.Task[None] | None = None
        self._ending = False

    async def begin(self, opening: AbstractAsyncContextManager[Agent]) -> None:
        """Raises what opening a session raises."""
        opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        life = self._life = asyncio.ensure_future(self._live(opening, opened))
        try:
            await asyncio.shield(opened)
        except asyncio.CancelledError:
            life.cancel()
            await asyncio.wait((life,), timeout=CLOSE_S)
            raise

    @property
    def over(self) -> bool:
        """It has ended, or is about to."""
        return self._ending or self._life is None or self._life.done()

    def submit(self, op: Operation) -> str:
        """Asks the session for something; the id that its events carry. Raises SessionEnded, RequestError."""
        if self._agent is None:
            raise SessionEnded(ENDED)
        return self._agent.submit(op)

    async def ended(self) -> None:
        """Waits for its end, whatever brings that."""
        if self._life is not None:
            await asyncio.wait((self._life,))

    async def close(self) -> None:
        """Ends the session and everything it started; may be repeated."""
        self._ending = True
        life = self._life
        if life is None or life.done():
            return
        with suppress(SandgateError):  # it ends already
            self.submit(Shutdown())
        _done, late = await asyncio.wait((life,), timeout=CLOSE_S)
        if late:
            life.cancel()
            await asyncio.wait((life,), timeout=CLOSE_S)

    async def _live(self, opening: AbstractAsyncContextManager[Agent], opened: asyncio.Future[None]) -> None:
        try:
            async with opening as agent:
                self._agent = agent
                self._told_begun(agent)
                opened.set_result(None)
                async for event in agent.events():
                    self._take(event)
        except (Exception, asyncio.CancelledError) as problem:
            if not opened.done():
                opened.set_exception(problem if isinstance(problem, Exception) else SessionEnded(ENDED))
                opened.exception()  # seen, also where nobody waits any more
        finally:
            self._ending = True
            self._told_ended()

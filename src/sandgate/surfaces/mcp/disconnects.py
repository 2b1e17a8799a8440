"""Ends the sessions of clients that have gone without a word, because they were killed or their machine was.

HTTP has no connection that belongs to a session. But a client that listens keeps a stream open; when that broke, and
nothing of the client has come for a while, the client is gone, and what it started must not go on.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import ASGIApp, Message, Scope

    Named = tuple[str, str]  # whose session, and its name

ABSENT_SECONDS = 60.0  # for a client whose stream broke to come back


class Disconnects:
    """Watches the requests of each session. Belongs to one event loop."""

    def __init__(self, inside: ASGIApp) -> None:
        self._inside = inside
        self._requests: dict[Named, int] = {}  # in progress
        self._listened: set[Named] = set()  # those that had a stream
        self._leaving: dict[Named, asyncio.TimerHandle] = {}
        self._ending: set[asyncio.Future[None]] = set()  # a loop holds its tasks weakly

    @contextmanager
    def request(self, session: Named, scope: Scope) -> Iterator[None]:
        """One request of a session, for as long as it takes."""
        timer = self._leaving.pop(session, None)
        if timer is not None:
            timer.cancel()
        self._requests[session] = self._requests.get(session, 0) + 1
        try:
            yield
        finally:
            self._requests[session] -= 1
            if not self._requests[session]:
                del self._requests[session]
                self._left(session, scope)

    def listens(self, session: Named) -> None:
        """It was given a stream."""
        self._listened.add(session)

    def forget(self, session: Named) -> None:
        """It has ended."""
        self._listened.discard(session)

    def _left(self, session: Named, scope: Scope) -> None:
        if session in self._listened:
            loop = asyncio.get_running_loop()
            self._leaving[session] = loop.call_later(ABSENT_SECONDS, self._gone, session, scope)

    def _gone(self, session: Named, scope: Scope) -> None:
        self._leaving.pop(session, None)
        self.forget(session)
        ending = asyncio.ensure_future(self._end(scope))
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    async def _end(self, scope: Scope) -> None:
        """Says the goodbye that the client did not say, in its name."""

        async def nothing() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def unheard(_message: Message) -> None:
            return

        await self._inside({**scope, "method": "DELETE"}, nothing, unheard)

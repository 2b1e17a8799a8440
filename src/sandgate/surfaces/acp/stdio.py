"""One client over standard input and output."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from acp.agent.connection import AgentSideConnection

from sandgate.surfaces.acp.agent import SandgateAgent
from sandgate.surfaces.acp.client import EditorClient
from sandgate.surfaces.acp.sessions import OpenSessions
from sandgate.surfaces.acp.wire import Messages
from sandgate.surfaces.transport.signals import ending_signals
from sandgate.surfaces.transport.wire import Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.surfaces.sessions.serving import Serving

LAST_ANSWERS_SECONDS = 0.1  # for what is asked in the last breath before the client closes its end; then cancelled
FLUSH_SECONDS_MAX = 2.0  # for the last answers to a client that reads slowly
DOES_NOT_READ = "the client does not read what it is sent; the connection is ended"


async def serve_stdio(serving: Serving, streams: tuple[int, int], *, complain: Callable[[str], None]) -> int | None:
    """Serve until the client leaves or a signal says so; the number of that signal, None without one.

    `streams` are what `take_standard_streams` gave, and are closed at the end, and so is every session. `complain`
    gets one line when the connection is ended for a fault of the client.
    """
    served = _Served(serving, streams, complain)
    with ending_signals(served.heard):
        await served.serve()
    return served.signal


class _Served:
    """The one client."""

    def __init__(self, serving: Serving, streams: tuple[int, int], complain: Callable[[str], None]) -> None:
        self.signal: int | None = None
        self._complain = complain
        self._given_up = False
        self._wire = Wire(*streams, lost=self._end)
        self._messages = Messages(self._wire, self._give_up)
        client = EditorClient(self._messages)
        self._sessions = OpenSessions(serving, client)
        self._connection = client.connection = AgentSideConnection(
            SandgateAgent(self._sessions),  # type: ignore[arg-type] # it has no `fork_session`, and says so
            self._messages,
            listening=False,
            use_unstable_protocol=True,  # so that sessions can be resumed and closed
        )
        self._reading = asyncio.ensure_future(self._connection.listen())

    def heard(self, number: int) -> None:
        """A signal asks for the end."""
        self.signal = self.signal or number
        self._end()

    async def serve(self) -> None:
        """Until the client has left, or `_end`."""
        try:
            with suppress(asyncio.CancelledError):
                await self._reading
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_ANSWERS_SECONDS):
                    await self._messages.idle()
            await self._sessions.close()
            await self._connection.close()
            await self._wire.flush(FLUSH_SECONDS_MAX)
        finally:
            self._wire.stop()

    def _give_up(self) -> None:
        if not self._given_up:
            self._given_up = True
            self._complain(DOES_NOT_READ)
            self._end()

    def _end(self) -> None:
        self._reading.cancel()

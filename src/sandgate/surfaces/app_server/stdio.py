"""One client over standard input and output: a message a line."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from sandgate.surfaces.app_server.connection import Connection
from sandgate.surfaces.app_server.handlers import HANDLERS
from sandgate.surfaces.app_server.messages import MESSAGE_BYTES_MAX
from sandgate.surfaces.transport.framing import Lines
from sandgate.surfaces.transport.signals import ending_signals
from sandgate.surfaces.transport.wire import Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.surfaces.app_server.threads import OpenThreads

LAST_ANSWERS_SECONDS = 0.1  # for what is asked in the last breath before the client closes its end; then cancelled
FLUSH_SECONDS_MAX = 2.0  # for the last answers to a client that reads slowly
DOES_NOT_READ = "the client does not read what it is sent; the connection is ended"


async def serve_stdio(threads: OpenThreads, streams: tuple[int, int], *, complain: Callable[[str], None]) -> int | None:
    """Serve until the client leaves or a signal says so; the number of that signal, None without one.

    `streams` are what `take_standard_streams` gave, and are closed at the end, and so is every thread. `complain` gets
    one line when the connection is ended for a fault of the client.
    """
    served = _Served(threads, streams, complain)
    with ending_signals(served.heard):
        await served.serve()
    return served.signal


class _Served:
    """The one client."""

    def __init__(self, threads: OpenThreads, streams: tuple[int, int], complain: Callable[[str], None]) -> None:
        self.signal: int | None = None
        self._threads = threads
        self._complain = complain
        self._wire = Wire(*streams, lost=self._end)
        self._connection = Connection(threads, HANDLERS, self._put)
        self._reading = asyncio.ensure_future(self._read())
        self._given_up = False

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
                    await self._connection.settle()
            await self._connection.close()
            await self._threads.close()
            await self._wire.flush(FLUSH_SECONDS_MAX)
        finally:
            self._wire.stop()

    async def _read(self) -> None:
        lines = Lines(MESSAGE_BYTES_MAX)
        async for chunk in self._wire.chunks():
            for line in lines.fed(chunk):
                await self._received(line)
        await self._received(lines.rest())

    async def _received(self, line: bytes | None) -> None:
        if not await self._wire.room():
            self._give_up()
        elif line is None or line.strip():
            self._connection.receive(line)
            await asyncio.sleep(0)  # what was asked begins in its order, and answers go out between two messages

    def _put(self, message: bytes) -> None:
        if not self._wire.put(message + b"\n"):
            self._give_up()

    def _give_up(self) -> None:
        if not self._given_up:
            self._given_up = True
            self._complain(DOES_NOT_READ)
            self._end()

    def _end(self) -> None:
        self._reading.cancel()

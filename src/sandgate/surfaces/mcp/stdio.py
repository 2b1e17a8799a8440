"""One client over standard input and output: a message a line.

The SDK has such a transport. This one keeps lines within a limit, answers every line that is no message, ends a client
that does not read, limits how many requests are in progress, and changes threads once for a message each way, not
back and forth. Cancelling, eras and answers remain the SDK's.
"""

from __future__ import annotations

import asyncio

import anyio
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types.jsonrpc import JSONRPCError, JSONRPCRequest, JSONRPCResponse

from sandgate.surfaces.mcp.messages import (
    MESSAGE_BYTES_MAX,
    TOO_MANY_REQUESTS,
    NoMessage,
    message_too_long,
    protocol_error,
    read_message,
    written,
)
from sandgate.surfaces.transport.framing import Lines
from sandgate.surfaces.transport.signals import ending_signals
from sandgate.surfaces.transport.wire import Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.server.lowlevel import Server
    from mcp_types.jsonrpc import JSONRPCMessage

REQUESTS_MAX = 1024  # of the client, in progress at the same time
LAST_ANSWERS_SECONDS = 0.1  # for what is asked in the last breath before the client closes its end; then cancelled
FLUSH_SECONDS_MAX = 2.0  # for the last answers to a client that reads slowly


async def serve_stdio(server: Server[Any], streams: tuple[int, int], *, complain: Callable[[str], None]) -> int | None:
    """Serve until the client leaves or a signal says so; the number of that signal, None without one.

    `streams` are what `streams.take_standard_streams` gave, and are closed at the end. Requests in progress are
    cancelled then. `complain` gets one line when the connection is ended for a fault of the client.
    """
    connection = _Connection(server, streams, complain)
    with ending_signals(connection.heard):
        await connection.serve()
    return connection.signal


class _Connection:
    """The state of the one client."""

    def __init__(self, server: Server[Any], streams: tuple[int, int], complain: Callable[[str], None]) -> None:
        self.signal: int | None = None
        self._server = server
        self._complain = complain
        self._wire = Wire(*streams, lost=self._end)
        self._in_progress = 0
        self._idle = asyncio.Event()
        self._serving = anyio.CancelScope()

    def heard(self, number: int) -> None:
        """A signal asks for the end."""
        self.signal = self.signal or number
        self._end()

    async def serve(self) -> None:
        """Until the client has left, or `_end`."""
        to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        from_server, to_client = _outgoing()
        try:
            # What is written outlives what is served: the last answers are given while that is being cancelled.
            async with anyio.create_task_group() as writing:
                writing.start_soon(self._send_all, to_client)
                async with from_server:
                    with self._serving:
                        async with anyio.create_task_group() as reading:
                            reading.start_soon(self._receive_all, to_server)
                            options = self._server.create_initialization_options()
                            await self._server.run(from_client, from_server, options)
                            reading.cancel_scope.cancel()
            await self._wire.flush(FLUSH_SECONDS_MAX)
        finally:
            self._wire.stop()

    async def _receive_all(self, to_server: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        lines = Lines(MESSAGE_BYTES_MAX)
        async with to_server:
            async for chunk in self._wire.chunks():
                for line in lines.fed(chunk):
                    await self._received(line, to_server)
            await self._received(lines.rest(), to_server)
            if self._in_progress:
                with anyio.move_on_after(LAST_ANSWERS_SECONDS):
                    await self._idle.wait()

    async def _received(
        self, line: bytes | None, to_server: MemoryObjectSendStream[SessionMessage | Exception]
    ) -> None:
        if not await self._wire.room():
            self._give_up()
            return
        if line is None:
            self._send(message_too_long())
            return
        if not line.strip():
            return
        match read_message(line):
            case NoMessage(answer):
                self._send(answer)
            case JSONRPCRequest() as request if self._in_progress >= REQUESTS_MAX:
                self._send(protocol_error(TOO_MANY_REQUESTS, "too many requests at once", request.id))
            case JSONRPCRequest() as request:
                self._in_progress += 1
                self._idle.clear()
                metadata = ServerMessageMetadata(on_request_unanswered=self._settled)
                await to_server.send(SessionMessage(request, metadata))
            case message:
                await to_server.send(SessionMessage(message))

    async def _send_all(self, to_client: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with to_client:
            async for outgoing in to_client:
                self._send(outgoing.message)
                if isinstance(outgoing.message, JSONRPCResponse | JSONRPCError):
                    await self._settled()

    async def _settled(self) -> None:
        """A request was answered, or ended without an answer because the client had cancelled it."""
        self._in_progress -= 1
        if not self._in_progress:
            self._idle.set()

    def _send(self, message: JSONRPCMessage) -> None:
        data = written(message)
        if data is not None and not self._wire.put(data + b"\n"):
            self._give_up()

    def _give_up(self) -> None:
        if not self._serving.cancel_called:
            self._complain("the client does not read what it is sent; the connection is ended")
            self._end()

    def _end(self) -> None:
        self._serving.cancel()


def _outgoing() -> tuple[MemoryObjectSendStream[SessionMessage], MemoryObjectReceiveStream[SessionMessage]]:
    return anyio.create_memory_object_stream[SessionMessage](0)

"""Many clients over HTTP on the loopback address, each known by its token.

uvicorn reads HTTP, the SDK speaks the protocol, `http_guard.py` stands between them. The connections are accepted by
the caller's own event loop and not by uvicorn's server, which polls, and takes the signals of the process for itself.
"""

from __future__ import annotations

import asyncio

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from uvicorn.config import Config
from uvicorn.server import ServerState

from sandgate.surfaces.mcp.connections import HEADERS_BYTES_MAX, KEEP_ALIVE_SECONDS, HttpConnection
from sandgate.surfaces.mcp.http_guard import PATH, door
from sandgate.surfaces.mcp.messages import MESSAGE_BYTES_MAX
from sandgate.surfaces.mcp.request_limit import RequestLimit
from sandgate.surfaces.mcp.resuming import Resuming
from sandgate.surfaces.transport.loopback import authority_of, listen_on, own_authorities
from sandgate.surfaces.transport.signals import ending_signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from typing import Any

    from mcp.server.lowlevel import Server
    from starlette.types import ASGIApp

    from sandgate.surfaces.transport.tokens import Tokens

SESSIONS_MAX = 256
SESSION_IDLE_SECONDS = 30.0 * 60
RETRY_MS = 500  # after which a client whose stream broke is told to come back for the rest
BACKLOG = 128  # connections the kernel holds for us
GOODBYE_SECONDS = 0.5  # for streams whose session has ended to say so; then they are cut
CUT_SECONDS_MAX = 5.0  # for the requests that were cut to clean up


async def serve_http(
    server: Server[Any], *, host: str, port: int, tokens: Tokens, announce: Callable[[str], None]
) -> int:
    """Serve until a signal says so; its number. Ends in the same order when it is cancelled.

    `announce` is called with the URL once it can be connected to. `port` 0 takes a free one. The server gets a
    middleware that limits its requests, so it is for this call alone.
    """
    listening = listen_on(host, port)
    resuming = Resuming()
    manager = StreamableHTTPSessionManager(
        server,
        event_store=resuming,
        retry_interval=RETRY_MS,
        session_idle_timeout=SESSION_IDLE_SECONDS,
        max_request_body_size=MESSAGE_BYTES_MAX,
        max_sessions=SESSIONS_MAX,
    )
    server.middleware.insert(0, RequestLimit())
    authorities = own_authorities(listening)
    connections = Connections(
        door(manager.handle_request, authorities=authorities, tokens=tokens, resuming=resuming), listening
    )
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def heard(number: int) -> None:
        if not ended.done():
            ended.set_result(number)

    with ending_signals(heard):
        try:
            async with manager.run():
                await connections.open()
                announce(f"http://{authority_of(listening)}{PATH}")
                try:
                    return await ended
                finally:
                    connections.refuse()
        finally:
            listening.close()
            await connections.close()


class Connections:
    """All clients that are connected to one listening socket."""

    def __init__(self, app: ASGIApp, listening: socket.socket) -> None:
        self._listening = listening
        self._state = ServerState()
        self._config = Config(
            app,
            lifespan="off",
            interface="asgi3",
            http=HttpConnection,
            ws="none",
            log_config=None,
            log_level="critical",  # what a stranger sends is no reason to write a line for each
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            h11_max_incomplete_event_size=HEADERS_BYTES_MAX,
        )
        self._accepting: asyncio.Server | None = None

    async def open(self) -> None:
        """Accept from now on."""
        self._config.load()
        loop = asyncio.get_running_loop()
        self._accepting = await loop.create_server(self._connection, sock=self._listening, backlog=BACKLOG)

    def refuse(self) -> None:
        """Accept no more, and no further request of the clients that are connected."""
        if self._accepting is not None:
            self._accepting.close()
        for connection in list(self._state.connections):
            connection.shutdown()

    async def close(self) -> None:
        """End what is still in progress, then all connections."""
        if self._state.tasks:
            await asyncio.wait(self._state.tasks, timeout=GOODBYE_SECONDS)
        for task in list(self._state.tasks):
            task.cancel()
        if self._state.tasks:
            await asyncio.wait(self._state.tasks, timeout=CUT_SECONDS_MAX)
        for connection in list(self._state.connections):
            if connection.transport is not None:
                connection.transport.abort()

    def _connection(self) -> HttpConnection:
        return HttpConnection(self._config, self._state, {}, asyncio.get_running_loop())

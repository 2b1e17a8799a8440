"""A test-only MCP server with the conformance suite's tools: `python fixture_server.py stdio|http`.

Over HTTP it prints the address it listens on, and wants the bearer token in SANDGATE_MCP_TOKEN.
"""

from __future__ import annotations

import os
import socket
import sys

import anyio
import mcp.server.auth.provider as auth
import mcp.server.streamable_http as streamable_http
import uvicorn
from mcp.server.auth.settings import AuthSettings
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp_types import JSONRPCMessage
from pydantic import AnyHttpUrl

from peers import fixture_tools


class OneToken:
    """Knows a single token."""

    async def verify_token(self, token: str) -> auth.AccessToken | None:
        if token != os.environ["SANDGATE_MCP_TOKEN"]:
            return None
        return auth.AccessToken(token=token, client_id="peer", scopes=[])


class Events(streamable_http.EventStore):
    """Keeps everything, so that a client that lost its stream is sent what it missed."""

    def __init__(self) -> None:
        self._kept: list[tuple[str, JSONRPCMessage | None]] = []

    async def store_event(self, stream_id: str, message: JSONRPCMessage | None) -> str:
        self._kept.append((stream_id, message))
        return str(len(self._kept))

    async def replay_events_after(self, last_event_id: str, send_callback: streamable_http.EventCallback) -> str | None:
        seen = int(last_event_id)
        stream = self._kept[seen - 1][0]
        for number, (stream_id, message) in enumerate(self._kept[seen:], seen + 1):
            if stream_id == stream and message is not None:
                await send_callback(streamable_http.EventMessage(message, str(number)))
        return stream


def build() -> Server[dict[str, object]]:
    """The server under test; only its tools are fixtures."""
    server = Server(
        "fixtures", version="1", on_list_tools=fixture_tools.list_tools, on_call_tool=fixture_tools.call_tool
    )
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="fixtures"))
    return server


async def over_stdio(server: Server[dict[str, object]]) -> None:
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


async def over_http(server: Server[dict[str, object]]) -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    settings = AuthSettings(issuer_url=AnyHttpUrl(address), resource_server_url=None)
    app = server.streamable_http_app(auth=settings, token_verifier=OneToken(), event_store=Events(), retry_interval=500)
    print(f"{address}/mcp", flush=True)
    await uvicorn.Server(uvicorn.Config(app, log_level="error")).serve(sockets=[listening])


if __name__ == "__main__":
    anyio.run({"stdio": over_stdio, "http": over_http}[sys.argv[1]], build())

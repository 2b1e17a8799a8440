"""Sandgate's own server with the conformance suite's tools in front of its own, over HTTP.

What is judged is what `sandgate mcp` serves: its server, its sessions, its transport. Only the tools are more. It says
on standard error where it listens, and wants the bearer token in SANDGATE_MCP_TOKEN. (The suite speaks HTTP only.)
"""

from __future__ import annotations

import asyncio
import os
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server

from peers import fixture_tools
from sandgate.runtime import Environment
from sandgate.serving.ledger_access import open_ledger
from sandgate.serving.sealing_key import sealing_key
from sandgate.surfaces.mcp.calling import Channels
from sandgate.surfaces.mcp.command import HOST, VARIABLE, say
from sandgate.surfaces.mcp.http import serve_http
from sandgate.surfaces.mcp.server import build_server
from sandgate.surfaces.mcp.sessions import Sessions
from sandgate.surfaces.transport.tokens import Tokens

QUESTION_LIMIT_S = 60.0


def build(environ: dict[str, str]) -> Server[Any]:
    """As `command.serve` builds it."""
    ledger = open_ledger(environ)
    environment = Environment(os.getcwd(), environ, person_present=True)
    sessions = Sessions(environment, ledger, timeout_s=QUESTION_LIMIT_S)
    server = build_server(sessions, login_allowed=True, channels=Channels({}), sealing_key=sealing_key(environ))
    return with_fixtures(server)


def with_fixtures(server: Server[Any]) -> Server[Any]:
    """The tools of both; a call of one that is no fixture goes on to the server's own handler."""
    own_list, own_call = server.get_request_handler("tools/list"), server.get_request_handler("tools/call")
    own_schema = server.get_tool_input_schema
    assert own_list
    assert own_call

    async def list_tools(context: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        own = await own_list.handler(context, params)
        assert isinstance(own, types.ListToolsResult)
        fixtures = [tool for tool, _ in fixture_tools.TOOLS.values()]
        return own.model_copy(update={"tools": [*fixtures, *own.tools]})

    def schema(name: str) -> Any:
        known = fixture_tools.TOOLS.get(name)
        return known[0].input_schema if known else own_schema and own_schema(name)

    async def call(context: Any, params: types.CallToolRequestParams) -> Any:
        known = params.name in fixture_tools.TOOLS
        return await (fixture_tools.call_tool if known else own_call.handler)(context, params)

    server.get_tool_input_schema = schema
    server.add_request_handler("tools/list", types.PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", types.CallToolRequestParams, call)
    return server


def main() -> None:
    """Serve until a signal comes."""
    environ = dict(os.environ)
    tokens = Tokens.from_variable(environ, VARIABLE)
    assert tokens, "no token in SANDGATE_MCP_TOKEN"
    server = build(environ)
    asyncio.run(serve_http(server, host=HOST, port=0, tokens=tokens, announce=lambda url: say(f"serving at {url}")))


if __name__ == "__main__":
    main()

"""What the SDK alone costs: its own stdio server with a tool that does nothing, and one that runs `true` ungoverned."""

from __future__ import annotations

import subprocess
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, TextContent, Tool


async def list_tools(_context: Any, _params: Any) -> ListToolsResult:
    """Both tools."""
    schema = {"type": "object"}
    return ListToolsResult(tools=[Tool(name=name, input_schema=schema) for name in ("nothing", "ungoverned")])


async def call_tool(_context: Any, params: CallToolRequestParams) -> CallToolResult:
    """One of them."""
    if params.name == "ungoverned":
        await anyio.to_thread.run_sync(lambda: subprocess.run(["sh", "-c", "true"], check=True))
    return CallToolResult(content=[TextContent(text="done")])


async def main() -> None:
    """Serve until the client goes."""
    server: Server[Any] = Server("bare", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


anyio.run(main)

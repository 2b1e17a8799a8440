"""A small server of the protocol for tests of its transports, and the program that serves it over stdio.

Run as a program: `python mcp_stage.py [STALLED_SECONDS_MAX]` serves standard input and output.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from pathlib import Path
from typing import Any

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.lowlevel import Server
from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, TextContent, Tool

TOOLS = ("echo", "wait", "whoami", "flood", "print", "odd", "cleanup", "later")


async def list_tools(_ctx: Any, _params: Any) -> ListToolsResult:
    return ListToolsResult(tools=[Tool(name=name, description=name, input_schema={"type": "object"}) for name in TOOLS])


def say(text: str) -> None:
    os.write(2, f"{text}\n".encode())


class Stage:
    """What the tools do; events instead of waits."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.waiting = asyncio.Event()
        self.ended: list[str] = []
        self.closed = asyncio.Event()

    def server(self) -> Server[Any]:
        return Server("stage", version="1", on_list_tools=list_tools, on_call_tool=self.call)

    async def call(self, ctx: Any, params: CallToolRequestParams) -> CallToolResult:
        text = await getattr(self, f"_{params.name}")(ctx, params.arguments or {})
        return CallToolResult(content=[TextContent(type="text", text=text)])

    async def _echo(self, _ctx: Any, arguments: dict[str, Any]) -> str:
        return str(arguments.get("text", ""))

    async def _wait(self, _ctx: Any, _arguments: dict[str, Any]) -> str:
        say("waiting")
        self.waiting.set()
        try:
            await asyncio.Event().wait()
        finally:
            say("cancelled")
            self.ended.append("cancelled")
        return ""

    async def _later(self, ctx: Any, _arguments: dict[str, Any]) -> str:
        self.waiting.set()
        await ctx.session.report_progress(0.5)
        await self.go.wait()
        return "late answer"

    async def _whoami(self, ctx: Any, _arguments: dict[str, Any]) -> str:
        token = get_access_token()
        return (
            "nobody" if token is None else f"{token.client_id} {token.token}{ctx.request.headers.get('authorization')}"
        )

    async def _flood(self, ctx: Any, _arguments: dict[str, Any]) -> str:
        while True:
            await ctx.session.report_progress(0.5, message="x" * 65536)

    async def _print(self, _ctx: Any, _arguments: dict[str, Any]) -> str:
        print("stray words", flush=True)
        os.write(1, b"stray bytes\n")
        process = await asyncio.create_subprocess_exec("sh", "-c", "echo from a child; cat")
        await process.wait()
        return "printed"

    async def _odd(self, _ctx: Any, _arguments: dict[str, Any]) -> str:
        return "half \ud800 a pair"

    async def _cleanup(self, ctx: Any, _arguments: dict[str, Any]) -> str:
        async def closed() -> None:
            self.closed.set()

        ctx.session._connection.exit_stack.push_async_callback(closed)
        return "kept"


def main() -> None:
    from sandgate.surfaces.mcp.stdio import serve_stdio
    from sandgate.surfaces.transport import wire
    from sandgate.surfaces.transport.streams import take_standard_streams

    logging.disable()  # what the SDK says about odd messages is not what the tests are about
    for given in sys.argv[1:]:
        wire.STALLED_SECONDS_MAX = float(given)
    streams = take_standard_streams()

    async def serve() -> int | None:
        return await serve_stdio(Stage().server(), streams, complain=say)

    ended_by = asyncio.run(serve())
    say(f"ended by {ended_by}")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "src"))
    main()

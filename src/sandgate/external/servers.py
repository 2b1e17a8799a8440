"""The servers of one session: all started at once, their tools under one roof, all ended together.

A server that does not start is one message, and the session goes on without it, unless the user has said that it is
required. What is offered is fixed when a server has started: what a reviewer approves is the tool that was shown,
and not what a server makes of its name later. The SDK is loaded with the first server.
"""

from __future__ import annotations

import asyncio

from sandgate.errors import ExternalServerFailed, ToolArgumentsError
from sandgate.external.answer import no_answer
from sandgate.external.offer import external_tools, usable_offers
from sandgate.record import Record
from sandgate.tools.json_object import ObjectReader
from sandgate.tools.truncation import TruncationPolicy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Any, Self

    from sandgate.external.answer import ExternalAnswer
    from sandgate.external.connection import ServerConnection
    from sandgate.external.offer import ExternalTool, Offered
    from sandgate.external.server import ExternalServer

ANSWER_POLICY = TruncationPolicy("tokens", 10_000)  # of the text of one answer, where the turn says nothing else


class ServerFailure(Record):
    """A server that the session does without."""

    server: str
    message: str


class ExternalServers:
    """Belongs to one event loop; `async with` starts and ends them.

    `cwd` (absolute): where programs are started. `version`: ours, as servers are told.
    """

    def __init__(
        self, servers: tuple[ExternalServer, ...], *, environ: Mapping[str, str], cwd: str, version: str
    ) -> None:
        self._servers = {server.name: server for server in servers}
        self._environ = environ
        self._cwd = cwd
        self._version = version
        self._connections: dict[str, ServerConnection] = {}
        self._tools: dict[str, ExternalTool] = {}
        self.failures: tuple[ServerFailure, ...] = ()
        self.notices: tuple[str, ...] = ()  # tools that were left out, and why

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _where: TracebackType | None
    ) -> None:
        await self.close()

    async def start(self) -> None:
        """Returns when each has started or failed. Raises ExternalServerFailed when a required one fails."""
        if not self._servers:
            return
        self._connections = self._made()
        try:
            outcomes = await asyncio.gather(*(_started(each) for each in self._connections.values()))
        except BaseException:
            await self.close()
            raise
        found = []
        for server, outcome in zip(self._servers.values(), outcomes, strict=True):
            if isinstance(outcome, ExternalServerFailed):
                self.failures = (*self.failures, ServerFailure(server.name, outcome.sentence))
            else:
                kept, notices = usable_offers(server, outcome)
                self.notices += notices
                found.append((server, kept))
        lacking = next((each for each in self.failures if self._servers[each.server].required), None)
        if lacking is not None:
            await self.close()
            raise ExternalServerFailed(lacking.message, hint=f"`mcp_servers.{lacking.server}.required` is set")
        self._tools = {tool.name: tool for tool in external_tools(found)}

    def definitions(self) -> tuple[dict[str, Any], ...]:
        """What a model is told about all tools, as the Responses API has it."""
        return tuple(tool.definition() for tool in self._tools.values())

    def described(self) -> dict[str, dict[str, Any]]:
        """All tools, by the names that a model calls them by, as the protocol of these servers has them."""
        return {name: tool.described() for name, tool in self._tools.items()}

    def tool(self, name: str) -> ExternalTool | None:
        """The tool that a model calls by this name."""
        return self._tools.get(name)

    def server_of(self, tool: ExternalTool) -> ExternalServer:
        """Whose it is, as configured."""
        return self._servers[tool.server]

    async def call(
        self, tool: ExternalTool, arguments: Mapping[str, Any], *, policy: TruncationPolicy = ANSWER_POLICY
    ) -> ExternalAnswer:
        """Calls a tool that is approved. Raises nothing but cancellation, of which the server is told."""
        connection = self._connections.get(tool.server)
        if connection is None:
            return no_answer(f"the MCP server `{tool.server}` is not connected any more")
        return await connection.call(tool.tool, arguments, policy)

    async def close(self) -> None:
        """Ends all of them in bounded time, also when cancelled meanwhile; nothing they started is left."""
        ending = asyncio.ensure_future(asyncio.gather(*(each.close() for each in self._connections.values())))
        self._connections = {}
        cancelled = False
        while not ending.done():
            try:
                await asyncio.shield(ending)
            except asyncio.CancelledError:
                cancelled = True
        if cancelled:
            raise asyncio.CancelledError

    def _made(self) -> dict[str, ServerConnection]:
        try:
            from sandgate.external.connection import ServerConnection
        except ModuleNotFoundError as missing:
            raise ExternalServerFailed(
                "cannot use MCP servers",
                why=f"the Python package `{missing.name}` is not installed",
                hint="install Sandgate with its extra `mcp` (in a clone: `./sandgate mcp --help` fetches it once), "
                "or take `mcp_servers` out of the configuration",
            ) from missing
        return {
            name: ServerConnection(server, self._environ, self._cwd, self._version)
            for name, server in self._servers.items()
        }


def external_arguments(text: str) -> dict[str, Any]:
    """Reads the JSON of a call; nothing at all stands for no arguments. Raises ToolArgumentsError."""
    if not text.strip():
        return {}
    reader, found = ObjectReader(text), {}
    for name in reader.names():
        if name in found:
            raise reader.fault(f"duplicate field `{name}`")
        found[name] = reader.value()
    reader.end()
    try:
        _in_utf8(found)
    except (UnicodeEncodeError, RecursionError):
        raise ToolArgumentsError("failed to parse function arguments: text that UTF-8 cannot hold") from None
    return found


def _in_utf8(value: object) -> None:
    import json

    json.dumps(value, ensure_ascii=False).encode()


async def _started(connection: ServerConnection) -> tuple[Offered, ...] | ExternalServerFailed:
    try:
        return await connection.start()
    except ExternalServerFailed as failure:
        return failure

"""One server while it is connected. What the SDK opens it wants closed by the same task, so a task lives with it.

Nothing is declared that a server could ask of us: no sampling, no questions to the person, no directories. What it
answers is not checked against the schema it gave itself, since a pattern in there can keep a processor busy for ever.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack, suppress

import mcp_types
from mcp import ClientSession, MCPError

from sandgate.display import one_line
from sandgate.errors import ExternalServerFailed
from sandgate.execution.environment import EnvironmentPolicy, command_environment
from sandgate.external.answer import answer_of, no_answer
from sandgate.external.http import AddressLink
from sandgate.external.offer import TOOLS_MAX, Offered, readable
from sandgate.external.server import ServerProgram
from sandgate.external.stdio import ProgramLink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandgate.external.answer import ExternalAnswer
    from sandgate.external.server import ExternalServer
    from sandgate.tools.truncation import TruncationPolicy

PAGES_MAX = 32  # of one listing of tools
CLOSE_SECONDS = 6.0  # beyond what ending a program may take; then the connection is dropped
WORDS_SHOWN_CHARS = 300  # of an error, which may have a server's words

# What the SDK has to say about odd messages would be a stranger's words on our standard error.
logging.getLogger("mcp").addHandler(logging.NullHandler())


class ServerConnection:
    """Belongs to one event loop. `start`, any number of `call`s, `close`."""

    def __init__(self, server: ExternalServer, environ: Mapping[str, str], cwd: str, version: str) -> None:
        self.server = server
        self._environ = environ
        self._cwd = cwd
        self._about = mcp_types.Implementation(name="sandgate", version=version)
        self._link: ProgramLink | AddressLink | None = None
        self._session: ClientSession | None = None
        self._task: asyncio.Task[None] | None = None
        self._offered: asyncio.Future[tuple[Offered, ...]] | None = None
        self._over = asyncio.Event()

    async def start(self) -> tuple[Offered, ...]:
        """Connects; what the server offers. Raises ExternalServerFailed, and nothing is left then."""
        offered = self._offered = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._live(offered))
        try:
            return await asyncio.shield(offered)
        except asyncio.CancelledError:
            await self.close()
            raise

    async def call(self, tool: str, arguments: Mapping[str, Any], policy: TruncationPolicy) -> ExternalAnswer:
        """Calls a tool; cancelling tells the server. Whatever goes wrong on its side is an answer."""
        session, limit_ms = self._session, self.server.tool_timeout_ms
        if session is None:
            return no_answer(f"the MCP server `{self.server.name}` is not connected any more")
        request = mcp_types.CallToolRequest(
            params=mcp_types.CallToolRequestParams(name=tool, arguments=dict(arguments))
        )
        try:
            async with asyncio.timeout(limit_ms / 1000) as limit:
                result = await session.send_request(request, mcp_types.CallToolResult)
        except Exception as error:
            late = isinstance(error, TimeoutError) and limit.expired()
            return no_answer(self._late(limit_ms) if late else f"the tool call failed: {self._words(error)}")
        content = [block.model_dump(by_alias=True, mode="json", exclude_none=True) for block in result.content]
        return answer_of(content, result.structured_content, is_error=result.is_error, policy=policy)

    async def close(self) -> None:
        """Ends the connection, and the program if it is one, in bounded time. May be repeated."""
        self._over.set()
        self._session = None
        task = self._task
        if task is None:
            return
        if self._offered is not None and self._offered.done():
            await asyncio.wait([task], timeout=CLOSE_SECONDS)
        if not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=CLOSE_SECONDS)

    async def _live(self, offered: asyncio.Future[tuple[Offered, ...]]) -> None:
        """From the first byte to the last."""
        try:
            async with AsyncExitStack() as stack:
                async with asyncio.timeout(self.server.startup_timeout_ms / 1000):
                    tools = await self._opened(stack)
                if not offered.done():
                    offered.set_result(tools)
                await self._over.wait()
        except asyncio.CancelledError:
            _fail(offered, ExternalServerFailed(f"the start of the MCP server `{self.server.name}` was given up"))
            raise
        except Exception as error:
            _fail(offered, self._failure(_first(error)))
        finally:
            self._session = None

    async def _opened(self, stack: AsyncExitStack) -> tuple[Offered, ...]:
        transport = self.server.transport
        if isinstance(transport, ServerProgram):
            self._link = ProgramLink(transport, program_environment(transport, self._environ), self._cwd)
        else:
            self._link = AddressLink(transport, self._environ)
        received, to_send = await stack.enter_async_context(self._link)
        session = await stack.enter_async_context(ClientSession(received, to_send, client_info=self._about))
        await _agreed(session)
        self._session = session
        return await self._listed(session)

    async def _listed(self, session: ClientSession) -> tuple[Offered, ...]:
        found: list[Offered] = []
        cursor: str | None = None
        for _page in range(PAGES_MAX):
            page = await session.list_tools(params=mcp_types.PaginatedRequestParams(cursor=cursor))
            found += [_offered(tool) for tool in page.tools[: TOOLS_MAX + 1]]
            cursor = page.next_cursor
            if cursor is None or len(found) > TOOLS_MAX:
                break
        return tuple(found)

    def _failure(self, error: BaseException) -> ExternalServerFailed:
        name = self.server.name
        what = f"the MCP server `{name}` did not start"
        if isinstance(error, TimeoutError):
            seconds = f"{self.server.startup_timeout_ms / 1000:g}"
            why, hint = f"it was not ready within {seconds} s", f"raise `mcp_servers.{name}.startup_timeout_sec`"
        elif isinstance(self._link, AddressLink) and self._link.refused:
            why = "it wants to know who asks"
            hint = f"put a token into a variable and name it in `mcp_servers.{name}.bearer_token_env_var`"
        else:
            why, hint = self._words(error), ""
        said = self._link.last_words if isinstance(self._link, ProgramLink) else ""
        return ExternalServerFailed(what, why=f"{why}; it last said: {said}" if said else why, hint=hint)

    def _late(self, limit_ms: int) -> str:
        return (
            f"the tool did not answer within {limit_ms / 1000:g} s; the user can raise "
            f"`mcp_servers.{self.server.name}.tool_timeout_sec`"
        )

    def _words(self, error: BaseException) -> str:
        """An error for people: ours as it is, a stranger's made visible."""
        if self._link is not None and self._link.fault:
            return self._link.fault
        return one_line(str(error) or type(error).__name__, limit=WORDS_SHOWN_CHARS)


def program_environment(program: ServerProgram, environ: Mapping[str, str]) -> dict[str, str]:
    """What a server gets of our variables: those without which hardly anything works, and those it was promised."""
    named = [(name, environ[name]) for name in program.env_vars if name in environ]
    return dict(command_environment(environ, EnvironmentPolicy(inherit="core"), set=(*named, *program.env)).env)


def _first(error: BaseException) -> BaseException:
    """What was raised first, out of the groups that tasks raise."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def _agreed(session: ClientSession) -> None:
    """Finds a version both know. The older greeting comes first: many servers never answer anything before it."""
    try:
        await session.initialize()
    except MCPError:
        try:
            await session.discover()
        except MCPError:
            pass
        else:
            return
        raise


def _offered(tool: mcp_types.Tool) -> Offered:
    hints = tool.annotations
    return Offered(
        tool=tool.name,
        description=readable(tool.description or tool.title or ""),
        parameters={"properties": {}, **tool.input_schema},  # some providers want the field
        read_only=hints is not None and hints.read_only_hint is True,
        destructive=hints is None or hints.destructive_hint is not False,
    )


def _fail(future: asyncio.Future[Any], error: Exception) -> None:
    with suppress(asyncio.InvalidStateError):
        future.set_exception(error)
        future.exception()  # seen, should no caller wait for it any more

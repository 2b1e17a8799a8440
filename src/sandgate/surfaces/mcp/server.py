"""The server of the protocol: which methods there are, and for whom a request is answered.

One factory for every transport and for tests. A connection's principal is found here and nowhere else.
"""

from __future__ import annotations

from contextlib import asynccontextmanager

import anyio
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, INVALID_REQUEST, ListToolsResult

from sandgate import __version__
from sandgate.display import visible
from sandgate.errors import SandgateError
from sandgate.surfaces.mcp.asking import LineageFields, is_modern
from sandgate.surfaces.mcp.calling import bug, call_tool, failed_call
from sandgate.surfaces.mcp.session_tools import ALIASES
from sandgate.surfaces.mcp.sessions import KEPT_S, Principal
from sandgate.surfaces.mcp.tools import described_tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Any

    from mcp_types import CallToolRequestParams, CallToolResult, InputRequiredResult, PaginatedRequestParams, Tool

    from sandgate.surfaces.mcp.asking import Context
    from sandgate.surfaces.mcp.calling import Channels
    from sandgate.surfaces.mcp.sessions import ClientSession, Sessions

NAME, TITLE = "sandgate-mcp-server", "Sandgate"
SESSION_HEADER = "mcp-session-id"
NAME_SHOWN_CHARS = 60
TIED = "sandgate"  # in a connection's state: it has our callback
CLOSING_S_MAX = 10.0  # for everything that clients started to be gone
CLIENT_SETTINGS = "sandgate"  # in the client's experimental capabilities: settings to have stricter
# The first words are what clients look through that offer tools only when a search finds them.
INSTRUCTIONS = (
    "Run shell commands, use live terminals and edit files. `exec_command` runs a command, `write_stdin` types into "
    "one that is still running (`exec_list`, `exec_kill`), `apply_patch` edits files, `check_command` foresees what "
    "would happen to a command. All pass a gate: what policy does not allow is put to the user, and what the sandbox "
    "refused is named exactly."
)
# What comes after them where whole tasks are taken.
DELEGATING = (
    " `sandgate` hands a whole task to an agent that works under this server's policy, and answers with its last "
    "message; `sandgate-reply` goes on with it."
)


def build_server(sessions: Sessions, *, login_allowed: bool, channels: Channels, sealing_key: bytes) -> Server[Any]:
    """A server whose sessions end with it. `sealing_key`: 32 bytes or more, the same after a restart."""
    delegating = sessions.delegation is not None
    offered = described_tools(login_allowed=login_allowed, sessions=delegating)
    names = {tool.name for tool in offered} | (ALIASES.keys() if delegating else set())

    async def list_tools(context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        principal = principal_of(context)
        _tie(context, sessions, principal)
        sessions.expect(principal)  # a client that lists the tools will call one
        return ListToolsResult(tools=offered)

    async def call(context: Context, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
        if context.session.client_capabilities is None and not is_modern(context):
            raise MCPError(code=INVALID_REQUEST, message="the handshake has not succeeded, so nothing is carried out")
        if params.name not in names:
            raise MCPError(
                code=INVALID_PARAMS, message=f"Unknown tool '{visible(params.name, limit=NAME_SHOWN_CHARS)}'"
            )
        try:
            session = await _session(context, sessions)
        except SandgateError as problem:
            return failed_call(str(problem))
        except Exception as problem:
            return failed_call(bug(problem))
        return await call_tool(context, params, session, channels)

    @asynccontextmanager
    async def lifespan(_server: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        try:
            yield {}
        finally:
            with anyio.move_on_after(CLOSING_S_MAX, shield=True):
                await sessions.close()

    server: Server[Any] = Server(
        NAME,
        version=__version__,
        title=TITLE,
        instructions=INSTRUCTIONS + DELEGATING if delegating else INSTRUCTIONS,
        lifespan=lifespan,
        get_tool_input_schema=_schemas(offered).get,
        on_list_tools=list_tools,
        on_call_tool=call,
    )
    security = RequestStateSecurity(keys=[sealing_key], ttl=sessions.timeout_s + KEPT_S, bind_principal=_principal_name)
    server.middleware = [LineageFields(), RequestStateBoundary(security, default_audience=NAME)]
    return server


def principal_of(context: Context) -> Principal:
    """Whose request this is. Raises RequestError for settings that the client may not ask for."""
    token = get_access_token()
    if token is None:
        return Principal("stdio", tighter=_tighter(context))
    headers = getattr(context.request, "headers", {})
    connection = "" if is_modern(context) else str(headers.get(SESSION_HEADER, ""))
    return Principal(f"http:{token.client_id}", connection, _tighter(context))


def _principal_name(context: Context) -> str:
    return principal_of(context).label


async def _session(context: Context, sessions: Sessions) -> ClientSession:
    principal = principal_of(context)
    _tie(context, sessions, principal)
    return await sessions.of(principal)


def _tie(context: Context, sessions: Sessions, principal: Principal) -> None:
    """The session ends with its connection, where the protocol has such a thing."""
    if not principal.connection:
        return
    # The SDK tells of a connection's end by its stack, which has no public way in.
    connection = context.session._connection
    tied = connection.state.setdefault(TIED, set())
    if principal not in tied:
        tied.add(principal)
        connection.exit_stack.push_async_callback(sessions.end, principal)


def _tighter(context: Context) -> tuple[tuple[str, str], ...]:
    capabilities = context.session.client_capabilities
    asked = (capabilities.experimental or {}).get(CLIENT_SETTINGS) if capabilities is not None else None
    return tuple(sorted((str(name), str(value)) for name, value in (asked or {}).items()))


def _schemas(tools: list[Tool]) -> dict[str, dict[str, Any]]:
    return {tool.name: tool.input_schema for tool in tools}

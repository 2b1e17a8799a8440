"""How many requests one principal may have in progress over HTTP.

A client of the handshake era can ask and hang up, and what it asked for goes on: the number of its connections says
nothing about the number of its requests.
"""

from __future__ import annotations

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.shared.exceptions import MCPError

from sandgate.surfaces.mcp.messages import TOO_MANY_REQUESTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

REQUESTS_MAX = 1024  # of one principal, in progress at the same time


class RequestLimit:
    """A middleware of the SDK's server."""

    def __init__(self) -> None:
        self._in_progress: dict[str, int] = {}  # as many entries as there are tokens

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Count a request while it is in progress; refuse one too many."""
        token = get_access_token()
        if ctx.request_id is None or token is None:
            return await call_next(ctx)
        name = token.client_id
        count = self._in_progress.get(name, 0)
        if count >= REQUESTS_MAX:
            raise MCPError(code=TOO_MANY_REQUESTS, message="too many requests at once")
        self._in_progress[name] = count + 1
        try:
            return await call_next(ctx)
        finally:
            self._in_progress[name] -= 1

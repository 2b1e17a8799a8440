"""The client, as a session sees it: it is told what happens, at once and in order, and asked."""

from __future__ import annotations

from acp.meta import CLIENT_METHODS
from acp.schema import SessionNotification
from acp.utils import serialize_params

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from acp.agent.connection import AgentSideConnection
    from acp.schema import PermissionOption, RequestPermissionResponse, ToolCallUpdate

    from sandgate.surfaces.acp.wire import Messages


class EditorClient:
    """`connection` is given when there is one: it is made with the agent that uses this."""

    def __init__(self, messages: Messages) -> None:
        self._messages = messages
        self.connection: AgentSideConnection | None = None

    def tell(self, session_id: str, update: Any) -> None:
        """`update`: one of the library's. It is on its way when this returns, so what is told keeps its order."""
        told = serialize_params(SessionNotification(session_id=session_id, update=update))
        self._messages.put({"jsonrpc": "2.0", "method": CLIENT_METHODS["session_update"], "params": told})

    async def ask(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption]
    ) -> RequestPermissionResponse:
        """Raises ConnectionError when it is gone, and what the library raises for an error or an odd answer."""
        if self.connection is None:
            raise ConnectionError("no client")
        return await self.connection.request_permission(session_id, tool_call, options)

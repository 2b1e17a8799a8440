"""A server of others as the user has configured it."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    ApprovalMode = Literal["prompt", "auto", "approve"]

STARTUP_TIMEOUT_MS = 10_000
TOOL_TIMEOUT_MS = 60_000


class ServerProgram(Record):
    """A server that is a program of ours, spoken to over its standard streams. It runs outside the sandbox."""

    command: str
    args: tuple[str, ...] = ()
    cwd: str | None = None  # absolute; None: the session's
    env: tuple[tuple[str, str], ...] = ()
    env_vars: tuple[str, ...] = ()  # names of our variables that it gets too


class ServerAddress(Record):
    """A server somewhere else, spoken to over streamable HTTP."""

    url: str
    bearer_token_env_var: str = ""
    http_headers: tuple[tuple[str, str], ...] = ()
    env_http_headers: tuple[tuple[str, str], ...] = ()  # header, and the variable that holds its value


if TYPE_CHECKING:
    Transport: TypeAlias = ServerProgram | ServerAddress


class ExternalServer(Record):
    """One `[mcp_servers.NAME]` that is enabled."""

    name: str
    transport: Transport
    required: bool = False  # without it the session does not start
    startup_timeout_ms: int = STARTUP_TIMEOUT_MS
    tool_timeout_ms: int = TOOL_TIMEOUT_MS
    enabled_tools: tuple[str, ...] | None = None  # None: all
    disabled_tools: tuple[str, ...] = ()  # also of those enabled
    approval: ApprovalMode = "prompt"
    tool_approvals: tuple[tuple[str, ApprovalMode], ...] = ()
    parallel: bool = False  # its tools may run at the same time as others

    def offers(self, tool: str) -> bool:
        """Whether the user lets a model have this tool of it."""
        return tool not in self.disabled_tools and (self.enabled_tools is None or tool in self.enabled_tools)

    def approval_of(self, tool: str) -> ApprovalMode:
        """How a call of this tool is approved."""
        return dict(self.tool_approvals).get(tool, self.approval)

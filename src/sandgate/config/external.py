"""The tables `[mcp_servers.NAME]`: servers of others, as values.

Each field is a setting of its own, so that layers add to one another field by field; only what they come to is held to
be either a program or an address. A server that is switched off is checked all the same.
"""

from __future__ import annotations

from sandgate.config.schema import SERVER_ENTRY, SERVER_TOOLS, SERVERS
from sandgate.errors import ConfigError
from sandgate.external.server import ExternalServer, ServerAddress, ServerProgram

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandgate.external.server import Transport

SERVERS_MAX = 64
SCHEMES = ("https://", "http://")
OF_PROGRAMS = ("command", "args", "cwd", "env", "env_vars")
OF_ADDRESSES = ("url", "bearer_token_env_var", "http_headers", "env_http_headers")


def external_servers(values: Mapping[str, Any]) -> tuple[ExternalServer, ...]:
    """The enabled servers, in the order they were written. Raises ConfigError for one that cannot be meant."""
    entries: dict[str, dict[str, Any]] = {}
    for key, value in values.items():
        if key.startswith(f"{SERVERS}."):
            _, name, field = key.split(".", 2)
            entries.setdefault(name, {})[field] = value
    if len(entries) > SERVERS_MAX:
        raise ConfigError(f"there are {len(entries)} MCP servers", why=f"at most {SERVERS_MAX} can be used")
    servers = [(_server(name, entry), entry) for name, entry in entries.items()]
    return tuple(server for server, entry in servers if entry.get("enabled", True))


def token_variables(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The variables that open a server: no command may see them."""
    found: list[str] = []
    for key, value in values.items():
        if key.startswith(f"{SERVERS}."):
            found += [value] if key.endswith(".bearer_token_env_var") and value else ()
            found += value.values() if key.endswith(".env_http_headers") else ()
    return tuple(dict.fromkeys(found))


def _server(name: str, entry: Mapping[str, Any]) -> ExternalServer:
    def of(field: str) -> Any:
        return entry.get(field, SERVER_ENTRY[field][3])

    startup_ms = entry.get("startup_timeout_ms")
    if startup_ms is None or "startup_timeout_sec" in entry:
        startup_ms = _milliseconds(of("startup_timeout_sec"))
    return ExternalServer(
        name=name,
        transport=_transport(name, entry, of),
        required=of("required"),
        startup_timeout_ms=startup_ms,
        tool_timeout_ms=_milliseconds(of("tool_timeout_sec")),
        enabled_tools=of("enabled_tools"),
        disabled_tools=of("disabled_tools"),
        approval=of("default_tools_approval_mode"),
        tool_approvals=tuple(entry.get(SERVER_TOOLS, {}).items()),
        parallel=of("supports_parallel_tool_calls"),
    )


def _transport(name: str, entry: Mapping[str, Any], of: Any) -> Transport:
    if "command" in entry:
        _refuse(name, entry, OF_ADDRESSES, "stdio")
        if not entry["command"] or "\0" in entry["command"]:
            raise ConfigError(f"`{SERVERS}.{name}.command` names no program")
        return ServerProgram(
            command=entry["command"],
            args=of("args"),
            cwd=of("cwd"),
            env=tuple(of("env").items()),
            env_vars=of("env_vars"),
        )
    if "url" not in entry:
        raise ConfigError(
            f"invalid transport of `{SERVERS}.{name}`",
            why="it has neither a command nor an address",
            hint='write `command = "…"` for a program, or `url = "https://…"`',
        )
    _refuse(name, entry, OF_PROGRAMS, "streamable_http")
    if not entry["url"].startswith(SCHEMES):
        raise ConfigError(f"`{SERVERS}.{name}.url` is not an address", hint='for example: url = "https://…/mcp"')
    return ServerAddress(
        url=entry["url"],
        bearer_token_env_var=of("bearer_token_env_var") or "",
        http_headers=tuple(of("http_headers").items()),
        env_http_headers=tuple(of("env_http_headers").items()),
    )


def _refuse(name: str, entry: Mapping[str, Any], fields: tuple[str, ...], transport: str) -> None:
    for field in fields:
        if field in entry:
            raise ConfigError(f"`{field}` is not supported for {transport}", why=f"it stands in `{SERVERS}.{name}`")


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))

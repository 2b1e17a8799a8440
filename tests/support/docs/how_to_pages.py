"""Reads the pages of docs/how-to as the programs they are about would, with the rules of each.

Every fenced block is taken as it stands; only the reader's own paths and port are filled in.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from support.suite.source_tree import REPOSITORY

PAGES = REPOSITORY / "docs" / "how-to"
LAUNCHER = str(REPOSITORY / "sandgate")
PORT = "8765"

Json = dict[str, Any]


class Stdio(NamedTuple):
    """A server that the client starts."""

    command: str
    args: list[str]


class Http(NamedTuple):
    """A server that runs already."""

    url: str
    headers: dict[str, str]


Server = Stdio | Http


class Reader(NamedTuple):
    """Who follows the page, and where."""

    project: str
    port: int
    environ: Mapping[str, str]


def blocks(page: str, language: str) -> list[str]:
    """The bodies of the page's blocks in that language."""
    text = (PAGES / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def filled(block: str, reader: Reader) -> str:
    """The block with the reader's own paths and port."""
    here = block.replace("/path/to/clone/sandgate", LAUNCHER).replace("/path/to/project", reader.project)
    assert "/path/to" not in here
    return here.replace(PORT, str(reader.port))


def expanded(text: str, pattern: str, values: Mapping[str, str]) -> str:
    """`pattern` has the variable's name as its only group; a variable that is not set is an error."""
    return re.sub(pattern, lambda found: values[found[1]], text)


def only(found: Json, allowed: set[str]) -> None:
    """A key that the client does not know is a mistake on the page."""
    assert set(found) <= allowed, f"unknown: {set(found) - allowed}"


def claude_code(text: str, reader: Reader) -> dict[str, Server]:
    """`.mcp.json`: `${NAME}` is expanded, `type` tells which, `timeout` is milliseconds from 1000 on."""
    servers: dict[str, Server] = {}
    whole = json.loads(text)
    only(whole, {"mcpServers"})
    for name, told in whole["mcpServers"].items():
        assert isinstance(told["timeout"], int)
        assert told["timeout"] >= 1000
        if told["type"] == "http":
            only(told, {"type", "url", "headers", "timeout"})
            servers[name] = Http(told["url"], _headers(told, r"\$\{([A-Z_]+)\}", reader.environ))
        else:
            assert told["type"] == "stdio"
            only(told, {"type", "command", "args", "env", "timeout"})
            servers[name] = Stdio(told["command"], told["args"])
    return servers


def gemini_cli(text: str, reader: Reader) -> dict[str, Server]:
    """`settings.json`: `$NAME` is expanded, `httpUrl` means HTTP (`url` alone would be another transport)."""
    servers: dict[str, Server] = {}
    whole = json.loads(text)
    only(whole, {"mcpServers"})
    for name, told in whole["mcpServers"].items():
        assert "_" not in name, "its policies split names there"
        assert isinstance(told["timeout"], int)
        assert isinstance(told["trust"], bool)
        if "httpUrl" in told:
            only(told, {"httpUrl", "headers", "timeout", "trust"})
            servers[name] = Http(told["httpUrl"], _headers(told, r"\$([A-Z_]+)", reader.environ))
        else:
            only(told, {"command", "args", "env", "cwd", "timeout", "trust"})
            servers[name] = Stdio(told["command"], told["args"])
    return servers


def vs_code(text: str, reader: Reader) -> dict[str, Server]:
    """`mcp.json`: `${input:ID}` is what the user typed into an input that the file declares."""
    servers: dict[str, Server] = {}
    whole = json.loads(text)
    only(whole, {"inputs", "servers"})
    typed = {}
    for asked in whole.get("inputs", []):
        assert (asked["type"], asked["password"]) == ("promptString", True)
        typed[asked["id"]] = reader.environ["SANDGATE_MCP_TOKEN"]
    for name, told in whole["servers"].items():
        if told["type"] == "http":
            only(told, {"type", "url", "headers"})
            servers[name] = Http(told["url"], _headers(told, r"\$\{input:([a-z-]+)\}", typed))
        else:
            assert told["type"] == "stdio"
            only(told, {"type", "command", "args", "env", "envFile"})
            servers[name] = Stdio(told["command"], told["args"])
    return servers


def codex(text: str, reader: Reader) -> dict[str, Server]:
    """`config.toml`: the token comes from a variable that is named."""
    servers: dict[str, Server] = {}
    whole = tomllib.loads(text)
    only(whole, {"sandbox_mode", "features", "mcp_servers"})
    common = {"required", "startup_timeout_sec", "tool_timeout_sec", "default_tools_approval_mode"}
    for name, told in whole["mcp_servers"].items():
        assert told["default_tools_approval_mode"] in {"auto", "prompt", "writes", "approve"}
        if "url" in told:
            only(told, common | {"url", "bearer_token_env_var"})
            token = reader.environ[told["bearer_token_env_var"]]
            servers[name] = Http(told["url"], {"Authorization": f"Bearer {token}"})
        else:
            only(told, common | {"command", "args", "env", "env_vars"})
            servers[name] = Stdio(told["command"], told["args"])
    return servers


def _headers(told: Json, pattern: str, values: Mapping[str, str]) -> dict[str, str]:
    return {name: expanded(value, pattern, values) for name, value in told["headers"].items()}


CLIENTS: dict[str, tuple[str, Callable[[str, Reader], dict[str, Server]]]] = {
    "claude-code.md": ("json", claude_code),
    "codex.md": ("toml", codex),
    "gemini-cli.md": ("json", gemini_cli),
    "vs-code.md": ("json", vs_code),
}
"""Page: the language of its configuration, and who reads it. The first block is stdio, the second HTTP."""


def server(page: str, transport: str, reader: Reader) -> Server:
    """The one server that the page's configuration for this transport names."""
    language, read = CLIENTS[page]
    servers = read(filled(blocks(page, language)[["stdio", "http"].index(transport)], reader), reader)
    assert list(servers) == ["sandgate"]
    return servers["sandgate"]

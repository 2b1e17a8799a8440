"""The Codex CLI as a client: its own configuration, its own loop, and a model that says what the test wrote.

Codex is no package of ours: the tests run where the variable CODEX, PATH or .peers has one, and are skipped elsewhere.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from peers.programs import place_of
from peers.responses_server import Item, Model, function_call, message, serving_model
from peers.serving import TOKEN_VARIABLE

if TYPE_CHECKING:
    from peers.conftest import Clone

CODEX = place_of("CODEX", "codex")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CODEX is None, reason="no Codex: neither CODEX, PATH nor .peers has one"),
]

RUN_LIMIT_S = 60

NAMESPACE = "mcp__sandgate"
"""Codex offers the tools of a server to the model under this name."""

NOWHERE = "http://127.0.0.1:9"
"""A proxy that is not there: whatever is not meant for loopback ends here."""

CONFIGURATION = """
model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
shell_tool = false  # no shell but ours, as docs/how-to/codex.md has it

[model_providers.scripted]
name = "scripted"
base_url = "{url}"
wire_api = "responses"

[mcp_servers.sandgate]
required = true                          # the first turn waits for it
default_tools_approval_mode = "approve"  # who may do what is the server's decision
startup_timeout_sec = 60
tool_timeout_sec = 900
{server}
"""


Server = tuple[str, Mapping[str, str]]
"""How Codex is told about the server, and what it needs in its environment."""

transports = pytest.mark.parametrize("transport", ["stdio", "http"])


def server(clone: Clone, transport: str, *options: str) -> Server:
    """`sandgate mcp` with these options."""
    if transport == "stdio":
        return (
            f"command = {json.dumps(clone.launcher)}\nargs = {json.dumps(['mcp', '-C', str(clone.project), *options])}",
            {},
        )
    endpoint = clone.endpoint(*options)
    told = f'url = "{endpoint.url}"\nbearer_token_env_var = "{TOKEN_VARIABLE}"'
    return told, {TOKEN_VARIABLE: endpoint.token}


def converse(server: Server, tool: str, arguments: Mapping[str, Any], home: Path) -> tuple[list[dict[str, Any]], str]:
    """The model calls the tool and then speaks. Returns its requests, and what Codex printed."""

    def script(request: Mapping[str, Any]) -> Item:
        answered = any(item["type"] == "function_call_output" for item in request["input"])
        return message("that was all") if answered else function_call(tool, dict(arguments), NAMESPACE)

    with serving_model(script) as model:
        return model.requests, _exec(model, server, home)


def _exec(model: Model, server: Server, home: Path) -> str:
    told, needed = server
    (home / "config.toml").write_text(CONFIGURATION.format(url=model.url, server=told))
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "CODEX_HOME": str(home),
        "HTTP_PROXY": NOWHERE,
        "HTTPS_PROXY": NOWHERE,
        "NO_PROXY": "127.0.0.1",
        **needed,
    }
    assert CODEX is not None
    ended = subprocess.run(
        [CODEX, "exec", "--strict-config", "--skip-git-repo-check", "go"],
        cwd=home,
        env=environ,
        text=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=RUN_LIMIT_S,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def structured(request: Mapping[str, Any]) -> dict[str, Any]:
    """What the model is told about its call: of an answer in two forms, Codex passes on the one for programs."""
    (output,) = [item["output"] for item in request["input"] if item["type"] == "function_call_output"]
    text = output if isinstance(output, str) else "".join(part["text"] for part in output)
    found: dict[str, Any] = json.loads(text.partition("Output:\n")[2])
    return found


@transports
def test_our_commands_output_reaches_the_model(transport: str, clone: Clone, tmp_path: Path) -> None:
    """Required: an unmodified agent runs commands through Sandgate, by its own configuration."""
    ours = server(clone, transport)
    (first, second), printed = converse(ours, "exec_command", {"cmd": "echo through $((6 * 7))"}, tmp_path)
    (offered,) = [tool["tools"] for tool in first["tools"] if tool.get("name") == NAMESPACE]
    assert {"exec_command", "write_stdin", "check_command"} <= {tool["name"] for tool in offered}
    answer = structured(second)
    assert (answer["output"], answer["exit_code"]) == ("through 42\n", 0)
    assert printed.strip() == "that was all"


@transports
def test_a_command_that_takes_an_approval_is_refused_where_nobody_can_be_asked(
    transport: str, clone: Clone, tmp_path: Path
) -> None:
    """Codex says that it can show forms even in `exec`, and then declines them; nothing waits for a person."""
    ours, made = server(clone, transport, "-a", "untrusted"), tmp_path / "made"
    (_, second), printed = converse(ours, "exec_command", {"cmd": f"touch {made}"}, tmp_path)
    assert structured(second)["refused"].startswith("nobody could be asked: `codex-mcp-client`")
    assert not made.exists()
    assert printed.strip() == "that was all"

"""The official Inspector, as a client without a person, in both eras of the protocol and over both transports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from peers.serving import node

if TYPE_CHECKING:
    from peers.conftest import Endpoint

pytestmark = [pytest.mark.host("peers"), pytest.mark.slow]

CLI = "@modelcontextprotocol/inspector/clients/cli/build/index.js"

AUTH_REQUIRED = 3
TOOL_IS_ERROR = 5
"""Exit codes of the Inspector."""

eras = pytest.mark.parametrize("era", ["legacy", "modern"])
transports = pytest.mark.parametrize("transport", ["stdio", "http"])


@pytest.fixture
def target(transport: str, request: pytest.FixtureRequest) -> list[str]:
    """The end of the Inspector's command line: where the server is."""
    if transport == "stdio":
        command: list[str] = request.getfixturevalue("stdio_command")
        return ["--", *command]
    endpoint: Endpoint = request.getfixturevalue("endpoint")
    return _at(endpoint.url, endpoint.token)


def _at(url: str, token: str | None) -> list[str]:
    header = [] if token is None else ["--header", f"Authorization: Bearer {token}"]
    return ["--server-url", url, *header, "--stored-auth-only"]


def inspect(era: str, method: str, *options: str, target: list[str], home: Path) -> tuple[int, dict[str, Any]]:
    """The exit code, and the result or (where there is none) the error."""
    arguments = ["--protocol-era", era, "--format", "json", "--quiet", "--method", method, *options, *target]
    ended = node(CLI, *arguments, home=home)
    told = json.loads(ended.stdout or ended.stderr.splitlines()[-1])
    return ended.returncode, told.get("result", told.get("error"))


@eras
@transports
def test_tools_are_listed_without_a_problem_in_their_schemas(era: str, target: list[str], tmp_path: Path) -> None:
    code, result = inspect(era, "tools/list", "--strict", target=target, home=tmp_path)
    assert code == 0
    assert {"test_simple_text", "test_elicitation"} <= {tool["name"] for tool in result["tools"]}


@eras
@transports
def test_called_tool_answers(era: str, target: list[str], tmp_path: Path) -> None:
    call = ["--tool-name", "test_x_mcp_header", "--tool-args-json", '{"region": "eu"}']
    code, result = inspect(era, "tools/call", *call, target=target, home=tmp_path)
    assert (code, result["content"]) == (0, [{"type": "text", "text": '{"region": "eu"}'}])


@eras
@transports
def test_failure_of_a_tool_is_told_apart_from_a_failure_of_the_server(
    era: str, target: list[str], tmp_path: Path
) -> None:
    call = ["--tool-name", "test_error_handling"]
    code, result = inspect(era, "tools/call", *call, target=target, home=tmp_path)
    assert (code, result["isError"]) == (TOOL_IS_ERROR, True)


@eras
@pytest.mark.parametrize("token", [None, "wrong"])
def test_nobody_is_answered_without_the_token(era: str, token: str | None, endpoint: Endpoint, tmp_path: Path) -> None:
    """Required: whoever can reach the port is not thereby allowed in."""
    code, problem = inspect(era, "tools/list", target=_at(endpoint.url, token), home=tmp_path)
    assert (code, problem["code"]) == (AUTH_REQUIRED, "auth_required")
    assert endpoint.token not in json.dumps(problem)

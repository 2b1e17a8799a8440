"""The official Inspector, as a client without a person, in both eras of the protocol and over both transports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from peers.serving import node

if TYPE_CHECKING:
    from peers.conftest import Clone

pytestmark = [pytest.mark.host("peers", "namespace", "notify"), pytest.mark.slow]

CLI = "@modelcontextprotocol/inspector/clients/cli/build/index.js"

AUTH_REQUIRED = 3
TOOL_IS_ERROR = 5
"""Exit codes of the Inspector."""

TOOLS = ["exec_command", "write_stdin", "apply_patch", "exec_list", "exec_kill", "check_command"]

eras = pytest.mark.parametrize("era", ["legacy", "modern"])
transports = pytest.mark.parametrize("transport", ["stdio", "http"])


def target(clone: Clone, transport: str, *options: str) -> list[str]:
    """The end of the Inspector's command line: where the server is."""
    if transport == "stdio":
        return ["--", *clone.command(*options)]
    endpoint = clone.endpoint(*options)
    return at(endpoint.url, endpoint.token)


def at(url: str, token: str | None) -> list[str]:
    header = [] if token is None else ["--header", f"Authorization: Bearer {token}"]
    return ["--server-url", url, *header, "--stored-auth-only"]


class Inspected(NamedTuple):
    """What the Inspector came back with."""

    code: int
    told: dict[str, Any]  # the result, or the error where there is none
    remarks: str


def inspect(era: str, method: str, *options: str, target: list[str], home: Path) -> Inspected:
    arguments = ["--protocol-era", era, "--format", "json", "--quiet", "--method", method, *options, *target]
    ended = node(CLI, *arguments, home=home)
    told = json.loads(ended.stdout or ended.stderr.splitlines()[-1])
    return Inspected(ended.returncode, told.get("result", told.get("error")), ended.stderr)


def call(era: str, tool: str, arguments: dict[str, Any], *, target: list[str], home: Path) -> Inspected:
    options = ["--tool-name", tool, "--tool-args-json", json.dumps(arguments)]
    return inspect(era, "tools/call", *options, target=target, home=home)


def text_of(found: Inspected) -> str:
    (part,) = found.told["content"]
    return str(part["text"])


@eras
@transports
def test_our_tools_are_listed_and_nothing_is_found_amiss_in_their_schemas(
    era: str, transport: str, clone: Clone, tmp_path: Path
) -> None:
    """Required: not even a doubt about portability."""
    found = inspect(era, "tools/list", "--strict", target=target(clone, transport), home=tmp_path)
    assert (found.code, [tool["name"] for tool in found.told["tools"]]) == (0, TOOLS)
    assert all({"inputSchema", "outputSchema", "title", "description"} <= tool.keys() for tool in found.told["tools"])
    assert "Warning" not in found.remarks


@eras
@transports
def test_a_command_is_run_and_its_output_comes_back(era: str, transport: str, clone: Clone, tmp_path: Path) -> None:
    found = call(era, "exec_command", {"cmd": "echo hi"}, target=target(clone, transport), home=tmp_path)
    assert (found.code, found.told["structuredContent"]["output"]) == (0, "hi\n")
    assert text_of(found).endswith("\nOutput:\nhi\n")


@eras
@transports
def test_a_command_is_foreseen(era: str, transport: str, clone: Clone, tmp_path: Path) -> None:
    found = call(era, "check_command", {"cmd": "ls"}, target=target(clone, transport), home=tmp_path)
    assert (found.code, found.told["structuredContent"]["verdict"]) == (0, "allow")
    assert text_of(found).startswith("Verdict: allow\n")


@eras
@transports
def test_a_client_that_shows_no_forms_is_told_at_once_why_nothing_was_run(
    era: str, transport: str, clone: Clone, tmp_path: Path
) -> None:
    """Required: a question that this client would never answer is not put to it; in one era it would wait for ever."""
    strict = target(clone, transport, "-a", "untrusted")
    found = call(era, "exec_command", {"cmd": f"touch {clone.project}/made"}, target=strict, home=tmp_path)
    assert (found.code, found.told["isError"]) == (TOOL_IS_ERROR, True)
    assert "did not declare the `elicitation` capability" in text_of(found)
    assert not (clone.project / "made").exists()


@eras
@pytest.mark.parametrize("token", [None, "wrong"])
def test_nobody_is_answered_without_the_token(era: str, token: str | None, clone: Clone, tmp_path: Path) -> None:
    """Required: whoever can reach the port is not thereby allowed in."""
    endpoint = clone.endpoint()
    found = inspect(era, "tools/list", target=at(endpoint.url, token), home=tmp_path)
    assert (found.code, found.told["code"]) == (AUTH_REQUIRED, "auth_required")
    assert endpoint.token not in json.dumps(found.told) + found.remarks

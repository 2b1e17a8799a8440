"""Tools of other servers in an agent's session, with a real server made by the official SDK."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from sandgate.agent.agent import open_agent
from sandgate.agent.options import AgentOptions
from sandgate.protocol.decisions import Decision
from sandgate.protocol.environment import Environment
from sandgate.protocol.events import (
    ExecApprovalRequest,
    Failed,
    McpListToolsResponse,
    McpToolCallBegin,
    McpToolCallEnd,
    SessionConfigured,
    TaskComplete,
)
from sandgate.protocol.operations import AnswerApproval, ListMcpTools, TextInput, UserInput
from support.mcp.external_servers import STAGE
from support.model.responses_server import ResponsesServer, function_call, says, sends, turn

pytestmark = pytest.mark.host("namespace")

LIMIT_S = 90
ASK = "approval_policy=on-request"


def environment(home: Path, url: str, program: list[str], *overrides: str) -> Environment:
    server = f"mcp_servers.stage={{command={json.dumps(program[0])}, args={json.dumps(program[1:])}}}"
    (home / "home").mkdir()
    (home / "work").mkdir()
    return Environment(
        cwd=str(home / "work"),
        environ={"HOME": str(home / "home"), "PATH": os.environ["PATH"]},
        overrides=(
            "model=m",
            "model_provider=mock",
            f'model_providers.mock={{name="mock", base_url="{url}"}}',
            server,
            *overrides,
        ),
    )


async def story(where: Environment, answer: str | None) -> list[Any]:
    """The messages of one turn; each question is answered like that."""
    told = []
    async with (
        asyncio.timeout(LIMIT_S),
        open_agent(where, AgentOptions(ephemeral=True), interactive=answer is not None) as agent,
    ):
        agent.submit(UserInput((TextInput("go"),)))
        async for event in agent.events():
            told.append(event.msg)
            if isinstance(event.msg, ExecApprovalRequest) and answer is not None:
                agent.submit(AnswerApproval(event.msg.approval_id, Decision("initial", answer, "user")))  # type: ignore[arg-type]
            if isinstance(event.msg, TaskComplete) or (isinstance(event.msg, Failed) and event.id):
                return told
    return told


def only(told: list[Any], kind: type) -> list[Any]:
    return [each for each in told if isinstance(each, kind)]


def calling(text: str) -> Any:
    return sends(*turn(function_call("mcp__stage__echo", {"text": text}, "c")))


def output(server: ResponsesServer) -> str:
    (found,) = [each["output"] for each in server.asked[1].body["input"] if each["type"] == "function_call_output"]
    return str(found)


@pytest.fixture
def program() -> list[str]:
    return [sys.executable, STAGE, "stdio"]


def test_a_call_is_asked_about_with_its_real_name_and_arguments_then_made_and_told(
    tmp_path: Path, program: list[str]
) -> None:
    with ResponsesServer(calling("hello"), says("done")) as server:
        told = asyncio.run(story(environment(tmp_path, server.url, program, ASK), "approved"))
        question = only(told, ExecApprovalRequest)[0].request
        assert question.command.argv[:3] == ("mcp", "stage", "echo")
        assert '"hello"' in question.reason
        (begin,), (end,) = only(told, McpToolCallBegin), only(told, McpToolCallEnd)
        assert (begin.server, begin.tool, begin.arguments) == ("stage", "echo", {"text": "hello"})
        assert (end.success, output(server)) == (True, "hello")
        assert "mcp__stage__echo" in [tool["name"] for tool in server.asked[0].body["tools"]]


def test_a_call_that_is_denied_is_never_made(tmp_path: Path, program: list[str]) -> None:
    with ResponsesServer(calling("hello"), says("done")) as server:
        told = asyncio.run(story(environment(tmp_path, server.url, program, ASK), "denied"))
        assert only(told, McpToolCallBegin) == []
        (end,) = only(told, McpToolCallEnd)
        assert (end.declined, end.success, end.error) == (True, False, output(server))
        assert "rejected by user" in output(server)


def test_where_nobody_can_be_asked_the_model_is_told_what_would_allow_it(tmp_path: Path, program: list[str]) -> None:
    with ResponsesServer(calling("hello"), says("done")) as server:
        told = asyncio.run(story(environment(tmp_path, server.url, program), None))
        assert only(told, McpToolCallBegin) == []
        (end,) = only(told, McpToolCallEnd)
        assert (end.declined, end.success, end.error) == (True, False, output(server))
        assert "default_tools_approval_mode" in output(server)


def test_arguments_that_are_no_json_are_an_answer(tmp_path: Path, program: list[str]) -> None:
    wrong = sends(*turn({**function_call("mcp__stage__echo", {}, "c"), "arguments": "{"}))
    with ResponsesServer(wrong, says("done")) as server:
        asyncio.run(story(environment(tmp_path, server.url, program, ASK), "approved"))
        assert output(server).startswith("failed to parse function arguments")


def test_a_server_that_does_not_start_is_told_and_the_session_works(tmp_path: Path) -> None:
    with ResponsesServer(says("done")) as server:
        told = asyncio.run(story(environment(tmp_path, server.url, ["/nonexistent"]), None))
        (failed,) = only(told, Failed)
        assert "stage" in failed.message
        assert [type(each) for each in told[:2]] == [SessionConfigured, Failed]
        assert only(told, TaskComplete)


def test_the_tools_are_listed_on_request_as_their_server_describes_them(tmp_path: Path, program: list[str]) -> None:
    async def work() -> Any:
        where = environment(tmp_path, "http://127.0.0.1:9", program, ASK)
        async with asyncio.timeout(LIMIT_S), open_agent(where, AgentOptions(ephemeral=True)) as agent:
            name = agent.submit(ListMcpTools())
            async for event in agent.events():
                if event.id == name:
                    return event.msg
        return None

    listed = asyncio.run(work())
    assert isinstance(listed, McpListToolsResponse)
    echo = listed.tools["mcp__stage__echo"]
    assert (echo["name"], echo["inputSchema"]["type"]) == ("echo", "object")

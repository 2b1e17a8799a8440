"""What the how-to pages say works: each configuration is taken from its page, and the server it names is used.

The pages' Python runs with the frameworks it is about (.peers has them) and a model that says what the test wrote.
Programs that are no packages of ours read their own configuration where they are at hand.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import tempfile
import tomllib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, ElicitResult

from peers.programs import program
from peers.responses_server import function_call, message, serving_model
from peers.serving import serving
from support.docs.doc_session import agrees
from support.docs.how_to_pages import CLIENTS, LAUNCHER, PAGES, Http, Reader, Server, Stdio, blocks, filled, server
from support.machine.host_features import PEERS
from support.process.waiting import wait_until

FIRST_USE_LIMIT_S = 300
RUN_LIMIT_S = 90
CALL_LIMIT_S = 30

FRAMEWORKS = ("openai-agents.md", "pydantic-ai.md")
TRANSPORTS = ("stdio", "http")
Mode = Literal["legacy", "auto"]

NOTE = "echo hello > ~/note"  # what the pages have one try

pytestmark = [pytest.mark.slow, pytest.mark.host("namespace", "notify")]


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    """A home and a project, not below /tmp, which commands may write to, and a server started as the page says."""
    subprocess.run(
        [LAUNCHER, "mcp"], stdin=subprocess.DEVNULL, check=True, capture_output=True, timeout=FIRST_USE_LIMIT_S
    )
    with tempfile.TemporaryDirectory(prefix="sandgate-reader-", dir="/var/tmp") as place:
        home, project = Path(place, "home"), Path(place, "home", "project")
        project.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        bare = Reader(str(project), port, {"PATH": os.environ["PATH"], "HOME": str(home)})
        start, token = (filled(block, bare) for block in blocks("mcp-http.md", "sh"))
        heard = Path(place, "heard")
        command = ["bash", "-c", f"exec {start.strip()} 2> >(tee {heard} >&2)"]
        with serving(command, bare.environ) as url:
            assert url == f"http://127.0.0.1:{port}/mcp"
            (told,) = blocks("mcp-http.md", "text")
            wanted = filled(told, bare)
            assert wait_until(lambda: agrees(wanted, heard.read_text().replace(str(home), "~"))), heard.read_text()
            ask = ["sh", "-c", f'{token}printf %s "$SANDGATE_MCP_TOKEN"']
            held = subprocess.run(ask, env=bare.environ, check=True, capture_output=True, text=True).stdout
            yield bare._replace(environ={**bare.environ, "SANDGATE_MCP_TOKEN": held})


@pytest.fixture
def note(reader: Reader) -> Iterator[Path]:
    """What the pages say is not there afterwards."""
    path = Path(reader.environ["HOME"], "note")
    yield path
    path.unlink(missing_ok=True)


@asynccontextmanager
async def talking(to: Server, reader: Reader, answer: str | None = None, mode: Mode = "auto") -> AsyncIterator[Client]:
    """The official client at that server; it shows forms when there is an `answer` to give."""

    async def elicit(context: Any, params: Any) -> ElicitResult:  # noqa: ARG001 - the caller uses these names
        return ElicitResult(action="accept", content={"decision": answer or ""})

    forms = elicit if answer is not None else None
    if isinstance(to, Stdio):
        # Few variables reach a server; the token is none of them.
        environ = {name: reader.environ[name] for name in ("PATH", "HOME")}
        parameters = StdioServerParameters(command=to.command, args=to.args, env=environ)
        async with Client(parameters, mode=mode, elicitation_callback=forms) as client:
            yield client
        return
    async with (
        httpx2.AsyncClient(headers=to.headers) as http,
        Client(streamable_http_client(to.url, http_client=http), mode=mode, elicitation_callback=forms) as client,
    ):
        yield client


def said(result: CallToolResult) -> str:
    return "".join(getattr(part, "text", "") for part in result.content)


def ran(to: Server, reader: Reader, command: str, answer: str | None = None, mode: Mode = "auto") -> str:
    """What the model is told about the command."""

    async def run() -> str:
        async with asyncio.timeout(CALL_LIMIT_S), talking(to, reader, answer, mode) as client:
            assert "exec_command" in {tool.name for tool in (await client.list_tools()).tools}
            result = await client.call_tool("exec_command", {"cmd": command})
            assert isinstance(result, CallToolResult)
            return said(result)

    return asyncio.run(run())


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("page", CLIENTS)
def test_configuration_of_the_page_leads_to_a_server_that_runs_commands(
    page: str, transport: str, reader: Reader
) -> None:
    """Required: who copies the block has a shell. In the era most clients speak; the frameworks speak the later."""
    text = ran(server(page, transport, reader), reader, "echo $((6 * 7)); pwd", mode="legacy")
    assert f"42\n{reader.project}\n" in text


def test_entry_in_the_readme_does_too(reader: Reader) -> None:
    (entry,) = blocks("../../README.md", "json")
    told = json.loads(filled(entry, reader))["mcpServers"]["sandgate"]
    assert "42" in ran(Stdio(told["command"], told["args"]), reader, "echo $((6 * 7))")


def test_entry_that_delegates_offers_the_tools_for_it(reader: Reader) -> None:
    told = json.loads(filled(blocks("mcp.md", "json")[1], reader))["mcpServers"]["sandgate"]

    async def run() -> set[str]:
        async with asyncio.timeout(CALL_LIMIT_S), talking(Stdio(told["command"], told["args"]), reader) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert asyncio.run(run()) >= {"exec_command", "sandgate", "sandgate-reply"}


@pytest.mark.parametrize("page", CLIENTS)
def test_server_over_http_wants_the_token_where_the_page_puts_it(page: str, reader: Reader) -> None:
    found = server(page, "http", reader)
    assert isinstance(found, Http)
    wrong = {"Authorization": "Bearer " + "x" * 43}
    answers = [httpx2.post(found.url, headers=headers, json={}).status_code for headers in (found.headers, {}, wrong)]
    assert answers == [400, 401, 401]


def test_confined_command_sees_no_token(reader: Reader) -> None:
    """Required: what has the token could speak to the server as its client."""
    token = reader.environ["SANDGATE_MCP_TOKEN"]
    file = Path(reader.environ["HOME"], ".local/state/sandgate/mcp.tokens")
    assert token in file.read_text()
    text = ran(server("codex.md", "http", reader), reader, f"cat {file}; env; echo over")
    assert ("No such file or directory" in text, "over" in text, token in text) == (True, True, False)


@pytest.mark.parametrize(("answer", "written"), [("deny", False), ("approve", True)])
def test_command_to_try_is_put_to_a_client_that_shows_forms(
    answer: str, written: bool, reader: Reader, note: Path
) -> None:
    """Required: what the pages say one sees."""
    text = ran(server("claude-code.md", "stdio", reader), reader, NOTE, answer)
    assert ("Read-only file system" in text, note.exists()) == (not written, written)


def approvals(reader: Reader, command: str, prefix: str = "") -> str:
    """Types a line of the page, from whatever directory, as one would at another terminal."""
    line = command.replace("sandgate ", f"{LAUNCHER} ", 1).replace("3f2a", prefix)
    ended = subprocess.run(["sh", "-c", line], env=reader.environ, capture_output=True, text=True, timeout=RUN_LIMIT_S)
    return ended.stdout


@pytest.mark.parametrize("decision", ["approve", "deny"])
def test_question_that_waits_is_answered_from_another_terminal(decision: str, reader: Reader, note: Path) -> None:
    """Required: so approvals reach a client that cannot show forms, with the configuration of its page."""
    resolve = blocks("approvals.md", "sh")[0].splitlines()[1].replace("approve", decision)

    async def run() -> str:
        async with asyncio.timeout(CALL_LIMIT_S), talking(server("gemini-cli.md", "stdio", reader), reader) as client:
            call = asyncio.ensure_future(client.call_tool("exec_command", {"cmd": NOTE}))
            pending: list[dict[str, Any]] = []
            while not pending and not call.done():
                pending = json.loads(await asyncio.to_thread(approvals, reader, "sandgate approvals list --json"))[
                    "pending"
                ]
            (question,) = pending
            printed = await asyncio.to_thread(approvals, reader, resolve, question["approval_id"][:4])
            assert printed.startswith(f"decided: {question['approval_id']}  {decision}, by terminal (only this once)")
            result = await call
            assert isinstance(result, CallToolResult)
            return said(result)

    text = asyncio.run(run())
    assert ("Read-only file system" in text, note.exists()) == (decision == "deny", decision == "approve")


STRICTER = [("-s", "read-only"), ("-a", "untrusted"), ("-a", "never")]


@pytest.mark.parametrize(("option", "value"), STRICTER)
def test_stricter_policy_refuses_what_the_page_says(option: str, value: str, reader: Reader, note: Path) -> None:
    command = NOTE if value == "never" else "touch here"
    to = Stdio(LAUNCHER, ["mcp", "-C", reader.project, option, value])
    text = ran(to, reader, command, "approve" if value == "never" else None)
    assert "Process exited with code 0" not in text
    assert not note.exists()
    assert not Path(reader.project, "here").exists()


@pytest.mark.parametrize("page", [*CLIENTS, *FRAMEWORKS])
def test_page_names_only_options_that_were_tried(page: str) -> None:
    named = re.findall(r'`"(-\w)", "([a-z-]+)"`', (PAGES / page).read_text())
    assert named == STRICTER


def test_settings_that_take_the_clients_own_shell_away_are_well_formed() -> None:
    """The tools' names are those that each client listed to a scripted model; its own reading is not tested here."""
    permissions = json.loads(blocks("claude-code.md", "json")[2])["permissions"]
    assert ("Bash" in permissions["deny"], permissions["allow"]) == (True, ["mcp__sandgate"])
    (rule,) = tomllib.loads(blocks("gemini-cli.md", "toml")[0])["rule"]
    assert ("run_shell_command" in rule["toolName"], rule["decision"], rule["priority"]) == (True, "deny", 999)
    for block in blocks("codex.md", "toml"):
        told = tomllib.loads(block)
        assert (told["features"], told["sandbox_mode"]) == ({"shell_tool": False}, "read-only")
    (agent,) = blocks("vs-code.md", "markdown")
    assert "tools: ['read', 'search', 'sandgate/*']" in agent


def test_every_block_is_used_by_a_test() -> None:
    """Required: a block that nobody runs would not stay true."""
    wanted = {
        "acp.md": ["json", "json"],  # test_acp_page.py
        # test_agent_page.py, and test_sessions.py
        "agent.md": ["console", "toml", "sh"] + ["console"] * 4 + ["toml"] + ["console"] * 2,
        "app-server.md": ["json", "json"],  # test_app_server_page.py
        "approvals.md": ["sh", "sh"],
        "auto-review.md": ["toml", "sh"],  # test_auto_review.py
        "caches.md": ["console"],  # test_sessions.py
        "change-what-is-decided.md": [],
        "ci.md": ["sh", "console"],  # test_welcome.py, and test_sessions.py
        "claude-code.md": ["json", "json", "json", "sh", "json"],
        "codex.md": ["toml", "toml"],
        "gemini-cli.md": ["json", "json", "toml"],
        "install.md": ["sh", "sh"],  # test_welcome.py
        "ports.md": ["console", "text", "python", "text"],  # test_sessions.py, test_ports_page.py
        "mcp-http.md": ["sh", "text", "sh"],
        "mcp.md": ["json", "sh", "json"],  # test_welcome.py; the entry is that of the README
        "model-risk.md": ["toml", "sh", "text"],  # test_model_risk.py
        "openai-agents.md": ["python", "python"],
        "pydantic-ai.md": ["python", "python"],
        "python.md": ["python"] * 2 + ["text", "python", "text"] + ["python"] * 2,  # test_python_examples.py
        # test_rules_page.py, and test_sessions.py
        "rules.md": ["console"] * 3 + ["toml", "python", "python"] + ["console"] * 2 + ["toml", "console"],
        "sessions-in-python.md": ["python", "text"],  # test_sessions_page.py
        "testing-an-agent.md": ["python"] * 4,  # test_testing_page.py
        "vs-code.md": ["json", "json", "markdown"],
    }
    found = {page.name: re.findall(r"^```(\w+)$", page.read_text(), re.MULTILINE) for page in PAGES.glob("*.md")}
    assert found == wanted


SCRIPTED = {
    "openai-agents.md": """
import json
from agents import Model, ModelResponse, Usage, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

set_tracing_disabled(True)

class Scripted(Model):
    async def get_response(self, system_instructions, input, *others, **more):
        told = [] if isinstance(input, str) else [item["output"] for item in input if "output" in item]
        if not told:
            arguments = json.dumps({"cmd": COMMAND})
            item = ResponseFunctionToolCall(type="function_call", call_id="1", name="exec_command", arguments=arguments)
        else:
            part = ResponseOutputText(type="output_text", text=json.dumps(told), annotations=[])
            item = ResponseOutputMessage(id="2", role="assistant", status="completed", type="message", content=[part])
        return ModelResponse(output=[item], usage=Usage(), response_id=None)

    def stream_response(self, *others, **more):
        raise RuntimeError("this model does not stream")

MODEL = Scripted()
""",
    "pydantic-ai.md": """
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

def scripted(messages, info):
    told = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    if told:
        return ModelResponse(parts=[TextPart(f"{told[-1].outcome}: {told[-1].content}")])
    return ModelResponse(parts=[ToolCallPart("exec_command", {"cmd": COMMAND})])

MODEL = FunctionModel(scripted)
""",
}
"""In the place of the page's model: one that calls our tool once, and repeats what it was told."""


def run_page(page: str, transport: str, reader: Reader, command: str, typed: str = "") -> str:
    """Runs the page's program as it stands but for its model; what it printed."""
    code = filled(blocks(page, "python")[TRANSPORTS.index(transport)], reader)
    model = f"COMMAND = {command!r}\n{SCRIPTED[page]}"
    code, replaced = re.subn(r"^MODEL = .*$", lambda _: model, code, flags=re.MULTILINE)
    assert replaced == 1
    environ = {**reader.environ, "HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1"}
    ended = subprocess.run(
        [str(PEERS / "bin/python"), "-c", code],
        cwd=reader.project,
        env=environ,
        input=typed,
        capture_output=True,
        text=True,
        timeout=RUN_LIMIT_S,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.mark.host("peers")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_agent_of_the_openai_agents_page_runs_a_command_through_the_gate(transport: str, reader: Reader) -> None:
    """Required: the program on the page works, with the framework it is about."""
    assert "Process exited with code 0" in run_page("openai-agents.md", transport, reader, "test $((6 * 7)) = 42")


@pytest.mark.host("peers")
@pytest.mark.parametrize(("typed", "written"), [("approve", True), ("perhaps", False)])
def test_handler_of_the_pydantic_ai_page_decides(typed: str, written: bool, reader: Reader, note: Path) -> None:
    """Required: its approvals count, although the framework warns that the handler is never called."""
    printed = run_page("pydantic-ai.md", "stdio", reader, f"{NOTE}; cat ~/note", typed + "\n")
    assert "approve: yes, once: may make " in printed
    assert ("Read-only file system" in printed.split("Your answer:")[1], note.exists()) == (not written, written)


@pytest.mark.host("peers")
def test_agent_without_anybody_to_ask_is_refused(reader: Reader, note: Path) -> None:
    """Over HTTP, where the page has no handler; the command itself ran, confined."""
    assert "Read-only file system" in run_page("pydantic-ai.md", "http", reader, NOTE)
    assert not note.exists()


def printed_by(command: list[str], reader: Reader, home: Path, **more: str) -> str:
    """What the client prints, with a home of its own and no way to anywhere but this machine."""
    elsewhere = {"HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1", "HOME": str(home)}
    ended = subprocess.run(
        command,
        cwd=reader.project,
        env={**reader.environ, **elsewhere, **more},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=RUN_LIMIT_S,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_codex_reads_its_page_and_has_no_shell_but_ours(transport: str, reader: Reader) -> None:
    home = Path(reader.environ["HOME"], f"codex-{transport}")  # not below /tmp, which commands may write to
    home.mkdir()
    codex = program("CODEX", "codex")
    told = filled(blocks("codex.md", "toml")[TRANSPORTS.index(transport)], reader)

    def script(request: dict[str, Any]) -> dict[str, Any]:
        answered = any(item["type"] == "function_call_output" for item in request["input"])
        return message("done") if answered else function_call("exec_command", {"cmd": NOTE}, "mcp__sandgate")

    with serving_model(script) as model:
        provider = f'[model_providers.scripted]\nname = "scripted"\nbase_url = "{model.url}"\nwire_api = "responses"\n'
        top = 'model = "scripted"\nmodel_provider = "scripted"\ncheck_for_update_on_startup = false\n'
        (home / "config.toml").write_text(f"{top}{told}\n[analytics]\nenabled = false\n{provider}")
        assert "sandgate" in printed_by([codex, "mcp", "list"], reader, home, CODEX_HOME=str(home))
        run = [codex, "exec", "--strict-config", "--skip-git-repo-check", "go"]
        printed_by(run, reader, home, CODEX_HOME=str(home))
        first, second = model.requests
    names = {tool.get("name") for tool in first["tools"]}
    assert ("mcp__sandgate" in names, names & {"exec_command", "write_stdin", "shell"}) == (True, set())
    assert "Read-only file system" in json.dumps(second["input"])


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_claude_code_reads_its_page(transport: str, reader: Reader, tmp_path: Path) -> None:
    claude = program("CLAUDE", "claude")
    told = Path(reader.project, ".mcp.json")
    told.write_text(filled(blocks("claude-code.md", "json")[TRANSPORTS.index(transport)], reader))
    try:
        assert "sandgate: " in printed_by([claude, "mcp", "list"], reader, tmp_path)
    finally:
        told.unlink()


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_gemini_cli_reads_its_page_and_connects(transport: str, reader: Reader, tmp_path: Path) -> None:
    gemini = program("GEMINI", "gemini")
    (tmp_path / ".gemini").mkdir()
    told = filled(blocks("gemini-cli.md", "json")[TRANSPORTS.index(transport)], reader)
    (tmp_path / ".gemini" / "settings.json").write_text(told)
    assert "Connected" in printed_by([gemini, "mcp", "list"], reader, tmp_path, GEMINI_CLI_TRUST_WORKSPACE="true")

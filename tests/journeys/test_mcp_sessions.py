"""A whole task handed to `sandgate mcp` from outside: the official client, real pipes and real connections."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from mcp_types import ElicitResult

from sandgate.testing import ModelScript
from support.mcp.mcp_program import MODES, Place, gone, living, marker, over_http, over_stdio, run, structured, text_of
from support.mcp.mcp_wire import LEGACY, MODERN, envelope

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.host("namespace", "notify"), pytest.mark.slow]

ALICE, BOB = "a" * 40, "b" * 40
modes = pytest.mark.parametrize("mode", MODES)
TASK = {"prompt": "go"}


def script(place: Place, script: ModelScript) -> list[str]:
    """Options of a server whose agents have such a model, and ask."""
    path = script.write(str(place.home / "answers.jsonl"))
    return ["--sessions", "--model-script", path, "-a", "untrusted"]


class Person:
    """Says yes to every form."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    async def __call__(self, _context: Any, params: Any) -> ElicitResult:
        self.shown.append(params.message)
        return ElicitResult(action="accept", content={"decision": "approve"})


async def delegated(client: Any, place: Place) -> None:
    """One task, and a reply."""
    tools = {tool.name for tool in (await client.list_tools()).tools}
    assert {"sandgate", "sandgate-reply"} < tools
    assert not tools & {"codex", "codex-reply"}
    done = await client.call_tool("sandgate", TASK)
    assert (text_of(done), done.is_error, (place.workspace / "made").read_text()) == ("made it", False, "x\n")
    again = {"prompt": "and?", "conversationId": structured(done)["threadId"]}
    assert text_of(await client.call_tool("codex-reply", again)) == "nothing else"


@modes
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_client_hands_over_a_task_and_is_asked_about_its_command(transport: str, mode: str, tmp_path: Path) -> None:
    place, person = Place(tmp_path), Person()
    told = ModelScript().calls("exec_command", cmd="echo x >> made", login=False).says("made it").says("nothing else")
    options = script(place, told)

    async def walk() -> None:
        if transport == "stdio":
            async with over_stdio(place, mode, *options, elicitation_callback=person) as client:
                await delegated(client, place)
            return
        with place.serving("--token-file", place.tokens(alice=ALICE), *options) as server:
            async with over_http(server.url, ALICE, mode, elicitation_callback=person) as client:
                await delegated(client, place)

    run(walk())
    assert ["echo x >> made" in shown for shown in person.shown] == [True]
    assert place.nothing_waits()


async def raw_answers(web: httpx2.AsyncClient, url: str, mode: str) -> list[Any]:
    """Everything on the stream of one call, as it is on the wire."""
    body: dict[str, Any] = {"jsonrpc": "2.0", "id": 7, "method": "tools/call"}
    params: dict[str, Any] = {"name": "codex", "arguments": TASK}
    if mode == MODERN:
        headers = {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "codex"}
        params["_meta"] = envelope({})
    else:
        hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        first = await web.post(url, json={"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})
        headers = {"mcp-session-id": first.headers["mcp-session-id"], "mcp-protocol-version": LEGACY}
        await web.post(url, headers=headers, json={"jsonrpc": "2.0", "method": "notifications/initialized"})
    stream = (await web.post(url, headers=headers, json={**body, "params": params})).text
    return [json.loads(line.removeprefix("data: ")) for line in stream.splitlines() if line.startswith("data: {")]


@modes
def test_over_http_the_events_come_on_the_stream_of_their_call(mode: str, tmp_path: Path) -> None:
    """Required: in order, every one, and before the answer."""
    place = Place(tmp_path)
    options = script(place, ModelScript().says("hello"))
    accepts = {"authorization": f"Bearer {ALICE}", "accept": "application/json, text/event-stream"}

    async def walk() -> list[Any]:
        with place.serving("--token-file", place.tokens(alice=ALICE), *options) as server:
            async with httpx2.AsyncClient(headers=accepts, timeout=30) as web:
                return await raw_answers(web, server.url, mode)

    *told, answer = run(walk())
    kinds = [each["params"]["msg"]["type"] for each in told]
    assert {each["method"] for each in told} == {"codex/event"}
    assert [each["params"]["seq"] for each in told] == list(range(len(told)))
    assert (kinds[0], kinds[1], kinds[-1]) == ("session_configured", "task_started", "task_complete")
    thread = answer["result"]["structuredContent"]["threadId"]
    assert all(each["params"]["_meta"] == {"requestId": 7, "threadId": thread} for each in told)
    assert answer["result"]["content"][0]["text"] == "hello"


@modes
def test_another_client_cannot_go_on_with_a_session(mode: str, tmp_path: Path) -> None:
    """Required: over HTTP a session belongs to who began it, whoever has heard its name."""
    place = Place(tmp_path)
    options = script(place, ModelScript().says("hello").says("hello again"))

    async def walk() -> None:
        with place.serving("--token-file", place.tokens(alice=ALICE, bob=BOB), *options) as server:
            async with over_http(server.url, ALICE, mode) as alice, over_http(server.url, BOB, mode) as bob:
                thread = structured(await alice.call_tool("codex", TASK))["threadId"]
                stolen = await bob.call_tool("codex-reply", {**TASK, "threadId": thread})
                assert (stolen.is_error, "there is no session" in text_of(stolen)) == (True, True)
                assert text_of(await alice.call_tool("codex-reply", {**TASK, "threadId": thread})) == "hello again"

    run(walk())


def test_a_killed_server_leaves_nothing_of_its_agents(tmp_path: Path) -> None:
    place, mark, person = Place(tmp_path), marker(), Person()
    calls = ModelScript().calls("exec_command", cmd=f"exec sleep {mark}", login=False, yield_time_ms=250)
    options = script(place, calls.says("it sleeps"))

    async def walk() -> None:
        with place.serving("--token-file", place.tokens(alice=ALICE), *options) as server:
            async with over_http(server.url, ALICE, MODES[-1], elicitation_callback=person) as client:
                assert text_of(await client.call_tool("sandgate", TASK)) == "it sleeps"
                assert living(mark)
                server.killed()
                assert gone(mark)

    run(walk())


def test_without_a_model_the_server_does_not_start(tmp_path: Path) -> None:
    place = Place(tmp_path)
    done = place("mcp", "--sessions")
    assert (done.code, "`--sessions` needs a model" in done.err) == (78, True)
    assert "belong to `--sessions`" in place("mcp", "--model", "m").err

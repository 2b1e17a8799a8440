"""A client of the MCP server that sees every message: JSON in memory, in either era, with nothing in between.

The official client hides what does not fit its types, answers questions for its caller and never breaks a rule. Here a
call, its questions and its answer are three separate things, and a test says what is sent and when.
"""

from __future__ import annotations

import asyncio
import functools
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from sandgate.serving.ledger_access import open_ledger
from sandgate.serving.sealing_key import sealing_key
from sandgate.surfaces.mcp.calling import Channels
from sandgate.surfaces.mcp.server import build_server
from sandgate.surfaces.mcp.sessions import Sessions
from support.terminal.live_sessions import Workplace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Coroutine, Mapping
    from typing import TypeVar

    from mcp.server.lowlevel import Server

    from sandgate.serving.ledger_access import Ledger
    from sandgate.surfaces.mcp.client_thread import Delegation

    Json = dict[str, Any]
    T = TypeVar("T")

LIMIT_S = 30  # for anything that is waited for
LEGACY, MODERN = "2025-11-25", "2026-07-28"
ERAS = [pytest.param(LEGACY, id="legacy"), pytest.param(MODERN, id="modern")]
ASKABLE: Json = {"elicitation": {"form": {}}}
PROGRAM = "mcp"  # the SDKs' name for a program of one's own, which shows every choice
BUTTONS_ONLY = "wire"  # a client that nothing is known of
KEY = "approval"
RUNS = "runs"  # in the workspace: a line for each time that a command ran
INITIAL = {"cmd": f"echo ran >> {RUNS}", "login": False}  # asked about before it runs, where nothing is trusted


def run(work: Coroutine[Any, Any, T], *, limit_s: float = 2 * LIMIT_S) -> T:
    """On a fresh loop, for a bounded time."""

    async def bounded() -> T:
        async with asyncio.timeout(limit_s):
            return await work

    return asyncio.run(bounded())


async def soon(awaited: Awaitable[T]) -> T:
    """What must happen within the limit."""
    async with asyncio.timeout(LIMIT_S):
        return await awaited


class Desk:
    """Servers for one workplace, as a user would start them one after the other or side by side."""

    def __init__(self, place: Workplace) -> None:
        self.place = place
        self.sessions: list[Sessions] = []

    @property
    def environ(self) -> dict[str, str]:
        return dict(self.place.environment().environ)

    @functools.cached_property
    def ledger(self) -> Ledger:
        return open_ledger(self.environ)

    @property
    def runs(self) -> int:
        """How often `INITIAL` ran."""
        return lines_in(str(self.place.repo / RUNS))

    @property
    def outside(self) -> str:
        return str(self.place.outside / "made")

    def stray(self) -> Json:
        """A call whose command writes a line where it may not, and so is held back and asked about after."""
        return {"cmd": f"echo stray >> {self.outside}", "login": False}

    def server(
        self,
        *overrides: str,
        timeout_s: float = LIMIT_S,
        forms: bool = True,
        waits_elsewhere: bool = False,
        started_in: Mapping[str, str] | None = None,
        delegation: Delegation | None = None,
        **typed: Any,
    ) -> Server[Any]:
        environment = self.place.environment(
            *overrides, **{"sandbox_mode": "workspace-write", "approval_policy": "on-failure", **typed}
        )
        sessions = Sessions(
            environment.but(person_present=True), self.ledger, timeout_s=timeout_s, delegation=delegation
        )
        self.sessions.append(sessions)
        return build_server(
            sessions,
            login_allowed=True,
            channels=Channels(started_in or {}, forms=forms, elsewhere=waits_elsewhere),
            sealing_key=sealing_key(environment.environ),
        )

    def untrusting(self, *overrides: str, **how: Any) -> Server[Any]:
        """A server that asks before anything runs."""
        return self.server(*overrides, approval_policy="untrusted", **how)


def envelope(capabilities: Json, client: str = PROGRAM) -> Json:
    """What every request of the modern era says about its client."""
    return {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": client, "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    }


def lines_in(path: str) -> int:
    """0 for a file that does not exist."""
    try:
        with open(path, encoding="utf-8") as file:
            return len(file.readlines())
    except FileNotFoundError:
        return 0


class Wire:
    """One connection, from the client's side."""

    def __init__(self, version: str, capabilities: Json, client: str) -> None:
        self.version = version
        self.client = client
        self.capabilities = capabilities
        self.received: list[Json] = []  # everything, in order
        self.told: asyncio.Queue[Json] = asyncio.Queue()  # notifications
        self._answers: dict[object, asyncio.Future[Json]] = {}
        self._questions: dict[str, asyncio.Queue[Json]] = {}
        self._next_id = 0
        self._send: Any = None
        self._hang_up: Any = None

    @property
    def modern(self) -> bool:
        return self.version == MODERN

    async def send(self, message: Json) -> None:
        """One message as a transport would hand it on."""
        text = json.dumps({"jsonrpc": "2.0", **message})
        await soon(self._send(SessionMessage(jsonrpc_message_adapter.validate_json(text, by_name=False))))

    async def request(self, method: str, params: Json) -> tuple[int, asyncio.Future[Json]]:
        """The id, and what will be the answer as it came."""
        self._next_id += 1
        number = self._next_id
        if self.modern:
            params = {**params, "_meta": {**envelope(self.capabilities, self.client), **params.get("_meta", {})}}
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        self._questions[str(number)] = asyncio.Queue()
        await self.send({"id": number, "method": method, "params": params})
        return number, answer

    async def notify(self, method: str, params: Json) -> None:
        await self.send({"method": method, "params": params})

    async def call(self, tool: str, arguments: Json, **more: Any) -> ToolCall:
        """Begins a call; `more` goes into its parameters."""
        found = ToolCall(self, tool, arguments, more)
        await found.begin(more)
        return found

    async def result(self, tool: str, arguments: Json) -> Json:
        """Of a call that nobody is asked about."""
        return await (await self.call(tool, arguments)).result()

    async def drop(self) -> None:
        """The client goes away; returns when the server has taken notice and ended."""
        await self._hang_up()

    def questions_of(self, number: int) -> asyncio.Queue[Json]:
        return self._questions[str(number)]

    def take(self, message: Json) -> None:
        self.received.append(message)
        if "method" not in message:
            answer = self._answers[message["id"]]
            assert not answer.done(), f"a second answer: {message}"
            answer.set_result(message)
        elif "id" in message:
            self._questions[message["params"]["codex_mcp_tool_call_id"]].put_nowait(message)
        else:
            self.told.put_nowait(message)

    def answers_to(self, number: int) -> int:
        return sum("method" not in each and each.get("id") == number for each in self.received)


class ToolCall:
    """One call of a tool: the same conversation in both eras."""

    def __init__(self, wire: Wire, tool: str, arguments: Json, more: Json) -> None:
        self.wire = wire
        self._base = {"name": tool, "arguments": arguments}
        self._more = more
        self.id = 0
        self.response: asyncio.Future[Json]
        self.question: Json = {}  # the message that asked last
        self.state = ""  # to be brought along, in the modern era

    async def begin(self, more: Json) -> None:
        self.id, self.response = await self.wire.request("tools/call", {**self._base, **more})

    async def asked(self) -> Json:
        """The question, as the parameters of its form."""
        if self.wire.modern:
            message = await soon(asyncio.shield(self.response))
            result = message.get("result", {})
            assert result.get("resultType") == "input_required", f"nobody was asked: {message}"
            self.question, self.state = message, result["requestState"]
            assert list(result["inputRequests"]) == [KEY]
            request: Json = result["inputRequests"][KEY]
            assert request["method"] == "elicitation/create"
            return dict(request["params"])
        coming = asyncio.ensure_future(self.wire.questions_of(self.id).get())
        await soon(asyncio.wait((coming, self.response), return_when=asyncio.FIRST_COMPLETED))
        if not coming.done():
            coming.cancel()
            raise AssertionError(f"nobody was asked: {self.response.result()}")
        self.question = coming.result()
        return dict(self.question["params"])

    async def answer(self, answer: object) -> None:
        """What the client says to the last question; any JSON."""
        if self.wire.modern:
            await self.begin({"inputResponses": {KEY: answer}, "requestState": self.state})
        else:
            await self.wire.send({"id": self.question["id"], "result": answer})

    async def choose(self, name: str, **more: str) -> None:
        await self.answer({"action": "accept", "content": {"decision": name, **more}})

    async def cancel(self) -> None:
        await self.wire.notify("notifications/cancelled", {"requestId": self.id})

    async def outcome(self) -> Json:
        """The whole answer: it has a `result` or an `error`."""
        return await soon(asyncio.shield(self.response))

    async def result(self) -> Json:
        """The tool's answer; it is the end of the call."""
        message = await self.outcome()
        assert "result" in message, message
        result: Json = message["result"]
        assert result.get("resultType", "complete") == "complete", f"somebody was asked: {message}"
        return result

    async def text(self) -> str:
        return text_of(await self.result())


def text_of(result: Json) -> str:
    """What the model reads."""
    (part,) = result["content"]
    assert part["type"] == "text"
    return str(part["text"])


@asynccontextmanager
async def connected(
    server: Server[Any], version: str = LEGACY, *, capabilities: Json | None = None, client: str = PROGRAM
) -> AsyncIterator[Wire]:
    """A connection to `server`, which ends with it."""
    to_server, from_client = anyio.create_memory_object_stream[Any](64)
    to_client, from_server = anyio.create_memory_object_stream[Any](1024)
    wire = Wire(version, ASKABLE if capabilities is None else capabilities, client)
    wire._send = to_server.send
    serving = asyncio.ensure_future(server.run(from_client, to_client, server.create_initialization_options()))

    async def listen() -> None:
        async for each in from_server:
            wire.take(json.loads(each.message.model_dump_json(by_alias=True, exclude_unset=True)))

    async def hang_up() -> None:
        await to_server.aclose()
        await from_server.aclose()
        await soon(serving)

    listening = asyncio.ensure_future(listen())
    wire._hang_up = hang_up
    try:
        if not wire.modern:
            hello = {"protocolVersion": version, "capabilities": wire.capabilities}
            _, answer = await wire.request("initialize", {**hello, "clientInfo": {"name": client, "version": "1"}})
            assert (await soon(answer))["result"]["protocolVersion"] == version
            await wire.notify("notifications/initialized", {})
        yield wire
    finally:
        await to_server.aclose()
        try:
            await soon(serving)
        finally:
            serving.cancel()
            listening.cancel()
            await asyncio.gather(serving, listening, return_exceptions=True)
            for stream in (from_client, to_client, from_server):
                await stream.aclose()


@asynccontextmanager
async def streams_to(server: Server[Any]) -> AsyncIterator[tuple[Any, Any]]:
    """A transport for the official client that has messages, where its own way in has calls of functions."""
    async with create_client_server_memory_streams() as ((from_server, to_server), (from_client, to_client)):
        serving = asyncio.ensure_future(server.run(from_client, to_client, server.create_initialization_options()))
        try:
            yield from_server, to_server
        finally:
            await to_server.aclose()
            await to_client.aclose()
            await soon(serving)

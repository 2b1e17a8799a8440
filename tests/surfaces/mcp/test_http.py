"""Over real sockets on the loopback address, with the server of `mcp_stage.py`."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from sandgate.errors import RequestError
from sandgate.surfaces.mcp import connections, http
from sandgate.surfaces.mcp import disconnects as absence
from sandgate.surfaces.mcp import request_limit as crowding
from sandgate.surfaces.mcp.messages import MESSAGE_BYTES_MAX
from sandgate.surfaces.mcp.resuming import Resuming
from sandgate.surfaces.transport.tokens import Tokens
from support.mcp.mcp_stage import TOOLS, Stage
from support.suite.rows import every

LIMIT_S = 20
ALICE, BOB = "alice-" + "a" * 40, "bob-" + "b" * 40
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


class Answer:
    def __init__(self, head: bytes, body: bytes) -> None:
        first, *lines = head.decode("latin-1").split("\r\n")
        self.status = int(first.split()[1])
        self.headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        self.body = body

    @property
    def session(self) -> str:
        return self.headers["mcp-session-id"]


class Site:
    """A server that listens."""

    def __init__(self, url: str, stage: Stage, serving: asyncio.Task[int]) -> None:
        self.url, self.stage, self.serving = url, stage, serving
        self.authority = url.removeprefix("http://").removesuffix("/mcp")
        self.writers: list[asyncio.StreamWriter] = []
        self.port = int(url.rpartition(":")[2].removesuffix("/mcp"))

    def request(self, method: str = "POST", path: str = "/mcp", body: Any = PING, **headers: str | None) -> bytes:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        given: dict[str, str | None] = {
            "host": self.authority,
            "authorization": f"Bearer {ALICE}",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "content-length": str(len(content)),
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        lines = [f"{name}: {value}" for name, value in given.items() if value is not None]
        return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""]).encode("latin-1") + content

    async def ask(self, method: str = "POST", path: str = "/mcp", body: Any = PING, **headers: str | None) -> Answer:
        return await self.exchange(self.request(method, path, body, **{"connection": "close", **headers}))

    async def exchange(self, raw: bytes) -> Answer:
        reader, writer = await self.connect(raw)
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
        return Answer(head, body)

    async def connect(self, raw: bytes = b"") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writers.append(writer)
        writer.write(raw)
        await writer.drain()
        return reader, writer

    async def begin(self, token: str = ALICE) -> str:
        """A session of the handshake era; its name."""
        authorization = f"Bearer {token}"
        session = (await self.ask(body=INITIALIZE, authorization=authorization)).session
        told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert (await self.ask(body=told, mcp_session_id=session, authorization=authorization)).status == 202
        return session

    def call(self, tool: str, session: str) -> bytes:
        params = {"name": tool, "arguments": {}, "_meta": {"progressToken": "p"}}
        body = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params}
        return self.request(body=body, mcp_session_id=session, mcp_protocol_version="2025-11-25")


@asynccontextmanager
async def site(host: str = "127.0.0.1") -> AsyncIterator[Site]:
    stage = Stage()
    listening: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    tokens = Tokens([("alice", ALICE), ("bob", BOB)])
    serving = asyncio.create_task(
        http.serve_http(stage.server(), host=host, port=0, tokens=tokens, announce=listening.set_result)
    )
    try:
        made = Site(await listening, stage, serving)
        yield made
        for writer in made.writers:
            writer.close()
    finally:
        serving.cancel()
        await asyncio.wait([serving])


@asynccontextmanager
async def bob(made: Site, mode: str) -> AsyncIterator[Client]:
    """The SDK's own client, with Bob's token."""
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {BOB}"}) as with_token,
        Client(streamable_http_client(made.url, http_client=with_token), mode=mode) as client,
    ):
        yield client


def run(test: Callable[[Site], Awaitable[None]], host: str = "127.0.0.1") -> None:
    async def bounded() -> None:
        async with asyncio.timeout(LIMIT_S), site(host) as made:
            await test(made)

    asyncio.run(bounded())


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_a_client_of_either_era_calls_tools_as_its_principal_and_no_handler_sees_a_token(mode: str) -> None:
    async def test(made: Site) -> None:
        async with bob(made, mode) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
            assert (await client.call_tool("whoami", {})).content[0].text == "bob None"  # type: ignore[union-attr]

    run(test)


@pytest.mark.parametrize("host", ["::1", "localhost"])
def test_the_other_names_of_the_loopback_address_are_served(host: str) -> None:
    async def test(made: Site) -> None:
        assert made.authority.startswith({"::1": "[::1]:", "localhost": "127.0.0.1:"}[host])
        async with httpx2.AsyncClient() as client:
            assert (await client.post(made.url)).status_code == 401

    run(test, host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.1", "example.org", "127.0.0.2", ""])
def test_other_addresses_are_refused_with_the_way_around(host: str) -> None:
    with pytest.raises(RequestError, match="unencrypted") as refused:
        asyncio.run(http.serve_http(Stage().server(), host=host, port=0, tokens=Tokens([("a", ALICE)]), announce=print))
    assert "ssh -L" in refused.value.hint


def test_a_port_in_use_is_refused_plainly() -> None:
    async def test(made: Site) -> None:
        with pytest.raises(RequestError, match="Address already in use"):
            await http.serve_http(
                Stage().server(), host="127.0.0.1", port=made.port, tokens=Tokens([("a", ALICE)]), announce=print
            )

    run(test)


@every("path", ["/mcp", "/", "/health", "/mcp/../x", f"/mcp?token={ALICE}"])
@every("method", ["POST", "GET", "DELETE", "OPTIONS", "PUT"])
@every(
    "authorization",
    [None, "", "Bearer", "Bearer ", f"Basic {ALICE}", f"Bearer {ALICE[:-1]}", f"Bearer {ALICE} x", "Bearer ä\xff"],
)
def test_without_a_token_every_path_and_method_answers_alike(path: str, method: str, authorization: str | None) -> None:
    async def test(made: Site) -> None:
        answer = await made.ask(method, path, authorization=authorization)
        assert (answer.status, "bearer" in answer.headers["www-authenticate"].lower()) == (401, True)
        assert answer.headers.keys() <= {"www-authenticate", "content-type", "content-length", "connection"}
        assert b"alice" not in answer.body

    run(test)


def test_what_was_wrong_with_a_token_does_not_show() -> None:
    async def test(made: Site) -> None:
        answers = [await made.ask(authorization=given) for given in (None, f"Bearer {ALICE}x", "Bearer x", "x")]
        assert len({(answer.body, answer.headers["www-authenticate"]) for answer in answers}) == 1

    run(test)


def test_another_address_or_a_web_page_is_turned_away_in_both_eras_and_on_every_path() -> None:
    async def test(made: Site) -> None:
        own, port = made.authority, made.port
        for version in ("2025-11-25", "2026-07-28", None):
            for path in ("/mcp", "/x"):

                async def status(path: str = path, version: str | None = version, **headers: str) -> int:
                    return (await made.ask(path=path, mcp_protocol_version=version, **headers)).status

                for host in (
                    "evil.example",
                    f"evil.example:{port}",
                    "127.0.0.1",
                    f"127.0.0.1:{port + 1}",
                    "",
                    own + ".",
                ):
                    assert await status(host=host) == 421
                for origin in ("http://evil.example", "null", f"https://{own}", f"http://127.0.0.1:{port}1", "", own):
                    assert await status(origin=origin) == 403
                goods: list[dict[str, str]] = [{}, {"origin": f"http://{own}"}, {"host": f"LOCALHOST:{port}"}]
                for good in goods:
                    assert await status(**good) not in (403, 421)

    run(test)


def test_two_hosts_or_none_are_refused() -> None:
    async def test(made: Site) -> None:
        raw = made.request(connection="close")
        assert (await made.exchange(raw.replace(b"host:", b"host: evil.example\r\nhost:"))).status == 400
        assert (await made.exchange(raw.replace(b"host:", b"x-host:").replace(b"HTTP/1.1", b"HTTP/1.0"))).status == 421

    run(test)


def test_no_path_but_one_leads_anywhere() -> None:
    async def test(made: Site) -> None:
        assert [(await made.ask(path=path)).status for path in ("/", "/mcp/", "//mcp", "/MCP")] == [404] * 4

    run(test)


@pytest.mark.parametrize(
    ("body", "code"),
    [(b"", -32700), (b"{", -32700), (b"\xff", -32700), (b"[" * 5000, -32700), (b"[]", -32600), (b'{"id":1}', -32600)],
)
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28", None])
def test_a_body_that_is_no_message_is_refused_in_plain_words(body: bytes, code: int, version: str | None) -> None:
    async def test(made: Site) -> None:
        answer = await made.ask(body=body, mcp_protocol_version=version)
        assert (answer.status, json.loads(answer.body)["error"]["code"]) == (400, code)
        assert b"pydantic" not in answer.body

    run(test)


def test_a_request_with_half_a_surrogate_pair_is_refused_with_its_id() -> None:
    async def test(made: Site) -> None:
        answer = await made.ask(body=b'{"jsonrpc":"2.0","id":"x","method":"ping","params":{"a":"\\ud800"}}')
        assert (answer.status, json.loads(answer.body)["id"]) == (400, "x")

    run(test)


def test_a_body_over_the_limit_is_refused_whether_announced_or_not() -> None:
    async def test(made: Site) -> None:
        assert (await made.ask(body=b"x" * (MESSAGE_BYTES_MAX + 1))).status == 413
        chunk = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
        raw = made.request(body=b"", content_length=None, transfer_encoding="chunked")
        reader, writer = await made.connect(raw)
        writer.write(chunk * 9)
        assert b" 413 " in await reader.readline()
        writer.close()

    run(test)


@pytest.mark.parametrize("long", ["headers", "path", "query"])
def test_a_whole_head_over_the_limit_is_refused_and_one_below_is_not(long: str) -> None:
    async def status(made: Site, size: int) -> int:
        filling = "y" * size
        match long:
            case "headers":
                return (await made.ask(x=filling[: size // 2], z=filling[size // 2 :])).status
            case "path":
                return (await made.ask(path="/" + filling)).status
            case _:
                return (await made.ask(path="/mcp?" + filling)).status

    async def test(made: Site) -> None:
        assert await status(made, connections.HEADERS_BYTES_MAX) == 431
        assert await status(made, connections.HEADERS_BYTES_MAX - 1024) != 431

    run(test)


def test_an_unfinished_head_over_the_limit_is_refused() -> None:
    async def test(made: Site) -> None:
        reader, writer = await made.connect(b"GET /mcp HTTP/1.1\r\nx: " + b"y" * (connections.HEADERS_BYTES_MAX + 1))
        assert b" 400 " in await reader.readline()
        writer.close()

    run(test)


@pytest.mark.parametrize("authorization", [f"Bearer {ALICE}", "Bearer nobody"])
@pytest.mark.parametrize("sent", [0, 1, 60, -1])
def test_a_request_that_does_not_arrive_in_time_is_dropped(
    monkeypatch: pytest.MonkeyPatch, sent: int, authorization: str
) -> None:
    """Nothing, a byte, half the headers, all but the last byte of the body: with a token or without."""
    monkeypatch.setattr(connections, "REQUEST_SECONDS_MAX", 0.2)

    async def test(made: Site) -> None:
        reader, writer = await made.connect(made.request(authorization=authorization)[:sent])
        with suppress(ConnectionResetError):
            await reader.read()
        writer.close()

    run(test)


def test_one_connection_too_many_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "CONNECTIONS_MAX", 1)

    async def test(made: Site) -> None:
        first, writing = await made.connect()
        second, _writing = await made.connect()
        assert await second.read() == b""
        writing.write(made.request())
        assert b"HTTP/1.1" in await first.readline()

    run(test)


def test_a_client_that_reads_nothing_of_a_stream_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "STALLED_SECONDS_MAX", 0.2)

    async def test(made: Site) -> None:
        session = await made.begin()
        reader, writer = await asyncio.open_connection("127.0.0.1", made.port, limit=1024)
        writer.write(made.call("flood", session))
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        loop, gone = asyncio.get_running_loop(), asyncio.Event()
        original = connections.HttpConnection.connection_lost

        def lost(connection: connections.HttpConnection, problem: Exception | None) -> None:
            original(connection, problem)
            loop.call_soon(gone.set)

        monkeypatch.setattr(connections.HttpConnection, "connection_lost", lost)
        await gone.wait()
        assert reader is not None
        writer.close()

    run(test)


def test_sessions_are_bounded_and_end_when_idle_or_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "SESSIONS_MAX", 2)

    async def test(made: Site) -> None:
        first, _second = await made.begin(), await made.begin()
        assert (await made.ask(body=INITIALIZE)).status == 503
        assert (await made.ask("DELETE", mcp_session_id=first, body=b"")).status == 200
        assert (await made.ask(body=INITIALIZE)).status == 200
        assert (await made.ask(mcp_session_id=first)).status == 404

    run(test)


def test_an_idle_session_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "SESSION_IDLE_SECONDS", 0.3)

    async def test(made: Site) -> None:
        session = await made.begin()
        await made.exchange(made.call("cleanup", session).replace(b"accept:", b"connection: close\r\naccept:"))
        await made.stage.closed.wait()
        assert (await made.ask(mcp_session_id=session)).status == 404

    run(test)


def test_the_session_of_a_client_that_was_killed_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: what a client started goes with it, also where nothing but a broken stream tells."""
    monkeypatch.setattr(absence, "ABSENT_SECONDS", 0.1)

    async def test(made: Site) -> None:
        session = await made.begin()
        await made.exchange(made.call("cleanup", session).replace(b"accept:", b"connection: close\r\naccept:"))
        listening = made.request("GET", body=b"", mcp_session_id=session, mcp_protocol_version="2025-11-25")
        reader, writer = await made.connect(listening)
        assert b" 200 " in await reader.readline()
        assert (await made.ask(mcp_session_id=session)).status == 200
        writer.transport.abort()
        await made.stage.closed.wait()
        assert (await made.ask(mcp_session_id=session)).status == 404

    run(test)


def test_a_client_that_listens_or_comes_back_keeps_its_session(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[object] = []
    monkeypatch.setattr(absence.Disconnects, "_gone", lambda _self, session, _scope: ended.append(session))
    monkeypatch.setattr(absence, "ABSENT_SECONDS", 0.0)

    async def test(made: Site) -> None:
        session = await made.begin()
        assert (await made.ask(mcp_session_id=session)).status == 200  # never listened: only idleness tells
        listening = made.request("GET", body=b"", mcp_session_id=session, mcp_protocol_version="2025-11-25")
        reader, _writer = await made.connect(listening)
        assert b" 200 " in await reader.readline()
        for _ in range(3):
            assert (await made.ask(mcp_session_id=session)).status == 200
        assert ended == []

    run(test)


def test_a_session_is_nobodys_but_its_principals() -> None:
    async def test(made: Site) -> None:
        session = await made.begin(ALICE)
        assert (await made.ask(mcp_session_id=session)).status == 200
        for method in ("POST", "GET", "DELETE"):
            answer = await made.ask(method, mcp_session_id=session, authorization=f"Bearer {BOB}")
            assert answer.status == 404
        assert (await made.ask(mcp_session_id=session)).status == 200

    run(test)


def test_one_request_too_many_of_a_principal_is_refused_even_when_it_hung_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowding, "REQUESTS_MAX", 1)

    async def test(made: Site) -> None:
        session = await made.begin()
        _reader, writer = await made.connect(made.call("later", session))
        await made.stage.waiting.wait()
        writer.transport.abort()
        refused = await made.ask(mcp_session_id=session)
        assert b"too many requests at once" in refused.body
        assert (
            b'"result":{}' in (await made.ask(mcp_session_id=await made.begin(BOB), authorization=f"Bearer {BOB}")).body
        )
        made.stage.go.set()
        while b"too many" in (await made.ask(mcp_session_id=session)).body:
            pass

    run(test)


def test_what_a_session_kept_for_resuming_goes_when_it_is_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    stores: list[Resuming] = []

    class Recorded(Resuming):
        def __init__(self) -> None:
            super().__init__()
            stores.append(self)

    monkeypatch.setattr(http, "Resuming", Recorded)

    async def test(made: Site) -> None:
        session = await made.begin()
        events = stores[0]._sessions[session]
        begun = events._events[0].name
        assert events.after(begun)[0] is not None
        await made.ask("DELETE", mcp_session_id=session, body=b"")
        while events.after(begun)[0] is not None:
            await asyncio.sleep(0)  # turns of the loop, until the session's tasks are gone

    run(test)


async def until(reader: asyncio.StreamReader, wanted: str) -> list[str]:
    """The events' names up to the line that holds `wanted`."""
    names = []
    while True:
        line = (await reader.readline()).decode().strip()
        if line.startswith("id:"):
            names.append(line.removeprefix("id:").strip())
        if wanted in line:
            return names


def test_an_answer_survives_the_stream_it_was_meant_for() -> None:
    async def test(made: Site) -> None:
        session = await made.begin()
        reader, writer = await made.connect(made.call("later", session))
        names = await until(reader, "notifications/progress")
        writer.transport.abort()
        made.stage.go.set()
        again = made.request(
            "GET", body=b"", mcp_session_id=session, last_event_id=names[0], mcp_protocol_version="2025-11-25"
        )
        reader, writer = await made.connect(again)
        await until(reader, "late answer")
        writer.close()
        stranger = await made.begin(BOB)
        foreign = made.request(
            "GET",
            body=b"",
            mcp_session_id=stranger,
            last_event_id=names[0],
            authorization=f"Bearer {BOB}",
            connection="close",
        )
        assert b"late answer" not in (await made.exchange(foreign)).body

    run(test)


def test_no_answer_names_the_software_and_no_log_holds_a_token(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def test(made: Site) -> None:
        session = await made.begin()
        for answer in (
            await made.ask(mcp_session_id=session),
            await made.ask(mcp_session_id="x"),
            await made.ask(authorization=f"Bearer {BOB}x"),
            await made.exchange(b"nonsense\r\n\r\n"),
        ):
            assert "server" not in answer.headers

    run(test)
    assert ALICE not in caplog.text
    assert BOB not in caplog.text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_streams_sessions_and_requests_in_order(number: signal.Signals) -> None:
    async def test() -> tuple[int, list[str], bool]:
        before = signal.getsignal(number)
        async with asyncio.timeout(LIMIT_S), site() as made:
            session = await made.begin()
            stream, _writer = await made.connect(made.request("GET", body=b"", mcp_session_id=session))
            await stream.readuntil(b"\r\n\r\n")
            kept, _kept = await made.connect(made.call("cleanup", session))
            await kept.readuntil(b"kept")
            busy, _busy = await made.connect(made.call("wait", session))
            await made.stage.waiting.wait()
            os.kill(os.getpid(), number)
            ended_by = await made.serving
            await stream.read()
            await busy.read()
            with pytest.raises(OSError, match="Connect"):
                await made.connect()
            assert before is None or signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
            return ended_by, made.stage.ended, made.stage.closed.is_set()

    assert asyncio.run(test()) == (number, ["cancelled"], True)


def test_a_request_of_the_later_era_ends_with_the_server() -> None:
    async def test(made: Site) -> None:
        async with bob(made, "2026-07-28") as client:
            calling = asyncio.create_task(client.call_tool("wait", {}))
            await made.stage.waiting.wait()
            made.serving.cancel()
            await asyncio.wait([made.serving])
            assert made.stage.ended == ["cancelled"]
            await asyncio.wait([calling])
            assert calling.exception() is not None

    run(test)

"""`sandgate mcp` and clients that send anything, or stop anywhere.

Whatever arrives, the real program goes on answering; wherever a client stops, it ends, and nothing that was started or
asked stays behind. What is sent differs from run to run; the seed is told with every failure.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.mcp.mcp_program import LIMIT_S, HttpServer, Place, gone, living, marker
from support.suite.sampling import share

pytestmark = [pytest.mark.host("namespace", "notify"), pytest.mark.slow]

LINES, REQUESTS, BATCH = 3000, 2000, 100
TOO_LONG = 9 * 1024 * 1024  # over the limit of a message
TOKEN = "t" * 40
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "fuzz", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
}


def message(method: str, identity: Any = None, **params: Any) -> bytes:
    """One message; without `identity` a notification."""
    known = {} if identity is None else {"id": identity}
    return json.dumps({"jsonrpc": "2.0", **known, "method": method, "params": params}).encode()


def call(tool: str, identity: Any, **arguments: Any) -> bytes:
    return message("tools/call", identity, name=tool, arguments=arguments)


INITIALIZE = message(
    "initialize",
    "begin",
    protocolVersion="2025-11-25",
    capabilities={"elicitation": {"form": {}}},
    clientInfo={"name": "fuzz", "version": "1"},
)
INITIALIZED = message("notifications/initialized")
STATED = {"requestState": "v1.AAAA", "inputResponses": {"approval": {"action": "accept"}}}

SEEDS = (
    message("ping", 1),
    message("tools/list", "a"),
    message("tools/list", 2, cursor="x"),
    call("exec_command", 3, cmd="true", login=False),
    call("exec_command", 4, cmd="touch made", login=False),  # is asked about
    call("write_stdin", 5, session_id=1, chars="\u00e4\u0000", keys=["enter"]),
    call("exec_list", 6),
    call("exec_kill", 7, session_id=1e9),
    call("apply_patch", 8, input="*** Begin Patch\n*** Add File: x\n+y\n*** End Patch\n"),
    call("check_command", 9, cmd="rm -rf / && $(curl x | sh)"),
    message("tools/call", 10, name="exec_command", arguments={"cmd": "touch made"}, _meta=MODERN),
    message("tools/call", 11, name="exec_command", arguments={"cmd": "touch made"}, _meta=MODERN, **STATED),
    message("tools/list", 12, _meta=MODERN),
    message("server/discover", 13, _meta=MODERN),
    message("resources/read", 14, uri="file:///etc/passwd"),
    message("notifications/cancelled", requestId=4, reason="x"),
    message("notifications/progress", progressToken=1, progress=-1),
    b'{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"decision":"approve"}}}',
    b'{"jsonrpc":"2.0","id":2,"result":{"decision":"approved"}}',
    b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}',
    b'[1e999,{"a":[[[]]]},"\\ud800",null]',
)
INSERTED = (
    b"{",
    b"[",
    b'"',
    b"\\u",
    b"1e999",
    b"null",
    b"\0",
    b"\xed\xa0\x80",
    b",",
    b'"id":',
    b"[" * 5000,
    b"9" * 400,
)


class Chance(random.Random):
    """Where a run's choices come from."""

    def __init__(self) -> None:
        self.seed_used = int(os.environ.get("SANDGATE_FUZZ_SEED", random.randrange(2**32)))
        super().__init__(self.seed_used)

    def mangled(self) -> bytes:
        """A message with up to five faults, on one line."""
        data = bytearray(self.choice(SEEDS))
        for _ in range(self.randrange(6)):
            at = self.randrange(len(data) + 1)
            match self.randrange(5):
                case 0:
                    del data[at : at + self.randrange(1, 9)]
                case 1:
                    data[at : at + 1] = bytes([self.randrange(256)])
                case 2:
                    data[at:at] = self.choice(INSERTED)
                case 3:
                    other = self.choice(SEEDS)
                    data[at:] = other[self.randrange(len(other)) :]
                case _:
                    data[at:at] = data[: self.randrange(64)]
        return bytes(data).replace(b"\n", b" ")


@pytest.fixture
def chance() -> Chance:
    made = Chance()
    print(f"SANDGATE_FUZZ_SEED={made.seed_used}")  # pytest shows it with a failure
    return made


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


class Peer:
    """A client that may send what it likes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        assert process.stdin
        assert process.stdout
        self.to, self.answers = process.stdin, process.stdout
        self._read = b""

    def send(self, *lines: bytes) -> None:
        self.raw(b"".join(line + b"\n" for line in lines))

    def raw(self, data: bytes) -> None:
        self.to.write(data)
        self.to.flush()

    def next(self) -> dict[str, Any]:
        """The next message, within the limit."""
        end = time.monotonic() + LIMIT_S
        while b"\n" not in self._read:
            ready, _, _ = select.select([self.answers], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the server says nothing any more"
            chunk = os.read(self.answers.fileno(), 1 << 16)
            assert chunk, "the server has left"
            self._read += chunk
        line, _, self._read = self._read.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        assert found["jsonrpc"] == "2.0"
        return found

    def answer_to(self, identity: object) -> dict[str, Any]:
        """What is said to a request; everything before it is passed over."""
        while True:
            found = self.next()
            if "method" not in found and found.get("id") == identity:
                return found

    def begin(self) -> None:
        self.send(INITIALIZE, INITIALIZED)
        assert "result" in self.answer_to("begin")


@contextmanager
def peer(place: Place, *options: str) -> Iterator[Peer]:
    """A client with a server of its own, which has ended by itself, and without a fault, before the block does."""
    said = place.folder / "said"
    with (
        open(said, "wb") as errors,
        subprocess.Popen(
            place.stdio_command("-a", "untrusted", *options),
            cwd=place.workspace,
            env=place.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        ) as process,
    ):
        try:
            yield Peer(process)
            assert process.wait(LIMIT_S) == 0
        finally:
            process.kill()
    faultless(said.read_text(errors="replace"))


def faultless(said: str) -> None:
    """Nothing in what a server said is a fault of its own."""
    assert "Traceback" not in said, said
    assert "internal error" not in said, said


def leave(client: Peer) -> None:
    """Close the input, and take in what still comes."""
    client.to.close()
    end = time.monotonic() + LIMIT_S
    while True:
        ready, _, _ = select.select([client.answers], [], [], max(0.0, end - time.monotonic()))
        assert ready, "the server does not end"
        if not os.read(client.answers.fileno(), 1 << 16):
            return


def test_whatever_comes_over_standard_input_the_next_ping_is_answered(place: Place, chance: Chance) -> None:
    with peer(place) as client:
        client.begin()
        for batch in range(LINES // BATCH):
            sent = b"".join(chance.mangled() + b"\n" for _ in range(BATCH)) + message("ping", f"ping {batch}") + b"\n"
            while sent:  # in pieces that have nothing to do with messages
                size = chance.randrange(1, 20_000)
                client.raw(sent[:size])
                sent = sent[size:]
            assert client.answer_to(f"ping {batch}")["result"] == {}
        client.send(b"x" * TOO_LONG, message("ping", "at last"))
        assert client.answer_to("at last")["result"] == {}
        leave(client)
    assert place.nothing_waits()


class Web:
    """One server, and requests to it that nobody's library would send."""

    def __init__(self, server: HttpServer) -> None:
        authority = server.url.removeprefix("http://").removesuffix("/mcp")
        self._host, _, port = authority.rpartition(":")
        self._port = int(port)
        self._head = (
            f"POST /mcp HTTP/1.1\r\nHost: {authority}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n"
            "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"
        ).encode()
        self.session = b""

    def request(self, body: bytes, *more: bytes) -> bytes:
        """The bytes of a whole request."""
        session = [b"Mcp-Session-Id: " + self.session] if self.session else []
        lines = [*session, *more, b"Content-Length: %d" % len(body)]
        return self._head + b"".join(line + b"\r\n" for line in lines) + b"\r\n" + body

    def exchange(self, data: bytes, *, hang_up: bool = False, patient: bool = False) -> bytes:
        """What comes back: all of it, or, who is not patient, the head of a stream that may never end."""
        with socket.create_connection((self._host, self._port), timeout=LIMIT_S) as line:
            answer = b""
            try:
                line.sendall(data)
                if hang_up:
                    return b""
                while chunk := line.recv(1 << 16):
                    answer += chunk
                    if not patient and b"text/event-stream" in answer.partition(b"\r\n\r\n")[0]:
                        break
            except (BrokenPipeError, ConnectionResetError):
                pass  # it was told to go before it had said everything
            return answer

    def begin(self) -> None:
        head, _, _ = self.exchange(self.request(INITIALIZE)).partition(b"\r\n\r\n")
        (self.session,) = [
            line.partition(b":")[2].strip()
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"mcp-session-id")
        ]
        self.exchange(self.request(INITIALIZED))

    def pinged(self, identity: str) -> bool:
        answer = self.exchange(self.request(message("ping", identity)), patient=True)
        return answer.startswith(b"HTTP/1.1 200 ") and f'"id":"{identity}","result":{{}}'.encode() in answer


def modern(chance: Chance) -> tuple[bytes, ...]:
    """Headers of the later era, sometimes, and sometimes wrong."""
    version = chance.choice((b"2026-07-28", b"2025-11-25", b"1999-01-01", b"\xff"))
    method = chance.choice((b"tools/call", b"tools/list", b"ping"))
    headers = (b"MCP-Protocol-Version: " + version, b"Mcp-Method: " + method, b"Mcp-Name: exec_command")
    return headers[: chance.randrange(4)]


def test_whatever_comes_over_http_the_next_ping_is_answered(place: Place, chance: Chance) -> None:
    with place.serving("-a", "untrusted", SANDGATE_MCP_TOKEN=TOKEN) as server:
        web = Web(server)
        web.begin()
        for batch in range(REQUESTS // BATCH):
            for _ in range(BATCH):
                data = web.request(chance.mangled(), *modern(chance))
                how = chance.randrange(10)
                if how == 0:  # half of it
                    data = data[: chance.randrange(len(data))]
                elif how == 1:  # a head that is none
                    at = chance.randrange(data.index(b"\r\n\r\n"))
                    data = data[:at] + bytes([chance.randrange(256)]) + data[at + chance.randrange(4) :]
                web.exchange(data, hang_up=how in (0, 1, 2))
            assert web.pinged(f"ping {batch}")
        assert web.exchange(web.request(b"x" * TOO_LONG)).startswith((b"HTTP/1.1 413 ", b""))
        assert web.pinged("at last")
    assert server.process.returncode == 128 + signal.SIGTERM
    faultless(server.rest)
    assert place.nothing_waits()


def conversation(mark: str) -> bytes:
    """From the handshake to a command that is running."""
    sleeping = call("exec_command", 2, cmd=f"exec sleep {mark}", yield_time_ms=250, login=False)
    return b"".join(line + b"\n" for line in (INITIALIZE, INITIALIZED, message("tools/list", 1), sleeping))


def both(client: Peer) -> None:
    client.answers.close()
    client.to.close()


ENDS: dict[str, Callable[[Peer], None]] = {
    "its mouth": leave,
    "its ear": lambda client: client.answers.close(),
    "both": both,
}


@pytest.mark.proof
def test_wherever_a_client_stops_the_server_ends_and_nothing_stays(place: Place, chance: Chance) -> None:
    """In no message, at the start, inside and at the end of a line: of the first, a later and the last one."""
    whole = conversation(marker())
    first, last = len(INITIALIZE), len(whole)
    offsets = {0, 1, first // 2, first, first + 1, last - 1, last, *(chance.randrange(last) for _ in range(3))}
    for offset in share(sorted(offsets)):
        print(f"after byte {offset}")
        mark = marker()
        with peer(place, "-c", "approval_policy=never") as client:
            client.raw(conversation(mark)[:offset])
            leave(client)
        assert gone(mark)


@pytest.mark.parametrize("end", ENDS)
def test_a_client_that_goes_while_its_command_runs_takes_it_along(end: str, place: Place) -> None:
    mark = marker()
    with peer(place, "-a", "never") as client:
        client.raw(conversation(mark))
        assert "result" in client.answer_to(2)
        assert living(mark)
        ENDS[end](client)
    assert gone(mark)


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_client_that_goes_while_it_is_asked_leaves_no_question(era: str, end: str, place: Place) -> None:
    with peer(place) as client:
        if era == "legacy":
            client.begin()
            client.send(SEEDS[4])
            while client.next().get("method") != "elicitation/create":
                pass
        else:
            client.send(SEEDS[10])
            assert client.answer_to(10)["result"]["resultType"] == "input_required"
        assert not place.nothing_waits()
        ENDS[end](client)
    assert place.nothing_waits()
    assert not (place.workspace / "made").exists()

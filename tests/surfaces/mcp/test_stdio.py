"""Over real pipes and sockets, with the server of `mcp_stage.py` in a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from support.mcp import mcp_stage
from support.process import waiting
from support.process.resident import Born, resident
from support.suite.source_tree import REPOSITORY

LIMIT_S = 20
PEER_LIMIT_S = 180  # for whole stories; a loaded machine takes more than a minute for some
MESSAGE_BYTES_MAX = 8 * 1024 * 1024
SERVER_BYTES_MAX = 512 * 1024 * 1024  # the interpreter and the SDK among it
PROGRAM = [sys.executable, mcp_stage.__file__]
SERVES = "from support.mcp.mcp_stage import main; main()"
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


class Peer:
    """The client's side of the pipes."""

    def __init__(self, process: Born) -> None:
        self.process = process
        self.to, self.answers, self.said = process.stdin, process.stdout, process.stderr

    def send(self, *lines: bytes) -> None:
        self.to.write(b"".join(line + b"\n" for line in lines))
        self.to.flush()

    def ask(self, method: str, identity: Any = 1, **params: Any) -> None:
        request: dict[str, Any] = {"jsonrpc": "2.0", "id": identity, "method": method}
        self.send(json.dumps({**request, "params": params} if params else request).encode())

    def call(self, tool: str, identity: Any = 1, **arguments: Any) -> None:
        self.ask("tools/call", identity, name=tool, arguments=arguments, _meta={"progressToken": "p"})

    def next(self) -> Any:
        return json.loads(self.answers.readline())

    def said_line(self) -> str:
        return self.said.readline().decode().strip()

    def begin(self) -> None:
        self.ask("initialize", "begin", **INITIALIZE)
        assert self.next()["id"] == "begin"
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def pinged(self, identity: str) -> bool:
        self.ask("ping", identity)
        return bool(self.next() == {"jsonrpc": "2.0", "id": identity, "result": {}})

    def leave(self) -> tuple[list[Any], list[str]]:
        """Close the input; what still came, and what was said on stderr."""
        self.to.close()
        return self.rest()

    def rest(self) -> tuple[list[Any], list[str]]:
        answers = [json.loads(line) for line in self.answers.read().splitlines()]
        assert self.process.wait(LIMIT_S) == 0
        return answers, self.said.read().decode().splitlines()


@contextmanager
def _peer(*arguments: str) -> Iterator[Peer]:
    born = resident((sys.executable,), (str(REPOSITORY / "tests"), str(REPOSITORY / "src")), ())
    with born.begin(SERVES, *arguments, cwd="/", env=os.environ) as process:
        bound = threading.Timer(PEER_LIMIT_S, process.kill)  # whatever is waited for then comes to an end
        bound.start()
        try:
            yield Peer(process)
        finally:
            bound.cancel()


@pytest.fixture
def peer() -> Iterator[Peer]:
    with _peer() as made:
        yield made


@pytest.fixture(scope="module")
def lasting() -> Iterator[Peer]:
    """One server for all tests that leave it as it was."""
    with _peer() as made:
        made.begin()
        yield made
        assert made.leave() == ([], ["ended by None"])


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_a_client_of_either_era_lists_and_calls_tools(mode: str) -> None:
    async def talk() -> tuple[list[str], str]:
        parameters = StdioServerParameters(command=PROGRAM[0], args=PROGRAM[1:], env=dict(os.environ))
        async with asyncio.timeout(LIMIT_S), Client(parameters, mode=mode) as client:
            listed = await client.list_tools()
            called = await client.call_tool("echo", {"text": "häl\nlo " * 50_000})
            return [tool.name for tool in listed.tools], called.content[0].text  # type: ignore[union-attr]

    assert asyncio.run(talk()) == (list(mcp_stage.TOOLS), "häl\nlo " * 50_000)


@pytest.mark.parametrize(
    ("line", "code", "identity"),
    [
        (b"nonsense", -32700, None),
        (b'{"jsonrpc":"2.0","id":4,"method":', -32700, None),
        (b"[[[[" * 50_000, -32700, None),
        (b'\xff{"jsonrpc":"2.0","id":4,"method":"ping"}', -32700, None),
        (b'{"jsonrpc":"2.0","id":4,"method":"ping","params":{"a":"\x00"}}', -32700, 4),
        (b'{"jsonrpc":"2.0","id":4,"method":"ping","params":{"a":"\\udc80"}}', -32700, 4),
        (b'[{"jsonrpc":"2.0","id":4,"method":"ping"}]', -32600, None),
        (b'{"jsonrpc":"2.0","id":"x","method":{}}', -32600, "x"),
        (b'{"jsonrpc":"2.0","id":[],"method":"ping"}', -32600, None),
    ],
)
def test_a_line_that_is_no_message_is_answered_and_the_connection_goes_on(
    lasting: Peer, line: bytes, code: int, identity: Any
) -> None:
    lasting.send(line)
    answer = lasting.next()
    assert (answer["id"], answer["error"]["code"]) == (identity, code)
    assert lasting.pinged("after")


@pytest.mark.parametrize("line", [b"", b"   ", b"\r", b'{"jsonrpc":"2.0","method":"unheard/of"}'])
def test_an_empty_line_and_an_unknown_notification_are_passed_over(lasting: Peer, line: bytes) -> None:
    """Our choice for empty lines: nobody waits for an answer to one."""
    lasting.send(line)
    assert lasting.pinged("after")


@pytest.mark.parametrize("params", [b'{"a":1e999}', b'{"a":1,"a":2}', b'{"a":-0.0,"b":1E400}'])
def test_odd_but_valid_json_is_a_message(lasting: Peer, params: bytes) -> None:
    lasting.send(b'{"jsonrpc":"2.0","id":5,"method":"ping","params":' + params + b"}\r")
    assert lasting.next() == {"jsonrpc": "2.0", "id": 5, "result": {}}


def test_a_line_over_the_limit_is_answered_before_it_ends_and_is_not_kept(lasting: Peer) -> None:
    before = resident_bytes(lasting.process.pid)
    for _ in range(30):
        lasting.to.write(b"x" * 1024 * 1024)
    lasting.to.flush()
    assert lasting.next()["error"] == {
        "code": -32600,
        "message": f"the message is longer than {MESSAGE_BYTES_MAX} bytes",
    }
    grown = resident_bytes(lasting.process.pid) - before
    lasting.send(b"")
    assert lasting.pinged("after")
    assert grown < 2.5 * MESSAGE_BYTES_MAX


def test_a_message_of_almost_the_limit_is_taken(lasting: Peer) -> None:
    text = "y" * (MESSAGE_BYTES_MAX - 1024)
    lasting.call("echo", "large", text=text)
    answer = lasting.next()
    assert (answer["id"], answer["result"]["content"][0]["text"] == text) == ("large", True)


def test_half_a_surrogate_pair_in_an_answer_does_not_lose_it(lasting: Peer) -> None:
    lasting.call("odd", "odd")
    assert lasting.next()["result"]["content"][0]["text"] == "half ? a pair"


def test_thousands_of_malformed_lines_leave_the_server_answering(lasting: Peer) -> None:
    """Required: whatever a line holds, the next ping is answered. Every batch differs, and the seed is told."""
    seed = random.randrange(2**32)
    chance = random.Random(seed)
    seeds = [
        b'{"jsonrpc":"2.0","id":1,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","arguments":{"text":"\\u00e4"}}}',
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
        b'[1e999,{"a":[[[]]]},"\\ud800",null]',
    ]
    for batch in range(20):
        lasting.send(*(mangled(chance, chance.choice(seeds)) for _ in range(100)))
        lasting.ask("ping", f"batch {batch}")
        while True:
            answer = lasting.next()
            assert answer["jsonrpc"] == "2.0", seed
            if answer["id"] == f"batch {batch}":
                break
        assert answer["result"] == {}, seed


def mangled(chance: random.Random, line: bytes) -> bytes:
    data = bytearray(line)
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(data)) if data else 0
        match chance.randrange(5):
            case 0:
                del data[at : at + chance.randrange(1, 9)]
            case 1:
                data[at:at] = bytes([chance.randrange(256)])
            case 2:
                data[at : at + 1] = bytes([chance.randrange(256)])
            case 3:
                data[at:at] = chance.choice(
                    [b"{", b"[", b'"', b"\\u", b"1e999", b"null", b"\x00", b"\xed\xa0\x80", b","]
                )
            case _:
                data = data[at:] + data[:at]
    return bytes(data).replace(b"\n", b"")


def test_nothing_that_prints_or_is_started_reaches_the_protocol(peer: Peer) -> None:
    peer.begin()
    peer.call("print", 2)
    assert peer.next()["result"]["content"][0]["text"] == "printed"
    assert peer.leave() == ([], ["stray words", "stray bytes", "from a child", "ended by None"])


def test_what_is_asked_last_is_answered_even_without_a_line_end(peer: Peer) -> None:
    peer.to.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
    assert peer.leave()[0] == [{"jsonrpc": "2.0", "id": 1, "result": {}}]


def test_half_a_message_at_the_end_is_answered_and_all_ends(peer: Peer) -> None:
    peer.to.write(b'{"jsonrpc":"2.0","id":1,"meth')
    answers, said = peer.leave()
    assert ([answer["error"]["code"] for answer in answers], said) == ([-32700], ["ended by None"])


def test_a_client_that_leaves_takes_its_requests_along(peer: Peer) -> None:
    peer.begin()
    peer.call("wait", 2)
    assert peer.said_line() == "waiting"
    answers, said = peer.leave()
    assert [answer["error"]["message"] for answer in answers] == ["Connection closed"]
    assert said == ["cancelled", "ended by None"]


def test_a_client_that_closes_only_its_ear_ends_all_at_once(peer: Peer) -> None:
    """Our choice: nobody can be answered any more, so nothing goes on."""
    peer.begin()
    peer.call("wait", 2)
    assert peer.said_line() == "waiting"
    peer.answers.close()
    assert [peer.said_line(), peer.said_line()] == ["cancelled", "ended by None"]
    assert peer.process.wait(LIMIT_S) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_in_order(peer: Peer, number: signal.Signals) -> None:
    peer.begin()
    peer.call("wait", 2)
    assert peer.said_line() == "waiting"
    peer.process.send_signal(number)
    answers, said = peer.rest()
    assert [answer["id"] for answer in answers] == [2]
    assert said == ["cancelled", f"ended by {int(number)}"]


def test_a_client_that_does_not_read_is_left_with_one_line_on_stderr(peer: Peer) -> None:
    """What it is owed is bounded: with more than this the server would fail for want of memory."""
    resource.prlimit(peer.process.pid, resource.RLIMIT_DATA, (SERVER_BYTES_MAX, SERVER_BYTES_MAX))
    peer.begin()
    peer.call("flood", 2)
    assert peer.said_line() == "the client does not read what it is sent; the connection is ended"
    assert peer.said_line() == "ended by None"
    assert peer.process.wait(LIMIT_S) == 0


@pytest.mark.parametrize(("limit_seconds", "leaves"), [("0.2", False), ("3600", True)])
def test_a_client_that_never_reads_is_left_after_a_while_or_once_it_closes_its_end(
    limit_seconds: str, leaves: bool
) -> None:
    """What it is owed is kept within bounds by reading no more of it, so there is no flood that would end it."""
    with _peer(limit_seconds) as peer:
        peer.begin()
        peer.call("wait", 1)
        assert peer.said_line() == "waiting"
        peer.send(*[b"x"] * 10_000)
        if leaves:
            peer.to.close()
        assert peer.said_line() == "the client does not read what it is sent; the connection is ended"
        assert [peer.said_line(), peer.said_line()] == ["cancelled", "ended by None"]
        assert peer.process.wait(LIMIT_S) == 0


def test_a_client_that_only_writes_nonsense_is_no_longer_listened_to(peer: Peer) -> None:
    """Its answers are bounded: at some point it cannot write on, and it can still read all it is owed."""
    line = b"x" * 255 + b"\n"
    os.set_blocking(peer.to.fileno(), False)
    sent = 0
    while True:  # the end is a guess: that nobody reads any more happens nowhere but in the other process
        written = os.write(peer.to.fileno(), line * 16) if writable(peer.to.fileno()) else 0
        sent += written
        if not written:
            break
    os.set_blocking(peer.to.fileno(), True)
    answered = 0
    while answered < sent // len(line):
        assert peer.next()["error"]["code"] == -32700
        answered += 1
    assert peer.pinged("still here")
    assert sent < 4 * 1024 * 1024


def writable(descriptor: int) -> bool:
    import select

    return bool(select.select([], [descriptor], [], 1)[1])


def test_too_many_requests_at_once_are_refused_and_cancelled_ones_make_room(peer: Peer) -> None:
    peer.begin()
    for number in range(1024):
        peer.call("wait", number)
    for _ in range(1024):
        assert peer.said_line() == "waiting"
    peer.ask("ping", "one more")
    assert peer.next() == {
        "jsonrpc": "2.0",
        "id": "one more",
        "error": {"code": -32000, "message": "too many requests at once"},
    }
    peer.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}')
    assert peer.said_line() == "cancelled"
    assert peer.pinged("now")


def test_a_socket_does_for_both_directions_and_keeps_its_mode() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, subprocess.Popen(PROGRAM, stdin=theirs.fileno(), stdout=theirs.fileno(), stderr=-1) as process:
        ours.sendall(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        assert ours.recv(65536) == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
        assert os.get_blocking(theirs.fileno())
        theirs.close()
        ours.shutdown(socket.SHUT_WR)
        assert waiting.read_all(ours.fileno()) == b""
        assert process.wait(LIMIT_S) == 0


def test_closed_standard_streams_are_refused_plainly() -> None:
    ended = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *PROGRAM], capture_output=True, text=True, timeout=LIMIT_S
    )
    assert "standard input or output is closed" in ended.stderr


def resident_bytes(pid: int) -> int:
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

"""The MCP server: one governed `true`, the start, and many calls and connections at once."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple

from measure import Contestant, race, table

SOURCE = Path(__file__).resolve().parent.parent / "src"
SERVER = [sys.executable, "-c", "from sandgate.start import entry; entry()", "mcp"]
BARE = [sys.executable, str(Path(__file__).resolve().parent / "mcp_programs" / "bare_server.py")]
SDK = [sys.executable, "-c", "import mcp.server.lowlevel, mcp.server.stdio"]
CALLS, CONNECTIONS = 200, 50
OVERHEAD_MS_MAX, START_RATIO_MAX = 3.0, 1.5
MODERN = "2026-07-28"
TOKEN = "a-token-for-one-benchmark-0123456789"


class Connection:
    """A client that does as little as a client can: lines out, lines in."""

    def __init__(self, argv: list[str], workspace: Path, *, modern: bool = False) -> None:
        environ = {**os.environ, "PYTHONPATH": str(SOURCE)}
        self._process = subprocess.Popen(
            argv, cwd=workspace, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._numbers = itertools.count(1)
        self._modern = modern
        if modern:
            self.wait(self.send("server/discover", {}))
        else:
            about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}}
            self.wait(self.send("initialize", about))
            self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, method: str, params: Mapping[str, object]) -> int:
        number = next(self._numbers)
        if self._modern:
            meta = {
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientInfo": {"name": "b", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            }
            params = {**params, "_meta": meta}
        self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def call(self, tool: str, arguments: Mapping[str, object]) -> int:
        return self.send("tools/call", {"name": tool, "arguments": arguments})

    def wait(self, number: int) -> dict[str, object]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message: dict[str, object] = json.loads(line)
            if message.get("id") == number:
                return message
        raise RuntimeError("the server went away")

    def true(self, tool: str = "exec_command") -> None:
        arguments = {"cmd": "true", "login": False} if tool == "exec_command" else {}
        answer = self.wait(self.call(tool, arguments))
        if "result" not in answer or answer["result"].get("isError"):  # type: ignore[attr-defined]
            raise RuntimeError(f"not answered well: {answer}")

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _write(self, message: dict[str, object]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()


@contextmanager
def connected(argv: list[str], workspace: Path, *, modern: bool = False) -> Iterator[Connection]:
    """A server of its own, ended with the block."""
    connection = Connection(argv, workspace, modern=modern)
    try:
        yield connection
    finally:
        connection.close()


def call(workspace: Path, home: Path, rounds: int) -> str:
    """A governed `true`: in process, and by the server in both protocol eras; and what the protocol alone costs."""
    from sandgate.runtime import Environment, open_runtime

    environ = {**os.environ, "HOME": str(home)}
    with (
        open_runtime(Environment(cwd=str(workspace), environ=environ)) as runtime,
        connected(SERVER, workspace) as handshake,
        connected(SERVER, workspace, modern=True) as modern,
        connected(BARE, workspace) as bare,
    ):
        contestants = [
            Contestant("in process", lambda: _ran(runtime.exec_command("true", login=False).exit_code)),
            Contestant("MCP stdio, 2025-11-25", handshake.true),
            Contestant("MCP stdio, 2026-07-28", modern.true),
            Contestant("the SDK's own stdio server, a tool that does nothing", lambda: bare.true("nothing")),
            Contestant("the same, a tool that runs `true` ungoverned", lambda: bare.true("ungoverned")),
        ]
        race(contestants, rounds)
        inside = contestants[0].median_ms
        over = [f"{each.median_ms - inside:.2f}" for each in contestants[1:3]]
        met = all(each.median_ms - inside <= OVERHEAD_MS_MAX for each in contestants[1:3])
        verdict = (
            f"bar {'met' if met else 'MISSED'}: {' and '.join(over)} ms over in process (<= {OVERHEAD_MS_MAX:g})\n"
        )
        return table("A governed `true` through MCP", contestants, against=("in process",)) + verdict


def start(workspace: Path, _home: Path, rounds: int) -> str:
    """From nothing to the answer of `initialize`, beside importing the SDK."""

    def sdk() -> None:
        subprocess.run(SDK, check=True)

    contestants = [
        Contestant("import the MCP SDK", sdk),
        Contestant("`sandgate mcp`", lambda: Connection(SERVER, workspace).close()),
        Contestant("the SDK's own stdio server", lambda: Connection(BARE, workspace).close()),
    ]
    race(contestants, rounds)
    ratio = contestants[1].median_ms / contestants[0].median_ms
    verdict = f"bar {'met' if ratio < START_RATIO_MAX else 'MISSED'}: {ratio:.2f} (< {START_RATIO_MAX:g})\n"
    return (
        table("Starting the MCP server, until it has answered and gone", contestants, against=("import the MCP SDK",))
        + verdict
    )


def crowd(workspace: Path, _home: Path, _rounds: int) -> str:
    """Many calls on one connection, and many connections: all answered, none with an error."""
    lines = ["### Many at once over MCP stdio", ""]
    with connected(SERVER, workspace) as connection:
        connection.true()
        began = time.perf_counter()
        numbers = {connection.call("exec_command", {"cmd": "true", "login": False}) for _ in range(CALLS)}
        failures = _failures(connection, numbers)
        took = (time.perf_counter() - began) * 1000
        lines.append(f"{CALLS} concurrent calls on one connection: {took:.0f} ms, {failures} failures")
    connections = [Connection(SERVER, workspace) for _ in range(CONNECTIONS)]
    try:
        began = time.perf_counter()
        asked = [(each, {each.call("exec_command", {"cmd": "true", "login": False})}) for each in connections]
        failures = sum(_failures(each, numbers) for each, numbers in asked)
        took = (time.perf_counter() - began) * 1000
        lines.append(f"{CONNECTIONS} connections, a call each at the same time: {took:.0f} ms, {failures} failures")
    finally:
        for each in connections:
            each.close()
    with served(workspace) as url, ThreadPoolExecutor(CONNECTIONS) as clients:
        began = time.perf_counter()
        failures = sum(clients.map(lambda _number: 0 if _true_over_http(url) else 1, range(CONNECTIONS)))
        took = (time.perf_counter() - began) * 1000
        lines.append(
            f"{CONNECTIONS} HTTP clients of one server, a session and a call each: {took:.0f} ms, {failures} failures"
        )
    return "\n".join(lines) + "\n"


@contextmanager
def served(workspace: Path) -> Iterator[str]:
    """A server over HTTP; its URL."""
    environ = {**os.environ, "PYTHONPATH": str(SOURCE), "SANDGATE_MCP_TOKEN": TOKEN}
    process = subprocess.Popen([*SERVER, "--http"], cwd=workspace, env=environ, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        yield next(line.split()[-1] for line in process.stderr if "serving MCP at" in line)
    finally:
        process.terminate()
        process.wait()


def _true_over_http(url: str) -> bool:
    """One session, one call; whether it was answered well."""
    client = HTTPConnection(url.split("/")[2])
    headers = {
        "Authorization": f"Bearer {TOKEN}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
    }
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}}
    answer = _post(client, headers, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about})
    headers["Mcp-Session-Id"] = answer.headers["mcp-session-id"]
    _post(client, headers, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    call = {"name": "exec_command", "arguments": {"cmd": "true", "login": False}}
    answer = _post(client, headers, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call})
    return answer.status == 200 and b'"exit_code":0' in answer.text.replace(b" ", b"")


class _Answer(NamedTuple):
    status: int
    headers: Message
    text: bytes


def _post(client: HTTPConnection, headers: dict[str, str], message: dict[str, object]) -> _Answer:
    client.request("POST", "/mcp", json.dumps(message), headers)
    answer = client.getresponse()
    return _Answer(answer.status, answer.headers, answer.read())


def _failures(connection: Connection, numbers: set[int]) -> int:
    failures = 0
    assert connection._process.stdout is not None
    while numbers:
        message = json.loads(connection._process.stdout.readline())
        if message.get("id") in numbers:
            numbers.discard(message["id"])
            failures += "result" not in message or bool(message["result"].get("isError"))
    return failures


def _ran(code: int | None) -> None:
    if code != 0:
        raise RuntimeError(f"ended with {code}")


MCP_WORKLOADS = {"mcp": call, "mcp-start": start, "mcp-crowd": crowd}

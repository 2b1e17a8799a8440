"""Clients over WebSocket: several at once, known and unknown, over TCP and a Unix socket; the program itself."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from support.agent.agent_places import calls, command, provider
from support.app_server.app_client import INFO, unlike_the_table
from support.model.responses_server import Manner, ResponsesServer, says
from support.process.loops import run
from support.process.program import PROGRAM, WAIT_SECONDS
from support.terminal.live_sessions import NOT_ALL_OF_TMP

websockets = pytest.importorskip(
    "websockets.asyncio.client", reason="this environment was made from an older requirements/dev.txt"
)
TOKEN = "a-token-of-thirty-two-characters-or-more"


class Server:
    """The program in a process, and how to come to it."""

    def __init__(self, process: asyncio.subprocess.Process, address: str) -> None:
        self.process = process
        self.address = address
        self.said = ""

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def connect(self, **headers: str) -> Any:
        if self.address.startswith("unix://"):
            return websockets.unix_connect(self.address.removeprefix("unix://"), compression=None)
        given = {"Authorization": f"Bearer {TOKEN}", **headers}
        return websockets.connect(self.address, additional_headers=given, compression=None)


class Peer:
    """One client."""

    def __init__(self, wire: Any) -> None:
        self.wire = wire
        self._asked: dict[Any, str] = {}

    async def ask(self, identity: int, method: str, **params: Any) -> Any:
        self._asked[identity] = method
        await self.wire.send(json.dumps({"id": identity, "method": method, "params": params}))
        return await self.until(lambda each: each.get("id") == identity and "method" not in each)

    async def until(self, wanted: Any) -> Any:
        async with asyncio.timeout(WAIT_SECONDS):
            while True:
                found = json.loads(await self.wire.recv())
                assert unlike_the_table(found, self._asked) is None
                if "method" in found and "id" in found:
                    await self.wire.send(json.dumps({"id": found["id"], "result": {"decision": "decline"}}))
                if wanted(found):
                    return found


@asynccontextmanager
async def serving(folder: Path, listen: str, *options: str, token: str | None = TOKEN) -> AsyncIterator[Server]:
    repo, home = folder / "repo", folder / "home"
    for each in (repo, home):
        each.mkdir(exist_ok=True)
    (repo / ".git").mkdir(exist_ok=True)
    environ = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8"}
    environ |= {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    environ |= {} if token is None else {"SANDGATE_APP_SERVER_TOKEN": token}
    process = await asyncio.create_subprocess_exec(
        *PROGRAM, "app-server", "--listen", listen, "-c", NOT_ALL_OF_TMP, *options,
        cwd=repo, env=environ, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        lines: list[str] = []
        while not (lines and "serving clients at" in lines[-1]):
            line = (await asyncio.wait_for(process.stderr.readline(), WAIT_SECONDS)).decode()
            assert line, lines
            lines.append(line)
        server = Server(process, lines[-1].split()[-1])
        server.said = "".join(lines)
        yield server
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), WAIT_SECONDS) == 128 + signal.SIGTERM
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def of(server: ResponsesServer) -> list[str]:
    return [word for setting in provider(server.url) for word in ("-c", setting)]


def responding(*manners: Manner) -> ResponsesServer:
    return ResponsesServer(*manners)


@pytest.mark.parametrize("kind", ["ws://127.0.0.1:0", "unix://{}/own/socket"])
def test_two_clients_see_one_turn(tmp_path: Path, kind: str) -> None:
    (tmp_path / "own").mkdir()

    async def work() -> None:
        with responding(calls(command("echo hi")), says("done")) as model:
            async with (
                serving(tmp_path, kind.format(tmp_path), *of(model)) as server,
                server.connect() as one,
                server.connect() as two,
            ):
                first, second = Peer(one), Peer(two)
                for each in (first, second):
                    assert "result" in await each.ask(0, "initialize", **INFO)
                thread = (await first.ask(1, "thread/start"))["result"]["thread"]["id"]
                await second.ask(1, "thread/resume", threadId=thread)
                await first.ask(2, "turn/start", threadId=thread, input=[{"type": "text", "text": "go"}])
                for each in (first, second):
                    ended = await each.until(lambda found: found.get("method") == "turn/completed")
                    assert ended["params"]["turn"]["items"][0]["text"] == "done"

    run(work())


def test_a_client_that_drops_out_comes_back_to_its_thread(tmp_path: Path) -> None:
    async def work() -> None:
        with responding(says("one"), says("two")) as model:
            async with serving(tmp_path, "ws://127.0.0.1:0", *of(model)) as server:
                async with server.connect() as wire:
                    peer = Peer(wire)
                    await peer.ask(0, "initialize", **INFO)
                    thread = (await peer.ask(1, "thread/start"))["result"]["thread"]["id"]
                    await peer.ask(2, "turn/start", threadId=thread, input=[{"type": "text", "text": "go"}])
                    await peer.until(lambda found: found.get("method") == "turn/completed")
                    wire.transport.abort()
                async with server.connect() as wire:
                    peer = Peer(wire)
                    await peer.ask(0, "initialize", **INFO)
                    opened = (await peer.ask(1, "thread/resume", threadId=thread)).get("result")
                    while opened is None:  # its last client has just gone, and it is being put down
                        opened = (await peer.ask(1, "thread/resume", threadId=thread)).get("result")
                    assert opened["thread"]["turns"][-1]["items"][-1]["text"] == "one"

    run(work())


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ({}, 101),
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong-token-of-thirty-two-characters"}, 401),
        ({"Authorization": f"Basic {TOKEN}"}, 401),
        ({"Host": "attacker.example"}, 421),
        ({"Origin": "http://attacker.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_only_who_means_us_is_no_page_and_has_the_token_comes_in(
    tmp_path: Path, head: dict[str, str], status: int
) -> None:
    async def work() -> None:
        async with serving(tmp_path, "ws://127.0.0.1:0", "-c", "model=m") as server:
            assert (await _answered(server, **head)).startswith(f"HTTP/1.1 {status} ")
            assert (await _answered(server, path="/readyz", Authorization="")).startswith("HTTP/1.1 200 ")

    run(work())


def test_a_token_is_made_and_kept_where_commands_do_not_see_it(tmp_path: Path) -> None:
    """Required: what could read it could answer for the person."""
    show = calls(command("cat ~/.local/state/sandgate/app-server.tokens; env | grep APP_SERVER; true"))

    async def work() -> None:
        with responding(show, says("done")) as model:
            async with serving(tmp_path, "ws://127.0.0.1:0", *of(model), token=None) as server:
                (found,) = (tmp_path / "home").rglob("app-server.tokens")
                token = found.read_text().split()[1]
                assert (found.stat().st_mode & 0o777, str(found) in server.said) == (0o600, True)
                async with server.connect(Authorization=f"Bearer {token}") as wire:
                    peer = Peer(wire)
                    await peer.ask(0, "initialize", **INFO)
                    thread = (await peer.ask(1, "thread/start"))["result"]["thread"]["id"]
                    await peer.ask(2, "turn/start", threadId=thread, input=[{"type": "text", "text": "go"}])
                    await peer.until(lambda found: found.get("method") == "turn/completed")
                assert token not in str([asked.body for asked in model.asked])

    run(work())


def test_a_unix_socket_is_the_users_alone_and_is_replaced_when_left_over(tmp_path: Path) -> None:
    place = tmp_path / "own" / "socket"
    place.parent.mkdir()
    with socket.socket(socket.AF_UNIX) as left_over:
        left_over.bind(str(place))

    async def work() -> None:
        async with serving(tmp_path, f"unix://{place}", "-c", "model=m") as server:
            assert place.stat().st_mode & 0o777 == 0o600
            async with server.connect() as wire:
                assert "result" in await Peer(wire).ask(0, "initialize", **INFO)
        assert not place.exists()

    run(work())


@pytest.mark.parametrize("kind", ["file", "link", "directory", "live"])
def test_what_is_no_left_over_socket_stays(tmp_path: Path, kind: str) -> None:
    """Required: a wrong path on the command line costs nobody a file, nor another server its address."""
    place, other, repo = tmp_path / "place", tmp_path / "other", tmp_path / "repo"
    repo.mkdir()
    other.write_text("precious\n")
    with socket.socket(socket.AF_UNIX) as live:
        match kind:
            case "file":
                place.write_text("precious\n")
            case "link":
                place.symlink_to(other)
            case "directory":
                place.mkdir()
            case _:
                live.bind(str(place))
                live.listen()
        before = place.lstat()
        ended = subprocess.run(
            [*PROGRAM, "app-server", "--listen", f"unix://{place}", "-c", NOT_ALL_OF_TMP],
            cwd=repo,
            env={**os.environ, "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=WAIT_SECONDS,
            check=False,
        )
        assert (ended.returncode, "Address already in use" in ended.stderr) == (2, True), ended
        after = place.lstat()
        assert (before.st_ino, before.st_mode, before.st_size) == (after.st_ino, after.st_mode, after.st_size)
    assert other.read_text() == "precious\n"


@pytest.mark.host("namespace")
def test_a_command_sees_a_file_beside_the_socket_and_no_socket(tmp_path: Path) -> None:
    """Required: what could come to the server could answer for the person."""
    beside = tmp_path / "home" / "shown"
    beside.mkdir(parents=True)
    (beside / "file").touch()
    look = f"cd {beside}; test -f file && echo file; test -S socket && echo socket; true"

    async def work() -> None:
        with responding(calls(command(look)), says("done")) as model:
            async with serving(tmp_path, f"unix://{beside}/socket", *of(model)) as server, server.connect() as wire:
                assert (beside / "socket").is_socket()
                peer = Peer(wire)
                await peer.ask(0, "initialize", **INFO)
                thread = (await peer.ask(1, "thread/start"))["result"]["thread"]["id"]
                await peer.ask(2, "turn/start", threadId=thread, input=[{"type": "text", "text": "go"}])
                ran = await peer.until(
                    lambda found: (
                        found.get("method") == "item/completed"
                        and found["params"]["item"]["type"] == "commandExecution"
                    )
                )
                assert ran["params"]["item"]["aggregatedOutput"] == "file\n"

    run(work())


@pytest.mark.parametrize("place", ["socket", "sub/../socket"])
def test_a_socket_where_commands_may_write_is_refused(tmp_path: Path, place: str) -> None:
    repo = tmp_path / "repo"
    (repo / ".git").mkdir(parents=True)
    (repo / "sub").mkdir()
    done = subprocess.run(
        [*PROGRAM, "app-server", "--listen", f"unix://{place}"],
        cwd=repo,
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
        check=False,
    )
    assert (done.returncode, "could take the server's place" in done.stderr) == (2, True)


def test_a_client_that_never_reads_is_cut_once_it_is_owed_too_much() -> None:
    """Required: what one client is owed is limited."""
    from sandgate.surfaces.app_server.sockets import OUTPUT_BYTES_MAX, Outgoing

    class Deaf:
        transport: Any = None
        cut = 0

        async def send(self, _message: str) -> None:
            await asyncio.Event().wait()

        def abort(self) -> None:
            self.cut += 1

    async def work() -> None:
        wire: Any = Deaf()
        wire.transport = wire
        outgoing, message = Outgoing(wire), b"x" * (1 << 20)
        for _number in range(OUTPUT_BYTES_MAX // len(message)):
            outgoing.put(message)
            await asyncio.sleep(0)
        assert wire.cut == 0
        outgoing.put(b"x")
        assert wire.cut == 1
        await outgoing.close()

    run(work())


async def _answered(server: Server, *, path: str = "/", **head: str) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    usual = {
        "Host": f"127.0.0.1:{server.port}",
        "Authorization": f"Bearer {TOKEN}",
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "2dUPuqiFNaXL2LL/GdgPww==",
    }
    lines = [f"{name}: {value}" for name, value in (usual | head).items() if value]
    writer.write("\r\n".join([f"GET {path} HTTP/1.1", *lines, "", ""]).encode())
    answer = await asyncio.wait_for(reader.readline(), WAIT_SECONDS)
    writer.close()
    assert re.match(rb"HTTP/1.1 \d+ ", answer)
    return answer.decode()

"""What a client sends that is no message, too much, or at the wrong time; over real pipes, without the library."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from support.agent.agent_places import provider
from support.model.responses_server import ResponsesServer, function_call, says, sends, turn
from support.process.program import PROGRAM, WAIT_SECONDS
from support.process.waiting import wait_until
from support.terminal.live_sessions import NOT_ALL_OF_TMP

FLOOD = 5_000
NO_MODEL = tuple([word for setting in provider("http://127.0.0.1:9/v1") for word in ("-c", setting)])


class Peer:
    """The client's side of the pipes."""

    def __init__(self, process: subprocess.Popen[bytes], repo: Path) -> None:
        self.process, self.repo = process, repo

    def send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def request(self, identity: Any, method: str, **params: Any) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "id": identity, "method": method, "params": params}).encode() + b"\n")

    def ask(self, identity: Any, method: str, **params: Any) -> Any:
        self.request(identity, method, **params)
        return self.until(lambda each: each.get("id") == identity and "method" not in each)

    def next(self) -> Any:
        return self.until(lambda _each: True)

    def until(self, wanted: Any) -> Any:
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            found = json.loads(line)
            assert found["jsonrpc"] == "2.0"
            if wanted(found):
                return found
        raise AssertionError("the server has closed its end")

    def begin(self) -> str:
        """The id of a session."""
        assert "result" in self.ask("begin", "initialize", protocolVersion=1)
        name: str = self.ask("new", "session/new", cwd=str(self.repo), mcpServers=[])["result"]["sessionId"]
        return name

    def end(self) -> tuple[int, str]:
        """The client closes its end; the exit code and what was said on standard error."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        code = self.process.wait(WAIT_SECONDS)
        assert self.process.stderr is not None
        return code, self.process.stderr.read().decode()


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[Peer]:
    repo, home = folder / "repo", folder / "home"
    for each in (repo, home):
        each.mkdir(exist_ok=True)
    (repo / ".git").mkdir(exist_ok=True)
    with subprocess.Popen(
        [*PROGRAM, "acp", "-c", NOT_ALL_OF_TMP, *options],
        cwd=repo,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield Peer(process, repo)
        finally:
            process.kill()
            assert process.stdin is not None
            with suppress(BrokenPipeError):
                process.stdin.close()


def of(server: ResponsesServer) -> list[str]:
    return [word for setting in provider(server.url) for word in ("-c", setting)]


def test_half_lines_and_bad_ones_are_answered_and_do_not_end_it(tmp_path: Path) -> None:
    with serving(tmp_path, *NO_MODEL) as peer:
        peer.send(b'{"jsonrpc": "2.0", "id": 1, "meth')
        peer.send(b'od": "session/list"}\n\n \n{"broken\n[]\n{"id": {}}\n')
        codes = [(each["id"], each["error"]["code"]) for each in sorted_by_id(peer.next() for _ in range(4))]
        assert codes == [(None, -32700), (None, -32600), (None, -32600), (1, -32600)]
        peer.send(b"x" * (33 << 20) + b"\n")
        assert "longer than" in peer.next()["error"]["message"]
        assert "result" in peer.ask(1, "initialize", protocolVersion=1)
        assert peer.end() == (0, "")


def sorted_by_id(messages: Iterator[Any]) -> list[Any]:
    return sorted(messages, key=lambda each: (each["id"] is not None, each["error"]["code"]))


REFUSED: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("session/fork", {"sessionId": "x", "cwd": "/"}, -32601),
    ("session/delete", {"sessionId": "x"}, -32601),
    ("authenticate", {"methodId": "x"}, -32601),
    ("nothing/such", {}, -32601),
    ("_own/thing", {}, -32601),
    ("session/new", {"cwd": "relative", "mcpServers": []}, -32602),
    ("session/new", {"cwd": "/usr", "mcpServers": []}, -32600),
    ("session/new", {"cwd": 5, "mcpServers": []}, -32602),
    ("session/new", {"mcpServers": []}, -32602),
    ("session/load", {"sessionId": "last", "cwd": "REPO", "mcpServers": []}, -32002),
    ("session/load", {"sessionId": "", "cwd": "REPO", "mcpServers": []}, -32002),
    ("session/prompt", {"sessionId": "x", "prompt": [{"type": "text", "text": "hi"}]}, -32002),
    ("session/prompt", {"sessionId": "SESSION", "prompt": []}, -32602),
    ("session/prompt", {"sessionId": "SESSION", "prompt": [{"type": "smell"}]}, -32602),
    ("session/prompt", {"sessionId": "SESSION", "prompt": [{"type": "text"}], "_meta": {"prompt": 5}}, -32602),
    ("session/set_mode", {"sessionId": "SESSION", "modeId": "never"}, -32602),
    ("session/set_config_option", {"sessionId": "SESSION", "configId": "mode", "value": "never"}, -32602),
    ("session/list", {"cursor": "nowhere"}, -32600),
)


def test_what_cannot_be_asked_is_an_error_and_nothing_else(tmp_path: Path) -> None:
    with serving(tmp_path, *NO_MODEL, "-a", "on-request") as peer:
        named = {"SESSION": peer.begin(), "REPO": str(peer.repo)}
        for number, (method, params, code) in enumerate(REFUSED):
            given = {name: named.get(each, each) if isinstance(each, str) else each for name, each in params.items()}
            answer = peer.ask(number, method, **given)
            assert (answer["error"]["code"], method, params) == (code, method, params)
            assert len(json.dumps(answer)) < 4_000
        assert peer.end() == (0, "")


def test_odd_ids_are_refused_and_one_that_is_in_use_too(tmp_path: Path) -> None:
    wants = sends(*turn(function_call("exec_command", {"cmd": "echo on; sleep 100", "login": False})))
    with ResponsesServer(wants) as server, serving(tmp_path, *of(server)) as peer:
        session = peer.begin()
        for odd in ("null", "true", "1.5", "[1]", str(2**70), '"' + "x" * 2000 + '"'):
            peer.send(b'{"jsonrpc": "2.0", "id": %s, "method": "session/list"}\n' % odd.encode())
            answer = peer.until(lambda each: "error" in each)
            assert (answer["id"], answer["error"]["code"]) == (None, -32600)
        said = {"sessionId": session, "prompt": [{"type": "text", "text": "go"}]}
        peer.request("p", "session/prompt", **said)
        peer.until(lambda each: "in_progress" in str(each))
        peer.request("p", "session/list")
        assert "in progress" in peer.until(lambda each: each.get("id") == "p")["error"]["message"]
        assert "a turn runs" in peer.ask("q", "session/prompt", **said)["error"]["message"]
        peer.send(b'{"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "%s"}}\n' % session.encode())
        assert peer.until(lambda each: each.get("id") == "p")["result"] == {"stopReason": "cancelled"}
        assert peer.end() == (0, "")


def test_a_flood_of_what_is_no_message_is_answered_and_leaves_it_working(tmp_path: Path) -> None:
    with serving(tmp_path, *NO_MODEL) as peer:
        peer.send(b'{"jsonrpc": "2.0", "method": "nothing/such", "params": [1]}\n' * FLOOD)
        peer.send(b'{"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": 5}}\n' * FLOOD)
        peer.send(b'{"jsonrpc": "2.0", "id": 5, "result": {}}\n{"jsonrpc": "2.0", "id": 5, "error": 7}\n' * FLOOD)
        peer.send(b"{\n" * FLOOD)
        assert {peer.next()["error"]["code"] for _ in range(FLOOD)} == {-32700}
        peer.begin()
        assert peer.end() == (0, "")


@pytest.mark.proof  # half a minute passes before it is given up
@pytest.mark.slow
def test_a_client_that_never_reads_is_ended_and_leaves_nothing(tmp_path: Path) -> None:
    """Required: what waits for it is limited."""
    mark = f"85{os.getpid():07d}"
    wants = sends(*turn(function_call("exec_command", {"cmd": f"sleep {mark}", "login": False})))
    with ResponsesServer(wants, says("done")) as server, serving(tmp_path, *of(server)) as peer:
        session = peer.begin()
        peer.request(3, "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "go"}])
        long = "x" * 500  # which each answer repeats
        line = json.dumps({"jsonrpc": "2.0", "id": long, "method": "nothing/such"}).encode() + b"\n"
        with suppress(BrokenPipeError):
            while peer.process.poll() is None:
                peer.send(line * 100)
        assert peer.process.wait(2 * WAIT_SECONDS) == 0
        assert peer.process.stderr is not None
        assert b"does not read" in peer.process.stderr.read()
        assert wait_until(lambda: not living(mark))


def test_a_client_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    """Required: the server sees that its client is gone, and ends with everything it started."""
    mark = f"84{os.getpid():07d}"
    wants = sends(*turn(function_call("exec_command", {"cmd": f"echo on; sleep {mark}", "login": False})))
    with ResponsesServer(wants) as server:
        for name in ("repo", "home"):
            (tmp_path / name).mkdir()
        (tmp_path / "repo/.git").mkdir()
        begins = tmp_path / "begins.py"
        begins.write_text(CLIENT)
        client = subprocess.Popen(
            [PROGRAM[0], str(begins), *PROGRAM, "acp", "-c", NOT_ALL_OF_TMP, *of(server)],
            cwd=tmp_path / "repo",
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path / "home"), "LANG": "C.UTF-8"},
        )
        try:
            assert wait_until(lambda: bool(living(mark)))
            assert len(living(str(tmp_path))) >= 1
        finally:
            client.send_signal(signal.SIGKILL)
            client.wait(WAIT_SECONDS)
        assert wait_until(lambda: not living(mark))
        assert wait_until(lambda: not living(server.url))


CLIENT = """\
import json, os, subprocess, sys
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def ask(number, method, **params):
    said = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    server.stdin.write(json.dumps(said).encode() + b"\\n")
    server.stdin.flush()
    while True:
        found = json.loads(server.stdout.readline())
        if found.get("id") == number:
            return found["result"]
ask(1, "initialize", protocolVersion=1)
session = ask(2, "session/new", cwd=os.getcwd(), mcpServers=[])["sessionId"]
ask(3, "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "go"}])
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_what_it_started(tmp_path: Path, number: signal.Signals) -> None:
    mark = f"83{os.getpid():07d}.{int(number)}"
    wants = sends(*turn(function_call("exec_command", {"cmd": f"echo on; sleep {mark}", "login": False})))
    with ResponsesServer(wants) as server, serving(tmp_path, *of(server)) as peer:
        session = peer.begin()
        peer.request(3, "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "go"}])
        assert wait_until(lambda: bool(living(mark)))
        peer.process.send_signal(number)
        assert peer.process.wait(WAIT_SECONDS) == 128 + number
        assert wait_until(lambda: not living(mark))


def living(mark: str) -> list[str]:
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdecimal() and mark.encode() in Path(f"/proc/{entry}/cmdline").read_bytes():
                found.append(entry)
        except OSError:
            continue  # it ended while we looked
    return found

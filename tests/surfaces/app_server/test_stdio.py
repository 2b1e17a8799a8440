"""The program itself, over real pipes."""

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
from support.app_server.app_client import INFO, unlike_the_table
from support.model.responses_server import ResponsesServer, function_call, message, says, sends, turn
from support.process.program import PROGRAM, WAIT_SECONDS
from support.process.waiting import wait_until
from support.terminal.live_sessions import NOT_ALL_OF_TMP


class Peer:
    """The client's side of the pipes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._asked: dict[Any, str] = {}

    def send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def ask(self, identity: Any, method: str, **params: Any) -> Any:
        self._asked[identity] = method
        self.send(json.dumps({"id": identity, "method": method, "params": params}).encode() + b"\n")
        return self.until(lambda each: each.get("id") == identity and "method" not in each)

    def until(self, wanted: Any) -> Any:
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            found = json.loads(line)
            assert unlike_the_table(found, self._asked) is None
            if wanted(found):
                return found
        raise AssertionError("the server has closed its end")

    def begin(self) -> Any:
        return self.ask("begin", "initialize", **INFO)


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[Peer]:
    repo, home = folder / "repo", folder / "home"
    for each in (repo, home):
        each.mkdir(exist_ok=True)
    (repo / ".git").mkdir(exist_ok=True)
    with subprocess.Popen(
        [*PROGRAM, "app-server", "-c", NOT_ALL_OF_TMP, *options],
        cwd=repo,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield Peer(process)
        finally:
            process.kill()
            assert process.stdin is not None
            with suppress(BrokenPipeError):
                process.stdin.close()


def of(server: ResponsesServer) -> list[str]:
    return [word for setting in provider(server.url) for word in ("-c", setting)]


def test_a_turn_over_pipes_and_the_end_when_the_client_leaves(tmp_path: Path) -> None:
    wants = sends(*turn(function_call("exec_command", {"cmd": "echo hi", "login": False})))
    with ResponsesServer(wants, says("done")) as server, serving(tmp_path, *of(server)) as peer:
        assert "result" in peer.begin()
        thread = peer.ask(1, "thread/start")["result"]["thread"]["id"]
        peer.ask(2, "turn/start", threadId=thread, input=[{"type": "text", "text": "go"}])
        ended = peer.until(lambda each: each.get("method") == "turn/completed")
        assert ended["params"]["turn"]["status"] == "completed"
        assert peer.process.stdin is not None
        peer.process.stdin.close()
        assert peer.process.wait(WAIT_SECONDS) == 0


def test_half_lines_and_bad_ones_do_not_end_it(tmp_path: Path) -> None:
    with serving(tmp_path, "-c", "model=m") as peer:
        peer.send(b'{"id": 1, "meth')
        peer.send(b'od": "account/read"}\n\n \n{"broken\n')
        assert peer.until(lambda each: each.get("id") == 1)["error"]["message"] == "Not initialized"
        assert peer.until(lambda _each: True)["error"]["code"] == -32700
        peer.send(b"x" * (9 << 20) + b"\n")
        assert "longer than" in peer.until(lambda _each: True)["error"]["message"]
        assert "result" in peer.begin()


def test_a_client_that_never_reads_is_ended_and_leaves_nothing(tmp_path: Path) -> None:
    """Required: what waits for it is limited."""
    wants = sends(*turn(function_call("exec_command", {"cmd": "yes | head -c 200000000", "login": False})))
    with ResponsesServer(wants, says("done")) as server, serving(tmp_path, *of(server)) as peer:
        peer.begin()
        thread = peer.ask(1, "thread/start")["result"]["thread"]["id"]
        line = json.dumps({"id": 2, "method": "config/read"}).encode() + b"\n"
        peer.send(json.dumps({"id": 3, "method": "turn/start", "params": {
            "threadId": thread, "input": [{"type": "text", "text": "go"}]}}).encode() + b"\n")  # fmt: skip
        with suppress(BrokenPipeError):
            while peer.process.poll() is None:
                peer.send(line)
        assert peer.process.wait(2 * WAIT_SECONDS) == 0
        assert peer.process.stderr is not None
        assert b"does not read" in peer.process.stderr.read()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_what_it_started(tmp_path: Path, number: signal.Signals) -> None:
    mark = f"86{os.getpid():07d}.{int(number)}"
    wants = sends(*turn(function_call("exec_command", {"cmd": f"echo on; sleep {mark}", "login": False})))
    with ResponsesServer(wants, sends(*turn(message("done")))) as server, serving(tmp_path, *of(server)) as peer:
        peer.begin()
        thread = peer.ask(1, "thread/start")["result"]["thread"]["id"]
        peer.ask(2, "turn/start", threadId=thread, input=[{"type": "text", "text": "go"}])
        peer.until(lambda each: each.get("method") == "item/commandExecution/outputDelta")
        peer.process.send_signal(number)
        assert peer.process.wait(WAIT_SECONDS) == 128 + number
        assert wait_until(lambda: not _living(mark))


def test_killed_it_leaves_no_command_and_the_thread_goes_on_elsewhere(tmp_path: Path) -> None:
    """Required: a turn that was cut off is told as interrupted, and its call is not made again."""
    mark = f"87{os.getpid():07d}"
    wants = sends(*turn(function_call("exec_command", {"cmd": f"echo on; sleep {mark}", "login": False})))
    with ResponsesServer(wants, says("later")) as server:
        with serving(tmp_path, *of(server)) as peer:
            peer.begin()
            thread = peer.ask(1, "thread/start")["result"]["thread"]["id"]
            peer.ask(2, "turn/start", threadId=thread, input=[{"type": "text", "text": "go"}])
            peer.until(lambda each: each.get("method") == "item/commandExecution/outputDelta")
            peer.process.kill()
            assert wait_until(lambda: not _living(mark))
        with serving(tmp_path, *of(server)) as peer:
            peer.begin()
            opened = peer.ask(1, "thread/resume", threadId=thread)["result"]["thread"]
            assert [each["status"] for each in opened["turns"]] == ["interrupted"]
            peer.ask(2, "turn/start", threadId=thread, input=[{"type": "text", "text": "again"}])
            ended = peer.until(lambda each: each.get("method") == "turn/completed")
            assert ended["params"]["turn"]["items"][0]["text"] == "later"
        assert len(server.asked) == 2


def _living(mark: str) -> list[str]:
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdecimal() and mark.encode() in Path(f"/proc/{entry}/cmdline").read_bytes():
                found.append(entry)
        except OSError:
            continue  # it ended while we looked
    return found

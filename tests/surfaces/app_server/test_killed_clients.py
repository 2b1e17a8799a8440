"""A client that is killed during a turn, alone or with its server: nothing is left, and the thread goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sandgate.surfaces.app_server.wire.documents import PYTHON_NAME
from sandgate.surfaces.app_server.wire.python_client import python_client
from support.agent.agent_places import provider
from support.mcp.mcp_program import living
from support.model.responses_server import ResponsesServer, function_call, says, sends, turn
from support.process.program import PROGRAM, WAIT_SECONDS
from support.process.waiting import wait_until
from support.terminal.live_sessions import NOT_ALL_OF_TMP

pytestmark = pytest.mark.host("namespace", "notify")

CLIENT = """
import json, sys
from app_server_client import AppServerClient

given = json.loads(sys.argv[1])
with AppServerClient(given["command"]) as client:
    client.initialize({"clientInfo": {"name": "test", "version": "1"}})
    name = given["thread"]
    opened = client.thread_resume({"threadId": name}) if name else client.thread_start()
    thread = opened["thread"]
    print(json.dumps([client._process.pid, thread["id"], [each["status"] for each in thread["turns"]]]), flush=True)
    client.turn_start({"threadId": thread["id"], "input": [{"type": "text", "text": "go"}]})
    for message in client.messages():
        if message["method"] in ("item/commandExecution/outputDelta", "turn/completed"):
            print(json.dumps(message["method"]), flush=True)
"""


class Killable:
    """A client in a process of its own, with its server."""

    def __init__(self, folder: Path, model: ResponsesServer, thread: str = "") -> None:
        repo, home = folder / "repo", folder / "home"
        for each in (repo, home):
            each.mkdir(exist_ok=True)
        (repo / ".git").mkdir(exist_ok=True)
        (folder / PYTHON_NAME).write_text(python_client())
        settings = [word for each in (NOT_ALL_OF_TMP, *provider(model.url)) for word in ("-c", each)]
        given = {"command": [*PROGRAM, "app-server", *settings], "thread": thread}
        environ = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "PYTHONPATH": str(folder)}
        self.process = subprocess.Popen(
            [sys.executable, "-c", CLIENT, json.dumps(given)], cwd=repo, env=environ, stdout=subprocess.PIPE, text=True
        )
        self.server, self.thread, self.turns = self.said()

    def said(self) -> list[object]:
        """The next thing that it says."""
        assert self.process.stdout is not None
        found = json.loads(self.process.stdout.readline())
        return found if isinstance(found, list) else [found]

    def end(self, *others: int) -> None:
        """Kills it and the `others`, and waits for it."""
        for each in (self.process.pid, *others):
            os.kill(each, signal.SIGKILL)
        self.process.wait(WAIT_SECONDS)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.mark.parametrize("both", [False, True])
def test_nothing_is_left_and_the_thread_goes_on(tmp_path: Path, both: bool) -> None:
    """Required: the turn that was cut off is told as interrupted, and its call is not made again."""
    mark = f"89{os.getpid():07d}.{int(both)}"
    wants = sends(*turn(function_call("exec_command", {"cmd": f"echo on; sleep {mark}", "login": False})))
    with ResponsesServer(wants, says("later")) as model:
        client = Killable(tmp_path, model)
        assert client.said() == ["item/commandExecution/outputDelta"]
        assert living(mark)
        assert isinstance(client.server, int)
        client.end(*((client.server,) if both else ()))
        assert wait_until(lambda: not living(mark))
        assert wait_until(lambda: not Path(f"/proc/{client.server}").exists())
        again = Killable(tmp_path, model, str(client.thread))
        assert again.turns == ["interrupted"]
        assert again.said() == ["turn/completed"]
        again.end()
    assert len(model.asked) == 2

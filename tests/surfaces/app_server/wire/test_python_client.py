"""The client in Python: its types hold, and the example that uses it works with a real server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sandgate.surfaces.app_server.wire.documents import PYTHON_NAME
from sandgate.surfaces.app_server.wire.methods import METHODS, SERVER_NOTIFICATIONS, SERVER_REQUESTS
from sandgate.surfaces.app_server.wire.python_client import python_client
from support.agent.agent_places import calls, command, provider
from support.model.responses_server import ResponsesServer, says
from support.process.program import PROGRAM, WAIT_SECONDS
from support.suite.source_tree import REPOSITORY
from support.terminal.live_sessions import NOT_ALL_OF_TMP

EXAMPLE = REPOSITORY / "docs/examples/app_server_ui.py"


def test_every_message_is_in_it_once() -> None:
    text = python_client()
    asked = [f'self._ask("{each.name}", params)' for each in METHODS]
    told = [f'method: Literal["{each.name}"]' for each in (*SERVER_REQUESTS, *SERVER_NOTIFICATIONS)]
    assert [each for each in (*asked, *told) if text.count(each) != 1] == []


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    """The example with the client beside it."""
    (tmp_path / PYTHON_NAME).write_text(python_client())
    (tmp_path / EXAMPLE.name).write_text(EXAMPLE.read_text())
    return tmp_path


@pytest.mark.slow
def test_its_types_and_those_of_the_example_hold(beside: Path) -> None:
    """Required: a checker finds what is wrong with a program that uses it."""
    wrong = EXAMPLE.read_text().replace('["error"]["message"]', '["error"]["massage"]')
    (beside / "wrong.py").write_text(wrong)
    checker = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(beside / "cache")]
    for name, found in ((EXAMPLE.name, ""), ("wrong.py", 'has no key "massage"')):
        checked = subprocess.run([*checker, name], cwd=beside, capture_output=True, text=True, timeout=WAIT_SECONDS)
        assert (checked.returncode == 0, found in checked.stdout) == (not found, True), checked.stdout


@pytest.mark.host("namespace", "notify")
@pytest.mark.parametrize(("answer", "made"), [("y", True), ("n", False)])
def test_the_example_shows_a_question_and_carries_the_answer(beside: Path, answer: str, made: bool) -> None:
    """Required: a person sees the command and our reason, and nothing runs before a yes."""
    repo, home = beside / "repo", beside / "home"
    for each in (repo, home):
        each.mkdir()
    (repo / ".git").mkdir()
    with ResponsesServer(calls(command("touch made; echo hi")), says("that was all")) as model:
        settings = [word for each in (NOT_ALL_OF_TMP, *provider(model.url)) for word in ("-c", each)]
        ended = subprocess.run(
            [sys.executable, str(beside / EXAMPLE.name), *PROGRAM, "app-server", "-a", "untrusted", *settings],
            cwd=repo,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8"},
            input=f"go\n{answer}\n",
            capture_output=True,
            text=True,
            timeout=WAIT_SECONDS,
        )
    assert ended.returncode == 0, ended.stderr
    assert "touch made; echo hi" in ended.stdout
    assert "A yes means: yes, once" in ended.stdout
    assert ("\nhi\n" in ended.stdout or "[y/a/n] hi\n" in ended.stdout, (repo / "made").exists()) == (made, made)
    assert "that was all" in ended.stdout

"""The terminal program of the lineage, unmodified, with our app server behind it, as a person uses it.

It is no package of ours: the test runs where the variable CODEX, PATH or .peers has one.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from peers.programs import program
from peers.real_terminal import RealTerminal, terminal
from support.agent.agent_places import calls, command, provider
from support.app_server.lineage_schema import LineageSchema
from support.model.responses_server import Manner, ResponsesServer, custom_tool_call, says
from support.process.program import PROGRAM, WAIT_SECONDS
from support.terminal.live_sessions import NOT_ALL_OF_TMP

pytest.importorskip("websockets", reason="this environment was made from an older requirements/dev.txt")
from peers.ws_relay import Kept, relay  # it imports websockets

pytestmark = [pytest.mark.slow, pytest.mark.host("namespace", "notify")]

TOKEN = "a-token-of-thirty-two-characters-or-more"
NOWHERE = "http://127.0.0.1:9"
PROMPT = "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}"
ESCAPE = "\x1b"
PATCH = "*** Begin Patch\n*** Add File: made.txt\n+by patch\n*** End Patch\n"
CONFIGURATION = """
check_for_update_on_startup = false

[features]
daemon_auto_start = false

[analytics]
enabled = false
"""


class Place:
    """A repository, a home, and everything that was said between program and server."""

    def __init__(self, folder: Path) -> None:
        self.codex = program("CODEX", "codex")
        self.repo, self.home, self.codex_home = (folder / name for name in ("repo", "home", "codex"))
        for each in (self.repo, self.home, self.codex_home):
            each.mkdir()
        subprocess.run(["git", "init", "-q", str(self.repo)], check=True)
        (self.codex_home / "config.toml").write_text(CONFIGURATION)
        self.environ = {"PATH": os.environ["PATH"], "HOME": str(self.home), "LANG": "C.UTF-8"}
        self.said: Kept = []

    @contextmanager
    def sits(self, model: ResponsesServer, *options: str) -> Iterator[RealTerminal]:
        """The program in a terminal; its server and all that belongs to it end with the block."""
        environ = {
            **self.environ, "CODEX_HOME": str(self.codex_home), "TOKEN": TOKEN, "HTTP_PROXY": NOWHERE,
            "HTTPS_PROXY": NOWHERE, "NO_PROXY": "127.0.0.1",
        }  # fmt: skip
        with self._server(model) as address, relay(address) as (near, said):
            told = [self.codex, *options, "--remote", near, "--remote-auth-token-env", "TOKEN"]
            with terminal(told, environ, str(self.repo)) as shown:
                yield shown
        self.said += said

    @contextmanager
    def _server(self, model: ResponsesServer) -> Iterator[str]:
        settings = (NOT_ALL_OF_TMP, "features.apply_patch_freeform=true", *provider(model.url))
        options = [word for setting in settings for word in ("-c", setting)]
        with subprocess.Popen(
            [*PROGRAM, "app-server", "--listen", "ws://127.0.0.1:0", "-a", "untrusted", *options],
            cwd=self.repo,
            env={**self.environ, "SANDGATE_APP_SERVER_TOKEN": TOKEN},
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                assert process.stderr is not None
                found = re.search(r"ws://\S+", process.stderr.readline())
                assert found is not None
                yield found[0]
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait(WAIT_SECONDS)

    def told(self, method: str) -> list[dict[str, Any]]:
        """What messages of that name carried, whoever sent them."""
        return [each["params"] for log in self.said for _, each in log if each.get("method") == method]


def says_it(shown: RealTerminal, text: str) -> None:
    """Types it and sends it; the program takes keys that come too fast for pasted text."""
    shown.see(f"{PROMPT} Ask")
    shown.type(text)
    shown.see(f"{PROMPT} {text}")
    shown.type("\r")


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> LineageSchema:
    """Of the program itself."""
    return LineageSchema(program("CODEX", "codex"), tmp_path_factory.mktemp("schema"))


def test_a_person_works_with_it_and_everything_we_say_is_as_its_schema_has_it(
    tmp_path: Path, schema: LineageSchema
) -> None:
    """Required: a thread, an approval with our reason, one key, result and patch, an interrupt, and going on later."""
    place = Place(tmp_path)
    manners: tuple[Manner, ...] = (
        calls(command("touch made; echo hi $((6 * 7))")),
        calls(custom_tool_call("apply_patch", PATCH, "p1")),
        says("that was all"),
        calls(command("echo started; sleep 100", yield_time_ms=30_000)),
        says("and later"),
    )
    with ResponsesServer(*manners) as model:
        with place.sits(model) as shown:
            says_it(shown, "go")
            asked = shown.see("Would you like to run the following command?", "$ touch made")
            assert re.search(r"Reason: Risk: MEDIUM.*Creates .*A yes means: yes, once", " ".join(asked.split()))
            assert not (place.repo / "made").exists()
            shown.type("y")
            shown.see("hi 42", "Would you like to make the following edits?", "A yes means")
            assert not (place.repo / "made.txt").exists()
            shown.type("y")
            shown.see("Added made.txt (+1 -0)", "that was all")
            assert ((place.repo / "made").exists(), (place.repo / "made.txt").read_text()) == (True, "by patch\n")
            says_it(shown, "again")
            shown.see("esc to interrupt", "1 background terminal running")
            shown.type(ESCAPE)
            shown.see("Conversation interrupted")
        with place.sits(model, "resume", "--last") as shown:
            shown.see(f"{PROMPT} go", "that was all", "Conversation interrupted")
            says_it(shown, "more")
            shown.see("and later")
    assert len(model.asked) == 5
    assert [each["turn"]["status"] for each in place.told("turn/completed")] == [
        "completed", "interrupted", "completed",
    ]  # fmt: skip
    assert problems(place, schema) == []


def problems(place: Place, schema: LineageSchema) -> list[str]:
    """What its schema has against our messages."""
    found, checked = [], 0
    for log in place.said:
        asked: dict[Any, str] = {}
        for by_client, message in log:
            if by_client:
                asked |= {message["id"]: message["method"]} if "method" in message and "id" in message else {}
                continue
            checked += 1
            found.append(schema.problem(message, asked))
    assert checked > 100
    return [each for each in found if each is not None]

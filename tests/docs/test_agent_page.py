"""docs/how-to/agent.md: its configuration leads to a provider that answers. Its sessions are played with all others."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandgate.config import load_settings
from sandgate.external.server import ServerProgram
from support.docs.how_to_pages import LAUNCHER, blocks
from support.model.responses_server import Manner, ResponsesServer, function_call, message, says, sends, turn

PAGE = "agent.md"
LIMIT_S = 300  # with the making of the environment on first use
KEY = "k-7f3a"

pytestmark = [pytest.mark.slow, pytest.mark.host("namespace", "notify")]


@pytest.fixture
def home() -> Iterator[Path]:
    """Of a reader with a repository; not below /tmp, which commands may write to."""
    with tempfile.TemporaryDirectory(prefix="sandgate-reader-", dir="/var/tmp") as place:
        subprocess.run(["git", "init", "-q", f"{place}/repo"], check=True)
        yield Path(place)


def sandgate(home: Path, words: str, **more: str) -> subprocess.CompletedProcess[str]:
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", **more}
    return subprocess.run(
        ["sh", "-c", words.replace("sandgate", LAUNCHER, 1)],
        cwd=home / "repo",
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def configured(home: Path, server: ResponsesServer, **changes: str) -> None:
    config, _servers = blocks(PAGE, "toml")
    for before, after in {"http://localhost:8000/v1": server.url, **changes}.items():
        assert before in config
        config = config.replace(before, after)
    own = home / ".sandgate"
    own.mkdir(mode=0o700, exist_ok=True)
    (own / "config.toml").write_text(config)
    (own / "config.toml").chmod(0o600)


def test_the_configuration_leads_to_a_provider_and_no_command_sees_its_key(home: Path) -> None:
    """Required: the block on the page is enough, and its key goes to the provider alone."""
    (command,) = blocks(PAGE, "sh")
    looks = sends(*turn(function_call("exec_command", {"cmd": 'echo "key: $MY_MODEL_KEY."'})))
    with ResponsesServer(looks, says("It passes.")) as server:
        configured(home, server)
        done = sandgate(home, command.replace("…", KEY))
        assert (done.stdout, done.returncode) == ("It passes.\n", 0), done.stderr
        first, second = server.asked
    assert (first.target, first.headers["authorization"], first.body["model"]) == (
        "/v1/responses",
        f"Bearer {KEY}",
        "gpt-5",
    )
    assert "key: ." in json.dumps(second.body["input"])
    (kept,) = (home / ".local/state/sandgate/sessions").rglob("*.jsonl")
    assert (KEY in kept.read_text(), kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (
        False,
        0o600,
        0o700,
    )


def chat(text: str) -> Manner:
    return sends(
        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": text}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    )


def test_a_server_with_chat_completions_will_do(home: Path) -> None:
    with ResponsesServer(chat("It passes.")) as server:
        configured(home, server, **{'"responses" ': '"chat" ', 'env_key = "MY_MODEL_KEY"': ""})
        done = sandgate(home, "sandgate agent 'make the test pass'")
        assert (done.stdout, server.asked[0].target) == ("It passes.\n", "/v1/chat/completions"), done.stderr


def test_a_missing_key_is_named(home: Path) -> None:
    with ResponsesServer(says("never")) as server:
        configured(home, server)
        done = sandgate(home, "sandgate agent 'make the test pass'")
        assert (done.returncode, server.asked) == (78, [])
    assert "MY_MODEL_KEY" in done.stderr


def test_a_server_of_the_users_configuration_is_started_and_asked_about(home: Path) -> None:
    (home / ".sandgate").mkdir(mode=0o700)
    (home / ".sandgate" / "config.toml").write_text(blocks(PAGE, "toml")[1])
    (home / ".sandgate" / "config.toml").chmod(0o600)
    loaded = load_settings(cwd=str(home / "repo"), environ={"HOME": str(home)})
    (server,) = loaded.settings.external_servers
    assert (server.name, server.approval, server.transport) == ("docs", "prompt", ServerProgram("docs-server"))


def test_a_schema_and_the_files_of_the_project_reach_the_provider(home: Path) -> None:
    (home / "repo" / "AGENTS.md").write_text("Use tabs.")
    (home / "repo" / "secret").symlink_to(home / "key")
    (home / "key").write_text("do not send")
    (home / "repo" / "sub").mkdir()
    (home / "repo" / "sub" / "AGENTS.md").symlink_to(home / "key")
    (home / "schema.json").write_text('{"type": "object"}')
    with ResponsesServer(says("{}")) as server:
        configured(home, server, **{'env_key = "MY_MODEL_KEY"': ""})
        done = sandgate(home, "sandgate agent -C sub --output-schema ../schema.json 'count'")
        assert done.returncode == 0, done.stderr
        asked = json.dumps(server.asked[0].body)
    assert ("Use tabs." in asked, "do not send" in asked, '"json_schema"' in asked) == (True, False, True)
    assert "leads out of the project" in done.stderr


def test_last_is_the_persons_own_session_in_this_directory(home: Path) -> None:
    """Required: going on in a sub-agent's session, or in that of another project, is not what anybody means."""
    hands_on = sends(*turn(message("I ask."), function_call("delegate", {"prompt": "count"})))
    (home / "repo" / "sub").mkdir()
    with ResponsesServer(hands_on, says("one"), says("It is one."), says("still one")) as server:
        configured(home, server, **{'env_key = "MY_MODEL_KEY"': ""})
        assert sandgate(home, "sandgate agent 'how many?'").stdout == "It is one.\n"
        assert sandgate(home, "sandgate agent resume --last 'and now?'").stdout == "still one\n"
        heard = json.dumps(server.asked[3].body["input"])
        assert ("how many?" in heard, "and now?" in heard) == (True, True)
        elsewhere = sandgate(home, "sandgate agent -C sub resume --last 'and now?'")
    assert (elsewhere.returncode, "no earlier session in this directory" in elsewhere.stderr) == (2, True)


def test_a_sub_agent_asks_where_its_superior_would_and_has_its_policy(home: Path) -> None:
    """Required: handing work on buys no freedom."""
    hands_on = sends(*turn(function_call("delegate", {"prompt": "note it"})))
    notes = sends(*turn(function_call("exec_command", {"cmd": "echo hello > ~/note"}, "call_2")))
    for answer, written in (("deny", False), ("approve", True)):
        with ResponsesServer(hands_on, notes, says("done"), says("over")) as server:
            configured(home, server, **{'env_key = "MY_MODEL_KEY"': ""})
            done = sandgate(home, f"sandgate agent --answer {answer} 'note it'")
        assert "question of a sub-agent: $ echo hello > ~/note" in done.stderr, done.stderr
        assert ((home / "note").exists(), done.stdout) == (written, "over\n")


@pytest.mark.parametrize(("more", "written"), [("", False), ("-s workspace-write", True)])
def test_a_session_goes_on_with_the_policy_it_had(home: Path, more: str, written: bool) -> None:
    """Required: a session that could only read does not write because it was continued without the option."""
    writes = sends(*turn(function_call("exec_command", {"cmd": "echo hello > made"})))
    with ResponsesServer(says("read"), writes, says("over")) as server:
        configured(home, server, **{'env_key = "MY_MODEL_KEY"': ""})
        assert sandgate(home, "sandgate agent -s read-only 'look'").returncode == 0
        done = sandgate(home, f"sandgate agent resume --last {more} 'write'")
    assert ((home / "repo" / "made").exists(), done.stdout) == (written, "over\n")
    assert ("goes on with `sandbox_mode` as it was" in done.stderr) is not written


def test_no_command_reads_what_is_kept_of_sessions(home: Path) -> None:
    """Required: what one session said and printed is nothing for a command of the next."""
    reads = sends(
        *turn(function_call("exec_command", {"cmd": "cat ~/.local/state/sandgate/sessions/*/*/*/*; echo over"}))
    )
    with ResponsesServer(says("the secret is 4711"), reads, says("no")) as server:
        configured(home, server, **{'env_key = "MY_MODEL_KEY"': ""})
        for prompt in ("say", "read"):
            assert sandgate(home, f"sandgate agent '{prompt}'").returncode == 0
        heard = json.dumps(server.asked[2].body["input"])
    assert ("over" in heard, "4711" in heard) == (True, False)

"""Providers as people configure them, each asked by a whole agent: what opens them, and the second wire."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from support.agent.agent_places import AgentPlace, calls, command
from support.model.responses_server import ResponsesServer, refuses, says, sends

if TYPE_CHECKING:
    from pathlib import Path

    from support.model.responses_server import Manner

pytestmark = [pytest.mark.host("namespace", "notify"), pytest.mark.slow]

PROVIDER = """\
model = "m"
model_provider = "mine"
sandbox_mode = "workspace-write"

[model_providers.mine]
name = "Mine"
base_url = "{url}"
env_key = "MY_KEY"
{more}
"""


def configured(place: AgentPlace, more: str) -> None:
    folder = place.home / ".sandgate"
    folder.mkdir(mode=0o700)
    (folder / "config.toml").write_text(PROVIDER.format(url=place.url, more=more))


def agent(place: AgentPlace, *arguments: str, **env: str) -> tuple[int, str, str]:
    """By the configuration in its file alone."""
    import subprocess

    from support.process.program import PROGRAM, WAIT_SECONDS

    done = subprocess.run(
        [*PROGRAM, "agent", *arguments],
        cwd=place.repo,
        env={**place.env, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_everything_that_a_provider_wants_is_sent_and_nothing_of_it_to_a_command(tmp_path: Path) -> None:
    more = """\
query_params = { "api-version" = "2026-01" }
http_headers = { "X-Team" = "sand" }
env_http_headers = { "X-Org" = "MY_ORG", "X-Project" = "MY_PROJECT" }
"""
    shows = calls(command("env | grep -c -e key-7f3a -e org-7f3a", login=False))
    with ResponsesServer(shows, says("done")) as server:
        place = AgentPlace(tmp_path, server.url)
        configured(place, more)
        code, out, err = agent(place, "look", MY_KEY="key-7f3a", MY_ORG="org-7f3a", MY_PROJECT=" ")
        assert (code, out) == (0, "done\n"), err
        first, second = server.asked
    assert first.target == "/v1/responses?api-version=2026-01"
    sent = {name: first.headers.get(name) for name in ("authorization", "x-team", "x-org", "x-project")}
    assert sent == {"authorization": "Bearer key-7f3a", "x-team": "sand", "x-org": "org-7f3a", "x-project": None}
    assert "Output:\n0\n" in json.dumps(second.body["input"]).replace("\\n", "\n")


@pytest.mark.parametrize(("retries", "asked", "code"), [(0, 1, 1), (1, 2, 0)])
def test_a_request_is_placed_as_often_as_was_configured(tmp_path: Path, retries: int, asked: int, code: int) -> None:
    with ResponsesServer(refuses(503, "", {"Retry-After": "0"}), says("done")) as server:
        place = AgentPlace(tmp_path, server.url)
        configured(place, f"request_max_retries = {retries}")
        assert agent(place, "look", MY_KEY="k")[0] == code
        assert len(server.asked) == asked


def chat(*deltas: Any, reason: str = "stop") -> Manner:
    pieces = [{"id": "c", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    return sends(*pieces, {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})


def test_a_server_with_chat_completions_has_commands_run_and_hears_of_them(tmp_path: Path) -> None:
    """Required: the whole loop, with two calls at once whose arguments come in pieces."""
    wanted = {name: json.dumps({"cmd": f"echo {name} >> log; echo did {name}"}) for name in ("one", "two")}

    def piece(index: int, text: str, **more: Any) -> Any:
        return {"tool_calls": [{"index": index, **more, "function": {"name": "exec_command", "arguments": text}}]}

    def rest(index: int, text: str) -> Any:
        return {"tool_calls": [{"index": index, "function": {"arguments": text}}]}

    one, two = wanted.values()
    pieces = (
        {"role": "assistant", "content": "I look. "},
        piece(0, one[:5], id="a"),
        piece(1, two[:9], id="b"),
        rest(0, one[5:]),
        rest(1, two[9:]),
    )
    with ResponsesServer(chat(*pieces, reason="tool_calls"), chat({"content": "do"}, {"content": "ne"})) as server:
        place = AgentPlace(tmp_path, server.url)
        configured(place, 'wire_api = "chat"')
        code, out, err = agent(place, "work", MY_KEY="k")
        assert (code, out) == (0, "done\n"), err
        assert sorted(place.lines()) == ["one", "two"]
        first, second = server.asked
    assert first.target == "/v1/chat/completions"
    assert "exec_command" in [tool["function"]["name"] for tool in first.body["tools"]]
    *_, asked, answer_a, answer_b = second.body["messages"]
    assert [call["id"] for call in asked["tool_calls"]] == ["a", "b"]
    assert [call["function"]["arguments"] for call in asked["tool_calls"]] == [one, two]
    assert [(each["role"], each["tool_call_id"]) for each in (answer_a, answer_b)] == [("tool", "a"), ("tool", "b")]
    assert "did one" in answer_a["content"]
    assert "did two" in answer_b["content"]

"""Which sessions of agents a client has, how many, and what they may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sandgate.surfaces.mcp import client_threads
from support.mcp.delegating import agents_at, runs_command
from support.mcp.mcp_wire import LEGACY, RUNS, Desk, connected, run, text_of
from support.model.responses_server import refuses, says, stays_silent

if TYPE_CHECKING:
    from pathlib import Path

    from support.mcp.mcp_wire import Json, Wire

pytestmark = pytest.mark.host("namespace", "notify")

APPEND = f"echo ran >> {RUNS}"
TASK = {"prompt": "go"}


async def begun(wire: Wire, **asked: Any) -> str:
    """The session of a turn that ended well."""
    answer = await wire.result("sandgate", {**TASK, **asked})
    assert not answer["isError"], text_of(answer)
    return str(answer["structuredContent"]["threadId"])


async def refusal(wire: Wire, tool: str, arguments: Json) -> str:
    """The words of a call that comes to nothing."""
    answer = await wire.result(tool, arguments)
    assert answer["isError"]
    return text_of(answer)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"sandbox": "danger-full-access"}, "a client cannot set this: sandbox_mode"),
        ({"approval-policy": "never"}, "a client cannot set this: approval_policy"),
        ({"config": {"sandbox_workspace_write": {"network_access": True}}}, "a client cannot set this"),
        ({"config": {"sandbox_workspace_write.writable_roots": ["/"]}}, "has to be text"),
        ({"config": {"model_provider": "other"}}, "a client cannot set this"),
        ({"config": {"sandbox_mod": "read-only"}}, "is no setting of Sandgate"),
        ({"cwd": "/usr"}, "is neither below the server's"),
        ({"cwd": "nowhere"}, "there is no directory"),
        ({"profile": "loose"}, "a client cannot choose the profile `loose`"),
    ],
)
def test_what_loosens_begins_no_session(desk: Desk, asked: Json, words: str) -> None:
    """Required: the server's policy is the loosest there is, and nothing that would change it is quietly left out."""

    async def work() -> None:
        with agents_at(desk, says("done")) as (server, model):
            async with connected(server, LEGACY) as wire:
                assert words in await refusal(wire, "sandgate", {**TASK, **asked})
                assert model.asked == []

    run(work())


def test_a_session_may_be_stricter_than_its_server(desk: Desk) -> None:
    """Required: the policy of a session is that of its commands; without it the same command does write."""
    twice = (runs_command(APPEND), says("one"))

    async def work() -> None:
        with agents_at(desk, *twice, *twice, approval_policy="on-failure") as (server, _model):
            async with connected(server, LEGACY, capabilities={}) as wire:
                await begun(wire)
                assert desk.runs == 1
                await begun(wire, sandbox="read-only", **{"approval-policy": "on-failure"})
                assert desk.runs == 1

    run(work())


def test_model_instructions_and_directory_are_the_clients_to_choose(desk: Desk) -> None:
    (desk.place.repo / "below").mkdir()
    asked = {
        "model": "other",
        "cwd": "below",
        "base-instructions": "You mend clocks.",
        "compact-prompt": "Say it in a word.",
        "config": {"model_reasoning_effort": "high"},
        "include-plan-tool": False,
        "profile": None,
    }

    async def work() -> None:
        with agents_at(desk, says("done")) as (server, model):
            async with connected(server, LEGACY) as wire:
                await begun(wire, **asked)
                (sent,) = model.asked
                assert (sent.body["model"], sent.body["reasoning"]["effort"]) == ("other", "high")
                assert "You mend clocks." in sent.body["instructions"]
                assert str(desk.place.repo / "below") in str(sent.body["input"])

    run(work())


def test_an_unknown_session_is_one_error(desk: Desk) -> None:
    async def work() -> None:
        with agents_at(desk, says("done")) as (server, _model):
            async with connected(server, LEGACY) as wire:
                await begun(wire)
                words = await refusal(wire, "sandgate-reply", {**TASK, "threadId": "never-was"})
                assert words.startswith("there is no session `never-was` here")

    run(work())


def test_no_client_goes_on_with_the_session_of_another(desk: Desk) -> None:
    """Required: a session belongs to the connection that began it, whoever knows its name."""

    async def work() -> None:
        with agents_at(desk, says("done")) as (server, model):
            async with connected(server, LEGACY) as wire:
                thread = await begun(wire)
            async with connected(server, LEGACY) as wire:
                assert "there is no session" in await refusal(wire, "codex-reply", {**TASK, "threadId": thread})
                assert len(model.asked) == 1

    run(work())


def test_room_is_made_by_ending_the_session_that_was_idle_longest(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_threads, "THREADS_OF_ONE_MAX", 2)

    async def work() -> None:
        with agents_at(desk, says("done")) as (server, _model):
            async with connected(server, LEGACY) as wire:
                first, second = await begun(wire), await begun(wire)
                assert not (await wire.result("sandgate-reply", {**TASK, "threadId": first}))["isError"]
                third = await begun(wire)
                assert "there is no session" in await refusal(wire, "sandgate-reply", {**TASK, "threadId": second})
                for thread in (first, third):
                    assert not (await wire.result("sandgate-reply", {**TASK, "threadId": thread}))["isError"]

    run(work())


@pytest.mark.parametrize("limit", ["THREADS_OF_ONE_MAX", "THREADS_MAX"])
def test_where_all_sessions_work_there_is_no_room(desk: Desk, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(client_threads, limit, 1)

    async def work() -> None:
        with agents_at(desk, stays_silent) as (server, _model):
            async with connected(server, LEGACY) as wire:
                working = await wire.call("sandgate", TASK)
                assert "too many sessions work" in await refusal(wire, "sandgate", TASK)
                await working.cancel()

    run(work())


def test_a_session_that_never_opened_takes_no_room(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_threads, "THREADS_OF_ONE_MAX", 1)
    monkeypatch.setattr(client_threads, "THREADS_MAX", 1)

    async def work() -> None:
        with agents_at(desk, says("done")) as (server, _model):
            async with connected(server, LEGACY) as wire:
                for _ in range(3):
                    await refusal(wire, "sandgate", {**TASK, "cwd": "nowhere"})
                await begun(wire)

    run(work())


def test_without_leave_there_is_no_such_tool(desk: Desk) -> None:
    async def work() -> None:
        async with connected(desk.server(), LEGACY) as wire:
            for name in ("sandgate", "codex", "codex-reply"):
                outcome = await (await wire.call(name, TASK)).outcome()
                assert outcome["error"]["message"] == f"Unknown tool '{name}'"

    run(work())


def test_what_was_said_stays_on_the_users_disk(desk: Desk, tmp_path: Path) -> None:
    async def work() -> str:
        with agents_at(desk, refuses(400)) as (server, _model):
            async with connected(server, LEGACY) as wire:
                answer = await wire.result("sandgate", TASK)
                return str(answer["structuredContent"]["threadId"])

    thread = run(work())
    (kept,) = [path for path in tmp_path.rglob("rollout-*.jsonl") if thread in path.name]
    assert '"source":"mcp"' in kept.read_text().replace(" ", "")

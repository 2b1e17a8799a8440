"""A client may tighten; what it may not is said, and never quietly left out."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from sandgate.surfaces.app_server.thread_settings import opening_of
from support.agent.agent_places import calls, command
from support.app_server.app_client import AppError, app_place
from support.model.responses_server import says
from support.process.loops import run


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"sandbox": "danger-full-access"}, -32600),
        ({"approvalPolicy": "never"}, -32600),
        ({"config": {"sandbox.network": "on"}}, -32600),
        ({"config": {"additional_writable_roots": ["/"]}}, -32602),
        ({"config": {"approvals_reviewer": "auto_review"}}, -32600),
        ({"approvalsReviewer": "auto_review"}, -32602),
        ({"cwd": "/usr"}, -32600),
        ({"cwd": "nowhere"}, -32602),
        ({"permissions": ":danger-full-access"}, -32602),
        ({"config": {f"key{number}": 1 for number in range(200)}}, -32602),
        ({"modelProvider": "unheard"}, -32603),
    ],
)
def test_what_loosens_begins_nothing(tmp_path: Path, asked: dict[str, Any], code: int) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            with pytest.raises(AppError) as refused:
                await client.ask("thread/start", **asked)
            assert refused.value.code == code
            assert place.threads.ids == []

    run(work())


def test_a_thread_that_only_reads_cannot_write(tmp_path: Path) -> None:
    """Required: the policy of a thread is that of its commands; without it the same command does write."""
    writes = calls(command("echo run >> log; cat log"))

    async def work() -> None:
        async with app_place(tmp_path, writes, says("one"), writes, says("two")) as place:
            client = await place.client()
            (place.repo / "log").touch()
            await client.turn(await client.thread())
            assert (place.repo / "log").read_text() == "run\n"
            reads = asyncio.ensure_future(client.turn(await client.thread(sandbox="read-only")))
            client.answer(await client.question(), "decline")  # unanswered, the command would wait
            await reads
            assert (place.repo / "log").read_text() == "run\n"

    run(work())


@pytest.mark.parametrize(
    "asked",
    [
        {"sandbox": "workspace-write", "config": {}},
        {"config": {"features.apps": False, "mcp_servers": {}, "default_permissions": ":read-only"}},
        {"sandbox": "read-only", "approvalPolicy": "untrusted", "cwd": "."},
        {"personality": "friendly", "dynamicTools": [{"name": "x"}], "ephemeral": True},
    ],
)
def test_what_clients_of_the_lineage_send_is_taken(tmp_path: Path, asked: dict[str, Any]) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            opened = await client.ask("thread/start", **asked)
            assert opened["thread"]["ephemeral"] is bool(asked.get("ephemeral"))
            assert (opened["thread"]["path"] is None) is bool(asked.get("ephemeral"))

    run(work())


def test_which_model_and_how_hard_it_thinks_is_the_clients_to_choose(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            opened = await client.ask("thread/start", model="other", config={"model_reasoning_effort": "high"})
            assert (opened["model"], opened["reasoningEffort"]) == ("other", "high")
            await client.turn(opened["thread"]["id"])
            (asked,) = place.model.asked
            assert (asked.body["model"], asked.body["reasoning"]["effort"]) == ("other", "high")

    run(work())


def test_with_leave_a_client_may_loosen_and_work_elsewhere(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done"), loosening=True) as place:
            elsewhere = tmp_path / "elsewhere"
            elsewhere.mkdir()
            client = await place.client()
            opened = await client.ask(
                "thread/start", cwd=str(elsewhere), approvalPolicy="never", sandbox="danger-full-access"
            )
            assert (opened["cwd"], opened["sandbox"]) == (str(elsewhere), {"type": "dangerFullAccess"})
            assert opened["approvalPolicy"] == "never"

    run(work())


def test_a_thread_may_stand_below_the_server_and_where_the_user_trusts(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            below, trusted = place.repo / "below", tmp_path / "trusted"
            for each in (below, trusted):
                each.mkdir()
            (trusted / ".git").mkdir()
            (place.home / ".sandgate").mkdir(mode=0o700)
            (place.home / ".sandgate/config.toml").write_text(f'[projects."{trusted}"]\ntrust_level = "trusted"\n')
            for wanted in ("below", str(trusted)):
                opening = opening_of(place.threads.serving, {"cwd": wanted})
                assert opening.environment.cwd == os.path.join(place.repo, wanted)

    run(work())

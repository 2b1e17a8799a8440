"""The program of a server: nothing of it is left, whatever it does."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from sandgate.errors import ExternalServerFailed
from sandgate.external import stdio
from sandgate.external.server import ServerProgram
from sandgate.external.stdio import ProgramLink
from support.mcp.external_servers import STAGE
from support.process.loops import run
from support.process.waiting import ended, none_left_open, open_descriptors, wait_until

ENV = {"PATH": os.environ["PATH"]}


def link(*manner: str, kind: str = "stdio") -> ProgramLink:
    return ProgramLink(ServerProgram(sys.executable, (STAGE, kind, *manner)), ENV, "/tmp")


def numbers_in(note: Path) -> list[int]:
    wait_until(lambda: note.exists() and bool(note.read_text()))
    return [int(each) for each in note.read_text().split()]


def test_a_server_that_does_not_go_is_killed_with_all_it_has_started(tmp_path: Path) -> None:
    """Required: also what has left its session, and a server that ignores that its input is closed."""
    note = tmp_path / "note"

    async def work() -> None:
        async with link("stubborn", str(note)):
            await asyncio.to_thread(numbers_in, note)

    before = open_descriptors()
    run(work())
    assert [ended(pid) for pid in numbers_in(note)] == [True] * 3
    assert none_left_open(before)


def test_what_a_server_leaves_behind_when_it_goes_by_itself_is_ended_too(tmp_path: Path) -> None:
    note = tmp_path / "note"

    async def work() -> None:
        async with link("parent", str(note)):
            await asyncio.to_thread(numbers_in, note)

    run(work())
    assert ended(numbers_in(note)[0])


def test_a_server_is_ended_also_when_its_owner_is_cancelled_twice(tmp_path: Path) -> None:
    note = tmp_path / "note"

    async def work() -> None:
        inside = asyncio.Event()

        async def hold() -> None:
            async with link("mute", str(note)):
                inside.set()
                await asyncio.Event().wait()

        holding = asyncio.create_task(hold())
        await inside.wait()
        await asyncio.to_thread(numbers_in, note)
        holding.cancel()
        await asyncio.sleep(0)
        holding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await holding

    run(work())
    assert ended(numbers_in(note)[0])


def test_a_message_without_end_ends_the_connection_and_not_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Required."""
    monkeypatch.setattr(stdio, "MESSAGE_BYTES_MAX", 1 << 20)

    async def work() -> None:
        endless = link("endless")
        async with endless as (received, _to_send):
            assert [each async for each in received] == []
            assert endless.fault == "it sent a message of more than 1 MiB"

    run(work())


def test_a_server_that_asks_for_too_much_is_let_go() -> None:
    async def work() -> None:
        demanding = link("demanding")
        async with demanding as (received, _to_send):
            assert len([each async for each in received]) == stdio.ASKED_MAX
            assert "asked for more than" in demanding.fault

    run(work())


def test_the_last_words_of_a_program_are_kept_and_cannot_move_the_cursor() -> None:
    async def work() -> None:
        crash = link("crash")
        async with crash as (received, _to_send):
            assert [each async for each in received] == []
            assert await asyncio.to_thread(wait_until, lambda: crash.last_words.startswith("no licence"))
        assert crash.last_words == "no licence\\x1b[2J found"

    run(work())


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (ServerProgram("no-such\x1b[2J"), r"cannot start `no-such\\x1b\[2J`: ENOENT"),
        (ServerProgram(sys.executable, cwd="/nonexistent"), "cannot enter `/nonexistent`: ENOENT"),
    ],
)
def test_what_cannot_be_started_says_why_and_leaves_nothing(program: ServerProgram, said: str) -> None:
    async def work() -> None:
        with pytest.raises(ExternalServerFailed, match=said):
            await ProgramLink(program, ENV, "/tmp").__aenter__()

    before = open_descriptors()
    run(work())
    assert none_left_open(before)

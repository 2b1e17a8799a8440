"""The sessions of a program: found by id, ended one by one, gone on with, copied, and asked for whole turns."""

from __future__ import annotations

import asyncio
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from sandgate.agent.agent import AgentOptions, Agents
from sandgate.errors import SessionEnded, SessionNotFound
from sandgate.protocol.events import Failed, TaskComplete, TurnAborted, UserMessage
from sandgate.protocol.operations import ContextChange, Interrupt
from sandgate.runtime import Environment
from support.agent.agent_places import AgentPlace, calls, command, provider
from support.model.responses_server import LIMIT_S, Connection, ResponsesServer, says, stays_silent
from support.process.loops import run
from support.terminal.live_sessions import NOT_ALL_OF_TMP

pytestmark = pytest.mark.host("namespace", "notify")

WRITES = ("sandbox_mode=workspace-write", "approval_policy=never")


def agents_in(place: AgentPlace) -> Agents:
    return Agents(Environment(str(place.repo), place.env, (NOT_ALL_OF_TMP, *provider(place.url), *WRITES)))


def test_sessions_are_found_ended_gone_on_with_and_copied(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(says("ok")) as server:
            async with agents_in(AgentPlace(tmp_path, server.url)) as agents:
                first, second = await agents.open(AgentOptions()), await agents.open(AgentOptions())
                assert agents.living() == (first, second)
                assert agents.get(first.session_id) is first
                await first.turn("one")
                assert await agents.resume(first.session_id) is first  # it lives: the very same
                await agents.remove(first.session_id)
                assert (first.over, agents.living()) == (True, (second,))
                with pytest.raises(SessionNotFound):
                    agents.get(first.session_id)
                with pytest.raises(SessionNotFound):
                    await agents.remove(first.session_id)
                assert [each.id for each in (await agents.past()).items] == [first.session_id]
                again = await agents.resume(first.session_id)
                assert (again is first, again.session_id) == (False, first.session_id)
                copy = await agents.fork(first.session_id)
                assert copy.configured.forked_from_id == first.session_id
            assert [each.over for each in (second, again, copy)] == [True] * 3

    run(work())


def test_a_removed_session_takes_what_it_started_along(tmp_path: Path) -> None:
    async def work() -> None:
        lives = command("echo up; exec sleep 984", yield_time_ms=300)
        with ResponsesServer(calls(lives), says("ok")) as server:
            async with agents_in(AgentPlace(tmp_path, server.url)) as agents:
                agent = await agents.open(AgentOptions())
                await agent.turn("go")
                assert _sleeping()
                await agents.remove(agent.session_id)
                assert not _sleeping()

    run(work())


def test_a_turn_is_waited_for_to_its_end_whatever_that_is(tmp_path: Path) -> None:
    async def work() -> None:
        asked = Event()

        def silent(connection: Connection) -> None:
            asked.set()
            stays_silent(connection)

        with ResponsesServer(says("first"), says("second"), silent) as server:
            async with agents_in(AgentPlace(tmp_path, server.url)) as agents:
                agent = await agents.open(AgentOptions())
                ends = [await agent.turn("same"), await agent.turn("same")]
                assert [getattr(end, "last_agent_message", None) for end in ends] == ["first", "second"]
                assert isinstance(await agent.turn("go", ContextChange(model=" ")), Failed)
                async with asyncio.timeout(LIMIT_S):
                    waiting = asyncio.ensure_future(agent.turn("long"))
                    assert await asyncio.to_thread(asked.wait, LIMIT_S)
                    agent.submit(Interrupt())
                    assert isinstance(await waiting, TurnAborted)
                await agents.close()
                with pytest.raises(SessionEnded):
                    await agent.turn("late")

    run(work())


def test_what_is_said_during_a_turn_ends_with_that_turn(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(calls(command("sleep 0.3; echo one >> log")), says("done")) as server:
            async with agents_in(AgentPlace(tmp_path, server.url)) as agents:
                agent = await agents.open(AgentOptions())
                first = asyncio.ensure_future(agent.turn("first"))
                await _heard(agent)
                second = await agent.turn("meanwhile")
                assert isinstance(second, TaskComplete)
                assert second == await first

    run(work())


async def _heard(agent: Any) -> str:
    """What the person said, once it is part of the turn."""
    async for event in agent.events():
        if isinstance(event.msg, UserMessage) and event.msg.message == "first":
            return str(event.msg.message)
    return ""


def _sleeping() -> bool:
    return any(
        (place / "cmdline").read_bytes() == b"sleep\x00984\x00"
        for place in Path("/proc").iterdir()
        if place.name.isdecimal() and (place / "cmdline").exists()
    )

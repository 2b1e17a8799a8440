"""Events for watchers, each at a pace of its own."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from sandgate.errors import RequestError
from sandgate.protocol.events import (
    AgentMessageDelta,
    BackgroundEvent,
    Event,
    ExecCommandOutputDelta,
    McpToolCallEnd,
    SessionConfigured,
    ShutdownComplete,
)
from sandgate.session import event_log
from sandgate.session.event_log import EventLog
from support.agent.session_doubles import settled
from support.process.loops import run

if TYPE_CHECKING:
    from sandgate.protocol.events import EventMessage


def said(log: EventLog, *words: str) -> None:
    for word in words:
        log.emit("turn", BackgroundEvent(word))


async def seen(log: EventLog, after: int = 0) -> list[Event]:
    return [event async for event in log.after(after)]


def words(events: list[Event]) -> list[str]:
    return [event.msg.message for event in events if isinstance(event.msg, BackgroundEvent)]


def test_watchers_that_come_early_and_late_see_the_same_without_gaps() -> None:
    async def work() -> None:
        log = EventLog()
        early = asyncio.ensure_future(seen(log))
        await settled()
        said(log, "a", "b")
        await settled()
        said(log, "c")
        log.emit("", ShutdownComplete())
        late = await seen(log)
        assert [event.seq for event in late] == [0, 1, 2, 3]
        assert await early == late

    run(work())


def test_whoever_comes_back_sees_what_it_has_missed() -> None:
    async def work() -> None:
        log = EventLog()
        said(log, "a", "b", "c")
        log.emit("", ShutdownComplete())
        assert words(await seen(log, after=2)) == ["c"]

    run(work())


def test_events_told_while_others_are_looked_at_are_not_lost() -> None:
    async def work() -> None:
        log = EventLog()
        said(log, "a")
        found = []
        async for event in log.after():
            if isinstance(event.msg, BackgroundEvent):
                found.append(event.msg.message)
                if event.msg.message == "a":
                    said(log, "b")
                    log.emit("", ShutdownComplete())
        assert found == ["a", "b"]

    run(work())


def test_nothing_is_told_after_the_end() -> None:
    async def work() -> None:
        log = EventLog()
        log.emit("", ShutdownComplete())
        said(log, "late")
        assert words(await seen(log)) == []

    run(work())


def test_whoever_is_too_far_behind_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: a story with a hole in it must not look whole."""
    monkeypatch.setattr(event_log, "EVENTS_MAX", 3)

    async def work() -> None:
        log = EventLog()
        said(log, "a", "b", "c", "d")
        with pytest.raises(RequestError, match="number 0"):
            await seen(log)
        log.emit("", ShutdownComplete())
        assert words(await seen(log, after=2)) == ["c", "d"]

    run(work())


def test_output_that_is_kept_is_limited_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_log, "BYTES_MAX", 100)

    async def work() -> None:
        log = EventLog()
        for number in range(5):
            log.emit("turn", ExecCommandOutputDelta(str(number), b"x" * 40))
        log.emit("", ShutdownComplete())
        with pytest.raises(RequestError):
            await seen(log)
        assert len(await seen(log, after=3)) == 3

    run(work())


def nested(text: str, depth: int) -> list[object]:
    found: list[object] = [text]
    for _ in range(depth):
        found = [found]
    return found


@pytest.mark.parametrize(
    "message",
    [
        AgentMessageDelta("x" * 60),
        BackgroundEvent("x" * 60),
        McpToolCallEnd("c", "t", "server", "tool", 1, success=True, result={"content": nested("x" * 60, 50_000)}),
    ],
)
def test_what_a_provider_says_is_limited_like_output(monkeypatch: pytest.MonkeyPatch, message: EventMessage) -> None:
    """Required: 20,000 pieces of a megabyte each would be 20 GB, and nothing but the count would hold them back."""
    monkeypatch.setattr(event_log, "BYTES_MAX", 100)

    async def work() -> None:
        log = EventLog()
        log.emit("turn", message)
        log.emit("turn", message)
        log.emit("", ShutdownComplete())
        with pytest.raises(RequestError):
            await seen(log)
        assert len(await seen(log, after=1)) == 2

    run(work())


def test_the_events_of_an_earlier_session_do_not_push_out_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_log, "BYTES_MAX", 100)

    async def work() -> None:
        log = EventLog()
        earlier = ({"type": "warning", "message": "x" * 1000},)
        log.emit("", SessionConfigured("s", "m", "/", "never", {}, "p", initial_messages=earlier))
        said(log, "a")
        log.emit("", ShutdownComplete())
        assert words(await seen(log)) == ["a"]

    run(work())

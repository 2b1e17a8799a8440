"""One turn in a session; what it tells and how it is left. Signals: test_interruptions.py."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager

import pytest

from sandgate.protocol import events as told
from sandgate.protocol.operations import Compact, Shutdown
from sandgate.surfaces.cli import agent_turn
from sandgate.surfaces.cli.agent_turn import run_turn
from support.agent.agent_double import HANGS, AgentDouble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager
    from typing import Any

    from sandgate.protocol.events import Event

COMPLETE = told.TaskComplete("turn-1", 1, 1, "bye")


def opening(
    *story: Any, kind: type[AgentDouble] = AgentDouble
) -> Callable[[], AbstractAsyncContextManager[AgentDouble]]:
    @asynccontextmanager
    async def opened() -> AsyncIterator[AgentDouble]:
        yield kind(story)

    return opened


def quiet(_session: str) -> tuple[int, Callable[[Event], str]]:
    return 2, lambda _event: ""


class NeverEnds(AgentDouble):
    """A session that does not tell its end."""

    def submit(self, op: Any) -> str:
        return "turn-1" if isinstance(op, Shutdown) else super().submit(op)


def test_every_event_is_told_in_order_to_where_it_was_said() -> None:
    reader, writer = os.pipe()

    def tell_for(session: str) -> tuple[int, Callable[[Event], str]]:
        return writer, lambda event: f"{session} {type(event.msg).__name__}\n"

    ended = run_turn(opening(told.Warned("x"), COMPLETE), Compact(), tell_for)
    os.close(writer)
    with open(reader, encoding="utf-8") as written:
        names = [line.split()[1] for line in written]
    assert names == ["SessionConfigured", "TaskStarted", "Warned", "TaskComplete", "ShutdownComplete"]
    assert (ended.code, ended.outcome.last_message) == (0, "bye")


def test_a_session_that_does_not_end_is_left_after_a_while(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(agent_turn, "SHUTDOWN_WAIT_S", 0.05)
    ended = run_turn(opening(COMPLETE, kind=NeverEnds), Compact(), quiet)
    assert ended.code == 0
    assert "the session did not end within 0.05 s" in capfd.readouterr().err


def test_what_tells_may_fail_and_the_session_is_still_left() -> None:
    left: list[bool] = []

    @asynccontextmanager
    async def opened() -> AsyncIterator[AgentDouble]:
        try:
            yield AgentDouble((HANGS,))
        finally:
            left.append(True)

    def broken(_event: Event) -> str:
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        run_turn(opened, Compact(), lambda _session: (2, broken))
    assert left == [True]

"""A second session that does one thing: what is told of it, how it ends, and that it does end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from sandgate.errors import ModelFailed, SessionEnded
from sandgate.protocol.events import (
    AgentMessage,
    ExecCommandBegin,
    ExecCommandEnd,
    McpToolCallBegin,
    McpToolCallEnd,
    PatchApplyBegin,
    PatchApplyEnd,
    SandboxAssessment,
    ShutdownComplete,
    TurnDiff,
    Warned,
)
from sandgate.protocol.operations import Shutdown, TextInput, UserInput
from sandgate.protocol.risk import RiskAssessment
from sandgate.session import delegation
from sandgate.session.delegation import ENDS, Outcome, one_shot
from support.agent.session_doubles import ModelDouble, SessionDesk, ToolsDouble, calls, says, settled
from support.process.loops import run

if TYPE_CHECKING:
    from sandgate.protocol.events import EventMessage

WORK = UserInput((TextInput("work"),))
RISK = SandboxAssessment("q", "c", "success", RiskAssessment("Removes things.", "high"))
BEGIN = ExecCommandBegin("c", "t", ("ls",), "/")
END = ExecCommandEnd("c", "t", ("ls",), "/", "a", 0, 1, "a", "completed")
LAST: list[Any] = []  # the context of the last call


async def _tells_the_end(_tools: ToolsDouble) -> None:
    LAST.pop().tell(END)


class ChildOf:
    """The session of a desk, as another one sees it."""

    def __init__(self, desk: SessionDesk) -> None:
        self.session_id = "child"
        self.cannot_confine = ""
        self.submit = desk.session.submit
        self.events = desk.session.events


async def done(model: ModelDouble, tools: ToolsDouble | None = None, **settings: Any) -> tuple[Outcome, list[Any]]:
    told: list[EventMessage] = []
    async with SessionDesk(model, tools, **settings) as desk:
        outcome = await one_shot(ChildOf(desk), WORK, lambda message, _whose: told.append(message))
        await desk.until(ShutdownComplete)
        with pytest.raises(SessionEnded):
            desk.session.submit(WORK)
    return outcome, told


def test_the_last_words_are_the_result_and_earlier_ones_are_told() -> None:
    async def work() -> None:
        async def tool(_call: Any, context: Any) -> str:
            context.tell(BEGIN)
            context.tell(Warned("careful"))
            context.tell(TurnDiff("not told"))
            context.tell(RISK)
            context.tell(END)
            return "ok"

        model = ModelDouble([*says("first")[:1], *calls(("c", "tool"))], says("the result"))
        outcome, told = await done(model, ToolsDouble(tool=tool))
        assert outcome == Outcome("completed", "the result", tokens=20)
        deeds = [BEGIN, Warned("careful"), RISK, END]
        assert told in ([*deeds, AgentMessage("first")], [AgentMessage("first"), *deeds])

    run(work())


def test_what_began_and_has_no_end_of_its_own_is_told_to_have_ended() -> None:
    """Required: whoever waits for an end gets it, and once."""

    async def work() -> None:
        async def tool(_call: Any, context: Any) -> str:
            for begun in (BEGIN, PatchApplyBegin("p", "t", True, ()), McpToolCallBegin("m", "t", "s", "say")):
                context.tell(begun)
            return "ok"

        _, told = await done(ModelDouble(calls(("c", "tool")), says("it")), ToolsDouble(tool=tool))
        ends = [each for each in told if isinstance(each, ENDS)]
        assert [(type(each), each.call_id) for each in ends] == [
            (ExecCommandEnd, "c"),
            (PatchApplyEnd, "p"),
            (McpToolCallEnd, "m"),
        ]

    run(work())


def test_what_ends_with_the_session_has_its_own_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ToolsDouble, "close", _tells_the_end)

    async def work() -> None:
        async def tool(_call: Any, context: Any) -> str:
            context.tell(BEGIN)
            LAST.append(context)
            return "ok"

        _, told = await done(ModelDouble(calls(("c", "tool")), says("it")), ToolsDouble(tool=tool))
        assert told == [BEGIN, END]

    run(work())


def test_a_failure_and_a_spent_budget_are_results_too() -> None:
    async def work() -> None:
        outcome, _ = await done(ModelDouble([ModelFailed("no such model")]))
        assert (outcome.status, outcome.why) == ("failed", "no such model")

        async def tool(_call: Any, _context: Any) -> str:
            return "ok"

        outcome, _ = await done(ModelDouble(calls(("c", "tool"))), ToolsDouble(tool=tool), token_budget=1)
        assert outcome == Outcome("limit_reached", tokens=10)

    run(work())


def test_a_session_that_ends_under_it_is_an_interruption() -> None:
    async def work() -> None:
        model = ModelDouble([asyncio.Event()])
        async with SessionDesk(model) as desk:
            going = asyncio.ensure_future(one_shot(ChildOf(desk), WORK, lambda _message, _whose: None))
            await settled()
            desk.session.submit(Shutdown())
            assert await going == Outcome("interrupted")

    run(work())


def test_whoever_is_cancelled_ends_the_turn_of_the_session_first() -> None:
    async def work() -> None:
        async def hangs(_call: Any, _context: Any) -> str:
            await asyncio.Event().wait()
            return "never"

        model = ModelDouble(calls(("c", "hangs")))
        async with SessionDesk(model, ToolsDouble(hangs=hangs)) as desk:
            going = asyncio.ensure_future(one_shot(ChildOf(desk), WORK, lambda _message, _whose: None))
            await settled()
            going.cancel()
            with pytest.raises(asyncio.CancelledError):
                await going
            assert desk.tools.story == ["begin c", "cancel c"]
            assert desk.log.closed

    run(work())


def test_a_session_that_is_gone_already_does_not_hide_that_one_was_cancelled() -> None:
    async def work() -> None:
        model = ModelDouble([asyncio.Event()])
        async with SessionDesk(model) as desk:
            child = ChildOf(desk)
            going = asyncio.ensure_future(one_shot(child, WORK, lambda _message, _whose: None))
            await settled()

            def over(*_: object) -> str:
                raise SessionEnded("the session is over")

            child.submit = over  # type: ignore[assignment]
            going.cancel()
            desk.session.submit(Shutdown())
            with pytest.raises(asyncio.CancelledError):
                await going

    run(work())


def test_a_session_that_does_not_end_is_left_after_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delegation, "DRAIN_S", 0.01)

    async def work() -> None:
        async def clings(_call: Any, _context: Any) -> str:
            while not go.is_set():
                try:
                    await go.wait()
                except asyncio.CancelledError:
                    continue
            return "at last"

        go = asyncio.Event()
        async with SessionDesk(ModelDouble(calls(("c", "clings"))), ToolsDouble(clings=clings)) as desk:
            going = asyncio.ensure_future(one_shot(ChildOf(desk), WORK, lambda _message, _whose: None))
            await settled()
            going.cancel()
            with pytest.raises(asyncio.CancelledError):
                await going
            assert not desk.log.closed
            go.set()

    run(work())

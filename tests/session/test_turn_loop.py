"""When a turn goes on, and when it is over."""

from __future__ import annotations

from typing import Any

from sandgate.errors import ContextWindowExceeded
from sandgate.model.streaming import Completed, ItemDone
from sandgate.protocol.events import Failed, TaskComplete, TurnAborted
from sandgate.protocol.items import Reasoning
from sandgate.protocol.usage import TokenUsage
from support.agent.event_kinds import kinds, only
from support.agent.session_doubles import ModelDouble, SessionDesk, ToolsDouble, calls, completed, says
from support.process.loops import run


async def echo(_call: Any, _context: Any) -> str:
    return "answer"


def test_an_answer_without_calls_ends_the_turn_whatever_is_in_it() -> None:
    async def work() -> None:
        model = ModelDouble([ItemDone(Reasoning(("hm",))), completed()])
        async with SessionDesk(model) as desk:
            events = await desk.turn("hi")
            assert only(events, TaskComplete)[0].last_agent_message is None
            assert len(model.asked) == 1

    run(work())


def test_only_the_last_answer_gives_the_last_message() -> None:
    async def work() -> None:
        model = ModelDouble([*says("let me see")[:1], *calls(("c", "echo"))], [completed()])
        async with SessionDesk(model, ToolsDouble(echo=echo)) as desk:
            events = await desk.turn("hi")
            assert only(events, TaskComplete)[0].last_agent_message is None

    run(work())


def test_a_full_window_marks_the_gauge_and_the_session_goes_on() -> None:
    async def work() -> None:
        model = ModelDouble([ContextWindowExceeded("too long")], says("fine"))
        async with SessionDesk(model) as desk:
            assert only(await desk.turn("hi"), Failed)[0].code == "context_window_exceeded"
            assert desk.conversation.info is not None
            assert desk.conversation.info.total.total_tokens == desk.settings.model.context_window
            assert kinds(await desk.turn("hi"))[-1] == "TaskComplete"

    run(work())


def test_a_budget_counts_what_was_new_and_stops_before_the_next_request() -> None:
    async def work() -> None:
        cached = Completed("r", TokenUsage(input_tokens=90, cached_input_tokens=90, output_tokens=1, total_tokens=91))
        costly = [calls(("c", "echo"))[0], Completed("r", TokenUsage(input_tokens=10, total_tokens=10))]
        model = ModelDouble([calls(("c", "echo"))[0], cached], costly, says("never"))
        async with SessionDesk(model, ToolsDouble(echo=echo), token_budget=10) as desk:
            events = await desk.turn("hi")
            assert only(events, TurnAborted)[0].reason == "budget_limited"
            assert len(model.asked) == 2

    run(work())

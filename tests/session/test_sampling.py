"""One answer of a model and the calls in it, however it ends."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from sandgate.errors import ContextWindowExceeded, ModelFailed, StreamBroken, UsageLimitReached
from sandgate.model.streaming import ItemAdded, ItemDone, LimitsSeen, ReasoningDelta, Retrying, SectionBreak, TextDelta
from sandgate.protocol.events import (
    AgentMessageDelta,
    AgentReasoning,
    AgentReasoningDelta,
    Failed,
    ItemCompleted,
    ItemStarted,
    StreamError,
    TokenCount,
    TurnAborted,
    WebSearchEnd,
)
from sandgate.protocol.items import (
    CustomToolCall,
    FunctionCall,
    FunctionCallOutput,
    LocalShellCall,
    Message,
    OutputText,
    Reasoning,
    WebSearchCall,
)
from sandgate.protocol.operations import Interrupt
from sandgate.protocol.usage import RateLimit, RateLimits
from support.agent.event_kinds import kinds, only
from support.agent.session_doubles import ModelDouble, SessionDesk, ToolsDouble, calls, completed, says
from support.process.loops import run

if TYPE_CHECKING:
    from sandgate.model.streaming import ModelEvent


def call(call_id: str, name: str = "tool") -> ModelEvent:
    return ItemDone(FunctionCall(name, "{}", call_id))


def story(items: Any) -> list[tuple[str, str]]:
    """Calls and their answers, in the order in which they stand."""
    told = []
    for item in items:
        if isinstance(item, FunctionCall):
            told.append(("call", item.call_id))
        elif isinstance(item, FunctionCallOutput):
            told.append((str(item.output), item.call_id))
    return told


@pytest.mark.parametrize("problem", [ModelFailed("no"), ContextWindowExceeded("full"), UsageLimitReached("used up")])
def test_a_final_failure_lets_what_was_begun_end_and_the_next_turn_knows_of_it(problem: Exception) -> None:
    """Required: a side effect that happened is never told as aborted by somebody."""

    async def work() -> None:
        begun, go = asyncio.Event(), asyncio.Event()

        async def tool(_call: Any, _context: Any) -> str:
            begun.set()
            await go.wait()
            return "did it"

        model = ModelDouble([call("c1"), begun, problem], says("I see"))
        async with SessionDesk(model, ToolsDouble(tool=tool)) as desk:
            turn = asyncio.ensure_future(desk.turn("work"))
            await begun.wait()
            go.set()
            assert kinds(await turn)[-1] == "Failed"
            await desk.turn("and now?")
            assert story(model.asked[1].input) == [("call", "c1"), ("did it", "c1")]
            assert desk.tools.story == ["begin c1", "end c1"]

    run(work())


def test_every_break_is_counted_and_what_was_done_before_each_is_in_view() -> None:
    async def work() -> None:
        async def tool(call: Any, _context: Any) -> str:
            return f"answer {call.call_id}"

        broken = StreamBroken("it broke")
        model = ModelDouble([call("c1"), broken], [call("c2"), broken], says("done"))
        async with SessionDesk(model, ToolsDouble(tool=tool)) as desk:
            events = await desk.turn("work")
            assert [event.message for event in only(events, StreamError)] == [
                "Reconnecting... 1/5",
                "Reconnecting... 2/5",
            ]
            assert [story(asked.input) for asked in model.asked] == [
                [],
                [("call", "c1"), ("answer c1", "c1")],
                [("call", "c1"), ("answer c1", "c1"), ("call", "c2"), ("answer c2", "c2")],
            ]
            assert desk.tools.story == ["begin c1", "end c1", "begin c2", "end c2"]

    run(work())


def test_answers_stand_in_the_order_of_their_calls_and_not_of_their_ends() -> None:
    async def work() -> None:
        second = asyncio.Event()

        async def slow(_call: Any, _context: Any) -> str:
            await second.wait()
            return "slow"

        async def quick(_call: Any, _context: Any) -> str:
            second.set()
            return "quick"

        model = ModelDouble(calls(("a", "slow"), ("b", "quick")))
        async with SessionDesk(model, ToolsDouble(slow=slow, quick=quick)) as desk:
            await desk.turn("both")
            assert story(model.asked[1].input) == [("call", "a"), ("call", "b"), ("slow", "a"), ("quick", "b")]
            assert desk.tools.story == ["begin a", "begin b", "end b", "end a"]

    run(work())


def test_an_interrupt_keeps_what_was_complete_and_answers_the_rest() -> None:
    async def work() -> None:
        held, done = asyncio.Event(), asyncio.Event()

        async def hangs(_call: Any, _context: Any) -> str:
            held.set()
            await asyncio.Event().wait()
            return "never"

        async def quick(_call: Any, _context: Any) -> str:
            done.set()
            return "quick"

        model = ModelDouble([call("a", "quick"), done, call("b", "hangs"), held, asyncio.Event()], says("on"))
        async with SessionDesk(model, ToolsDouble(hangs=hangs, quick=quick)) as desk:
            desk.say("work")
            await held.wait()
            desk.session.submit(Interrupt())
            await desk.until(TurnAborted)
            await desk.turn("again")
            (_, _, (first, _), (second, _)) = story(model.asked[1].input)
            assert first == "quick"
            assert second.startswith("aborted by user after ")
            assert model.closed_early == 1

    run(work())


def test_what_the_model_says_of_itself_is_told_as_it_comes() -> None:
    async def work() -> None:
        limits = RateLimits(RateLimit(10.0))
        model = ModelDouble(
            [
                Retrying(1, 4, "503"),
                ReasoningDelta("hm"),
                ReasoningDelta("secret", raw=True),
                SectionBreak(),
                ItemDone(Reasoning(("I think",))),
                ItemDone(WebSearchCall({"query": "weather"}, id="ws")),
                TextDelta("he"),
                LimitsSeen(limits),
                ItemDone(Message("assistant", (OutputText("hello"),))),
                completed(),
            ]
        )
        async with SessionDesk(model) as desk:
            events = await desk.turn("hi")
            assert only(events, StreamError)[0].message == "Reconnecting... 1/4"
            assert [event.delta for event in only(events, AgentReasoningDelta)] == ["hm"]
            assert [event.text for event in only(events, AgentReasoning)] == ["I think"]
            assert only(events, WebSearchEnd) == [WebSearchEnd("ws", "weather")]
            assert only(events, AgentMessageDelta) == [AgentMessageDelta("he")]
            assert [count.rate_limits for count in only(events, TokenCount)] == [limits, limits]

    run(work())


def test_calls_of_other_kinds_are_answered_in_theirs_and_what_the_model_may_not_say_is_left_out() -> None:
    async def work() -> None:
        model = ModelDouble(
            [
                ItemDone(FunctionCallOutput("c1", "I answer myself")),
                ItemDone(CustomToolCall("tool", "text", "c2")),
                ItemDone(LocalShellCall("", "completed", {}, id="")),
                completed(),
            ]
        )
        async with SessionDesk(model) as desk:
            events = await desk.turn("hi")
            assert only(events, Failed) == []
            named = [(type(item).__name__, getattr(item, "output", "")) for item in model.asked[1].input[1:]]
            assert named == [
                ("CustomToolCall", ""),
                ("LocalShellCall", ""),
                ("CustomToolCallOutput", "unsupported call: tool"),
            ]

    run(work())


def test_an_item_begins_when_the_model_says_so_and_otherwise_when_it_is_complete() -> None:
    """Required: each with its end."""

    async def work() -> None:
        thought, answer = Reasoning(("hm",), id="r"), Message("assistant", (OutputText("yes"),), "m")
        model = ModelDouble(
            [ItemDone(thought), ItemAdded("message", "m"), TextDelta("yes"), ItemDone(answer), completed()]
        )
        async with SessionDesk(model) as desk:
            events = await desk.turn("well?")
            turn = only(events, ItemStarted)[0].turn_id
            told = [event.msg for event in events][4:]
            assert [each for each in told if isinstance(each, ItemStarted | ItemCompleted | AgentMessageDelta)] == [
                ItemStarted(turn, thought, "r"),
                ItemCompleted(turn, thought, "r"),
                ItemStarted(turn, Message("assistant", ()), "m"),
                AgentMessageDelta("yes"),
                ItemCompleted(turn, answer, "m"),
            ]

    run(work())

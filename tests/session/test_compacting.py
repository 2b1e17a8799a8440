"""A conversation that no longer fits: what is asked, what stays, and what happens when that does not help either."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sandgate.errors import ContextWindowExceeded, ModelFailed, RequestTurnedAway, StreamBroken
from sandgate.model.streaming import ItemDone
from sandgate.protocol.events import (
    BackgroundEvent,
    ContextCompacted,
    Failed,
    StreamError,
    TaskComplete,
    TaskStarted,
    TurnAborted,
    Warned,
)
from sandgate.protocol.items import (
    Compaction,
    FunctionCall,
    FunctionCallOutput,
    Message,
    OutputText,
    message_text,
    user_message,
)
from sandgate.protocol.operations import Compact, Interrupt
from sandgate.session.compaction import SUMMARY_PROMPT
from sandgate.session.history import History
from sandgate.session.synthetic_messages import SUMMARY_PREFIX
from sandgate.session.transcript import Kept
from sandgate.session.transcript_reader import read_transcript
from sandgate.session.transcript_writer import TranscriptWriter
from support.agent.event_kinds import kinds, only
from support.agent.session_doubles import ModelDouble, SessionDesk, ToolsDouble, calls, completed, says, settled
from support.agent.transcripts import meta
from support.process.loops import run


def texts(items: Any) -> list[str]:
    return [message_text(item) for item in items if isinstance(item, Message)]


def summarised(summary: str) -> str:
    return f"{SUMMARY_PREFIX}\n{summary}"


async def compacted(desk: SessionDesk) -> Any:
    name = desk.session.submit(Compact())
    events = await desk.until(TaskComplete, TurnAborted, Failed, turn=name)
    return [event for event in events if event.id == name]


async def echo(_call: Any, _context: Any) -> str:
    return "answer"


def test_the_whole_conversation_is_summarised_without_tools_and_what_the_person_said_stays() -> None:
    async def work() -> None:
        model = ModelDouble(says("hello"), says("the summary"), says("on"))
        async with SessionDesk(model, ToolsDouble(echo=echo)) as desk:
            await desk.turn("hi")
            events = await compacted(desk)
            asked = model.asked[1]
            assert texts(asked.input) == ["hi", "hello", SUMMARY_PROMPT]
            assert (asked.tools, model.by[1].delegate) == ((), "compact")
            assert texts(desk.history.items) == ["hi", summarised("the summary")]
            assert desk.transcript.compacted == [("the summary", desk.history.items)]
            assert kinds(events) == ["TaskStarted", "TokenCount", "ContextCompacted", "Warned", "TaskComplete"]
            await desk.turn("and?")
            assert texts(model.asked[2].input) == ["hi", summarised("the summary"), "and?"]

    run(work())


def test_a_second_summary_replaces_the_first_and_keeps_every_word_of_the_person() -> None:
    async def work() -> None:
        model = ModelDouble(says("a"), says("first"), says("b"), says("second"))
        async with SessionDesk(model) as desk:
            await desk.turn("one")
            await compacted(desk)
            await desk.turn("two")
            await compacted(desk)
            assert texts(desk.history.items) == ["one", "two", summarised("second")]

    run(work())


def test_a_window_that_is_too_small_loses_the_oldest_items_in_pairs_and_says_how_many() -> None:
    async def work() -> None:
        full = [ContextWindowExceeded("too long")]
        model = ModelDouble(calls(("c1", "echo")), says("hello"), full, full, says("short"))
        async with SessionDesk(model, ToolsDouble(echo=echo)) as desk:
            await desk.turn("hi")
            events = await compacted(desk)
            assert [len(asked.input) for asked in model.asked[2:]] == [5, 4, 2]  # the call goes with its answer
            assert [event.message for event in only(events, BackgroundEvent)] == [
                "Trimmed 2 older conversation item(s) before compacting so the prompt fits the model context window."
            ]
            assert texts(desk.history.items) == ["hi", summarised("short")]

    run(work())


def test_when_nothing_is_left_to_trim_the_turn_fails_and_the_history_stays() -> None:
    async def work() -> None:
        model = ModelDouble(says("hello"), *([ContextWindowExceeded("too long")] for _ in range(9)))
        async with SessionDesk(model) as desk:
            await desk.turn("hi")
            events = await compacted(desk)
            assert [each.code for each in only(events, Failed)] == ["context_window_exceeded"]
            assert len(model.asked) == 3
            assert texts(desk.history.items) == ["hi", "hello"]
            assert desk.transcript.compacted == []
            assert desk.conversation.info is not None
            assert desk.conversation.info.total.total_tokens == desk.settings.model.context_window

    run(work())


def test_an_interrupt_leaves_the_history_as_it_was() -> None:
    async def work() -> None:
        model = ModelDouble(says("hello"), [asyncio.Event()])
        async with SessionDesk(model) as desk:
            await desk.turn("hi")
            name = desk.session.submit(Compact())
            await desk.until(TaskStarted, turn=name)
            await settled()
            desk.session.submit(Interrupt())
            await desk.until(TurnAborted, turn=name)
            assert texts(desk.history.items)[:2] == ["hi", "hello"]
            assert desk.transcript.compacted == []
            assert model.closed_early == 1

    run(work())


def test_a_summary_that_breaks_off_is_asked_for_again_and_a_failure_ends_it() -> None:
    async def work() -> None:
        model = ModelDouble(says("hello"), [StreamBroken("cut")], says("fine"), [ModelFailed("no")])
        async with SessionDesk(model) as desk:
            await desk.turn("hi")
            events = await compacted(desk)
            assert [event.message for event in only(events, StreamError)] == ["Reconnecting... 1/5"]
            assert texts(desk.history.items) == ["hi", summarised("fine")]
            events = await compacted(desk)
            assert kinds(events) == ["TaskStarted", "Failed"]
            assert texts(desk.history.items) == ["hi", summarised("fine")]

    run(work())


def test_a_full_conversation_is_summarised_within_its_turn() -> None:
    """Required: one turn, one start; the surroundings stand before the last thing the person said."""

    async def work() -> None:
        model = ModelDouble(calls(("c1", "echo"), tokens=900), says("the summary"), says("done"))
        async with SessionDesk(model, ToolsDouble(echo=echo), compact_at_tokens=800) as desk:
            events = await desk.turn("work")
            assert len(only(events, TaskStarted)) == len(only(events, TaskComplete)) == 1
            assert len(only(events, ContextCompacted)) == 1
            assert any("summarised" in each.message for each in only(events, Warned))
            assert texts(model.asked[2].input) == ["initial", "work", summarised("the summary")]
            assert only(events, TaskComplete)[0].last_agent_message == "done"

    run(work())


def test_a_turn_that_begins_full_makes_room_first() -> None:
    async def work() -> None:
        model = ModelDouble(says("long", tokens=900), says("the summary"), says("ok"))
        async with SessionDesk(model, compact_at_tokens=800) as desk:
            first = await desk.turn("one")
            assert only(first, ContextCompacted) == []  # a turn that is over is not summarised
            await desk.turn("two")
            assert texts(model.asked[1].input)[-1] == SUMMARY_PROMPT
            assert "two" in texts(model.asked[2].input)[-1] + texts(model.asked[2].input)[-2]

    run(work())


def test_two_summaries_that_make_no_room_end_the_turn_and_name_size_and_limit() -> None:
    async def work() -> None:
        big = calls(("c1", "echo"), tokens=900)
        model = ModelDouble(big, says("s1"), calls(("c2", "echo"), tokens=901), says("s2"))
        async with SessionDesk(model, ToolsDouble(echo=echo), compact_at_tokens=800) as desk:
            events = await desk.turn("work")
            (failed,) = only(events, Failed)
            assert "800" in failed.message
            assert "90" in failed.message
            assert len(model.asked) == 3
            assert (await desk.turn("on"))[-1].id != events[-1].id  # the session goes on

    run(work())


def test_what_is_resumed_after_a_summary_is_asked_byte_for_byte(tmp_path: Path) -> None:
    async def work() -> None:
        writer = TranscriptWriter.new(str(tmp_path), meta())

        async def at_once(work: Any) -> None:
            work()

        model = ModelDouble(calls(("c1", "echo")), says("hello"), says("the summary"), says("on"), says("more"))
        desk = SessionDesk(model, ToolsDouble(echo=echo))
        desk.conversation.transcript = Kept(writer, at_once)
        async with desk:
            await desk.turn("hi")
            await compacted(desk)
            await desk.turn("and?")
            live = desk.history.for_prompt()
        read = read_transcript(writer.path)
        assert read.bad_count == 0
        assert History(read.items).for_prompt() == live
        assert len(live) == 4

    run(work())


def test_a_call_that_is_open_is_answered_in_what_is_summarised() -> None:
    async def work() -> None:
        model = ModelDouble(says("the summary"))
        async with SessionDesk(model) as desk:
            desk.conversation.record((user_message("hi"), FunctionCall("echo", "{}", "c1")))
            desk.conversation.record((Message("assistant", (OutputText("?"),)),))
            await compacted(desk)
            assert FunctionCallOutput("c1", "aborted") in model.asked[0].input

    run(work())


SEALED = Compaction("sealed")


def test_a_provider_that_makes_room_itself_is_asked_instead_of_the_model() -> None:
    async def work() -> None:
        remote = ModelDouble([ItemDone(user_message("forged")), ItemDone(SEALED), completed(7)])
        model = ModelDouble(says("hello"), says("on"))
        async with SessionDesk(model, remote=remote) as desk:
            await desk.turn("hi")
            events = await compacted(desk)
            assert texts(remote.asked[0].input) == ["hi", "hello"]
            assert (remote.asked[0].tools, remote.by[0].delegate) == ((), "compact")
            assert desk.history.items == (user_message("hi"), SEALED), "what was forged is left out"
            assert desk.transcript.compacted == [("", desk.history.items)]
            assert kinds(events) == ["TaskStarted", "TokenCount", "ContextCompacted", "Warned", "TaskComplete"]
            assert "only its own models" in only(events, Warned)[0].message
            await desk.turn("and?")
            assert model.asked[1].input == (user_message("hi"), SEALED, user_message("and?"))

    run(work())


@pytest.mark.parametrize(
    "answer",
    [
        [StreamBroken("cut")],
        [ContextWindowExceeded("too long")],
        [RequestTurnedAway("404")],
        [ItemDone(user_message("no seal")), completed()],
        [ItemDone(Compaction("")), completed()],
        [ItemDone(SEALED), ModelFailed("after all")],
    ],
)
def test_where_the_provider_fails_the_model_is_asked_and_that_is_said(answer: Any) -> None:
    async def work() -> None:
        model = ModelDouble(says("hello"), says("the summary"))
        async with SessionDesk(model, remote=ModelDouble(answer)) as desk:
            await desk.turn("hi")
            events = await compacted(desk)
            assert isinstance(events[-1].msg, TaskComplete)
            assert texts(desk.history.items) == ["hi", summarised("the summary")]
            assert SEALED not in desk.history.items
            assert "could not make room" in only(events, Warned)[0].message

    run(work())


def test_a_provider_that_refuses_is_not_asked_again_and_one_that_failed_is() -> None:
    async def work(first: Exception, asked: int) -> None:
        remote = ModelDouble([first], [first])
        async with SessionDesk(ModelDouble(says("hello"), says("one"), says("two")), remote=remote) as desk:
            await desk.turn("hi")
            await compacted(desk)
            await compacted(desk)
            assert len(remote.asked) == asked

    run(work(RequestTurnedAway("404"), 1))
    run(work(StreamBroken("cut"), 2))


def test_an_interrupt_while_the_provider_makes_room_leaves_the_conversation_as_it_was() -> None:
    async def work() -> None:
        remote = ModelDouble([asyncio.Event()])
        async with SessionDesk(ModelDouble(says("hello")), remote=remote) as desk:
            await desk.turn("hi")
            name = desk.session.submit(Compact())
            await settled()
            desk.session.submit(Interrupt())
            events = await desk.until(TurnAborted, TaskComplete, Failed, turn=name)
            assert isinstance(events[-1].msg, TurnAborted)
            assert (remote.closed_early, desk.transcript.compacted) == (1, [])
            assert texts(desk.history.items)[:2] == ["hi", "hello"]

    run(work())

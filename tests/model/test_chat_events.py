"""Pieces of a chat completion become whole items, or none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.errors import ModelError, ModelFailed, StreamBroken
from sandgate.model.chat_events import ChatEvents
from sandgate.model.streaming import Completed, Created, ItemAdded, ItemDone, ReasoningDelta, TextDelta
from sandgate.protocol.items import CustomToolCall, FunctionCall, Message, OutputText, Reasoning
from sandgate.protocol.usage import TokenUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.model.streaming import ModelEvent


def chunk(reason: str | None = None, **delta: Any) -> str:
    return json.dumps({"id": "c-1", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})


def call(index: int | None, *, call_id: str = "", name: str = "", arguments: str = "") -> dict[str, Any]:
    function = {"arguments": arguments, **({"name": name} if name else {})}
    where = {} if index is None else {"index": index}
    return {**where, **({"id": call_id} if call_id else {}), "type": "function", "function": function}


def read(*chunks: str, free_text: frozenset[str] = frozenset(), end: bool = False) -> list[ModelEvent]:
    reader = ChatEvents(free_text=free_text, new_id=lambda: "made-up")
    found = [event for each in chunks for event in reader.take(each)]
    return [*found, *reader.end()] if end else found


def test_text_and_thoughts_come_in_pieces_and_then_whole() -> None:
    counts = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
    parts = {"prompt_tokens_details": {"cached_tokens": 4}, "completion_tokens_details": {"reasoning_tokens": 2}}
    usage = json.dumps({"choices": [], "usage": counts | parts})
    chunks = (chunk(reasoning_content="hm"), chunk(content="h"), chunk(content="i"), chunk("stop"), usage, "[DONE]")
    assert read(*chunks) == [
        Created("c-1"),
        ReasoningDelta("hm", raw=True),
        ItemAdded("message", ""),
        TextDelta("h"),
        TextDelta("i"),
        ItemDone(Reasoning(content=("hm",))),
        ItemDone(Message("assistant", (OutputText("hi"),))),
        Completed("c-1", TokenUsage(9, 4, 3, 2, 12)),
    ]


@given(cuts=st.lists(st.integers(0, 40), max_size=6).map(sorted))
def test_arguments_of_several_calls_may_be_cut_anywhere_and_mixed(cuts: list[int]) -> None:
    first, second = '{"cmd": "echo ü"}', '{"input": "*** Begin"}'
    begun = chunk(tool_calls=[call(0, call_id="a", name="run"), call(1, call_id="b", name="apply_patch")])
    pieces = [
        chunk(tool_calls=[call(1, arguments=second[start:end]), call(0, arguments=first[start:end])])
        for start, end in zip([0, *cuts], [*cuts, 100], strict=True)
    ]
    found = read(begun, *pieces, chunk("tool_calls"), "[DONE]", free_text=frozenset({"apply_patch"}))
    assert found[1:3] == [
        ItemDone(FunctionCall("run", first, "a")),
        ItemDone(CustomToolCall("apply_patch", "*** Begin", "b")),
    ]
    assert isinstance(found[3], Completed)


def test_providers_without_indexes_or_ids_are_understood() -> None:
    pieces = [call(None, call_id="a", name="run", arguments="{}"), call(None, call_id="b", name="run", arguments="{")]
    more = [call(None, arguments="}")]
    found = read(chunk(tool_calls=pieces), chunk(tool_calls=more), chunk("tool_calls"))
    assert found[1:] == [ItemDone(FunctionCall("run", "{}", "a")), ItemDone(FunctionCall("run", "{}", "b"))]
    found = read(chunk(tool_calls=[call(0, name="run", arguments="{}")]), chunk("tool_calls"))
    assert found[1:] == [ItemDone(FunctionCall("run", "{}", "made-up"))]


def test_free_text_that_is_not_in_its_function_is_taken_as_it_is() -> None:
    found = read(
        chunk(tool_calls=[call(0, call_id="a", name="p", arguments="raw")]), chunk("stop"), free_text=frozenset({"p"})
    )
    assert found[1:] == [ItemDone(CustomToolCall("p", "raw", "a"))]


def test_an_answer_that_is_longer_than_was_asked_for_is_not_asked_for_again() -> None:
    with pytest.raises(ModelFailed, match="`model_max_output_tokens`"):
        ChatEvents(limited=True).take(chunk("length"))
    with pytest.raises(StreamBroken, match="content_filter"):
        ChatEvents(limited=True).take(chunk("content_filter"))


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_an_answer_that_is_cut_short_gives_no_call(reason: str) -> None:
    """Required: half a command may be another command."""
    with pytest.raises(StreamBroken, match=reason):
        read(chunk(tool_calls=[call(0, call_id="a", name="run", arguments='{"cmd": "rm -rf /tmp')]), chunk(reason))


def test_a_stream_that_ends_without_a_reason_is_broken_and_one_with_a_reason_is_not() -> None:
    with pytest.raises(StreamBroken):
        read(chunk(content="h"), end=True)
    with pytest.raises(StreamBroken):
        read(chunk(tool_calls=[call(0, call_id="a", name="run")]), "[DONE]")
    assert read(chunk("stop", content="h"), end=True)[-1] == Completed("c-1", None)


def test_an_error_inside_the_stream_is_one() -> None:
    with pytest.raises(ModelError, match="words"):
        read('{"error":{"message":"words"}}')


@given(st.text() | st.recursive(st.none() | st.text() | st.integers(), lambda inner: st.dictionaries(
    st.sampled_from(["choices", "delta", "tool_calls", "function", "usage", "id"]), inner) | st.lists(inner)
    ).map(json.dumps))  # fmt: skip
def test_nothing_that_is_sent_stops_the_reader(data: str) -> None:
    assert all(isinstance(event, Created | ItemAdded | TextDelta) for event in ChatEvents().take(data))

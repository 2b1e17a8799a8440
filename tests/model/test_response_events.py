"""What the events of a response mean, however they arrive."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.errors import ModelError, ModelFailed, StreamBroken
from sandgate.model.events import EventCutter
from sandgate.model.response_events import ResponseEvents
from sandgate.model.streaming import (
    Completed,
    Created,
    ItemAdded,
    ReasoningDelta,
    SectionBreak,
    TextDelta,
)
from sandgate.protocol.usage import TokenUsage
from support.model.responses_server import function_call, message, reasoning, sse, text_delta, turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from sandgate.model.streaming import ModelEvent

EVENTS = [
    text_delta("größer 漢字 🎈"),
    {"type": "response.unheard_of", "sequence_number": 3},
    *turn(reasoning("why", encrypted="x"), function_call("run", {"cmd": "echo ü"}), message("größer 漢字 🎈")),
]


def read(*events: object) -> list[ModelEvent]:
    reader = ResponseEvents()
    return [found for event in events for found in reader.take(json.dumps(event))]


def of_stream(pieces: Iterable[bytes]) -> list[ModelEvent]:
    cutter, reader = EventCutter(), ResponseEvents()
    data = [each for piece in pieces for each in cutter.feed(piece)]
    return [event for each in (*data, *cutter.end()) for event in reader.take(each)]


@given(
    cuts=st.lists(st.integers(0, 2000), max_size=30).map(sorted),
    line_end=st.sampled_from([b"\n", b"\r\n", b"\r"]),
)
def test_it_does_not_matter_where_the_network_cuts(cuts: list[int], line_end: bytes) -> None:
    stream = b"".join(map(sse, EVENTS)).replace(b"\n", line_end)
    ends = [*cuts, len(stream)]
    pieces = [stream[start:end] for start, end in zip([0, *cuts], ends, strict=True)]
    assert of_stream(pieces) == read(*EVENTS)
    assert len(read(*EVENTS)) == 6


@pytest.mark.parametrize(
    ("event", "found"),
    [
        ({"type": "response.created", "response": {"id": "r"}}, Created("r")),
        ({"type": "response.created"}, Created("")),
        ({"type": "response.output_item.added", "item": {"type": "web_search_call", "id": "w"}},
         ItemAdded("web_search_call", "w")),
        ({"type": "response.reasoning_summary_text.delta", "delta": "a"}, ReasoningDelta("a")),
        ({"type": "response.reasoning_text.delta", "delta": "a"}, ReasoningDelta("a", raw=True)),
        ({"type": "response.reasoning_summary_part.added"}, SectionBreak()),
        ({"type": "response.completed"}, Completed("", None)),
        ({"type": "response.completed", "response": {"id": "r", "output": [1], "usage": {
            "input_tokens": 9, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 3,
            "output_tokens_details": {"reasoning_tokens": 2}, "total_tokens": 12}}},
         Completed("r", TokenUsage(9, 4, 3, 2, 12))),
        ({"type": "response.completed", "response": {"id": "r", "usage": {
            "input_tokens": "9", "input_tokens_details": None, "output_tokens": -3, "total_tokens": True}}},
         Completed("r", TokenUsage())),
    ],
)  # fmt: skip
def test_an_event_says_one_thing(event: dict[str, Any], found: ModelEvent) -> None:
    assert read(event) == [found]


@pytest.mark.parametrize(
    "event",
    [
        {"type": "response.output_text.delta", "delta": 3},
        {"type": "response.output_text.delta"},
        {"type": "response.output_item.done", "item": {"type": "from_the_future"}},
        {"type": "response.output_item.done", "item": {"type": "function_call", "name": 3}},
        {"type": "response.in_progress"},
        {"type": ["response.completed"]},
        {"no": "type"},
        [1, 2],
        None,
    ],
)
def test_what_is_not_known_or_malformed_says_nothing(event: object) -> None:
    assert read(event) == []


@given(st.text() | st.recursive(st.none() | st.text() | st.integers(), st.lists).map(json.dumps))
def test_nothing_that_is_sent_stops_the_reader(data: str) -> None:
    assert ResponseEvents().take(data) == ()


@pytest.mark.parametrize(
    "event",
    [
        {"type": "response.failed"},
        {"type": "response.failed", "response": {"error": {"code": "x", "message": "words"}}},
        {"type": "error", "code": "x", "message": "words"},
        {"type": "error", "error": {"code": "x", "message": "words"}},
        {"type": "response.incomplete"},
    ],
)
def test_a_response_that_failed_is_an_error(event: dict[str, Any]) -> None:
    with pytest.raises(ModelError) as raised:
        read(event)
    assert raised.value.why in ("", "words")


def test_a_stream_that_just_ends_is_broken() -> None:
    with pytest.raises(StreamBroken, match=r"stream closed before response\.completed"):
        ResponseEvents().end()


def test_tokens_are_of_the_last_event() -> None:
    assert isinstance(read(*EVENTS)[-1], Completed)
    assert TextDelta("größer 漢字 🎈") in read(*EVENTS)


def test_an_answer_that_is_longer_than_was_asked_for_is_not_asked_for_again() -> None:
    event = {"type": "response.incomplete", "response": {"incomplete_details": {"reason": "max_output_tokens"}}}
    with pytest.raises(ModelFailed, match="`model_max_output_tokens`"):
        ResponseEvents(limited=True).take(json.dumps(event))
    with pytest.raises(StreamBroken):
        ResponseEvents().take(json.dumps(event))

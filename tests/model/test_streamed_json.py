"""Every event survives being written down."""

from __future__ import annotations

import json

import pytest

from sandgate.model.streamed_json import as_event, model_event_json
from sandgate.model.streaming import (
    Completed,
    Created,
    ItemAdded,
    ItemDone,
    LimitsSeen,
    ReasoningDelta,
    Retrying,
    SectionBreak,
    TextDelta,
)
from sandgate.protocol.items import Message, OutputText, Reasoning
from sandgate.protocol.usage import RateLimit, RateLimits, TokenUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.model.streaming import ModelEvent


@pytest.mark.parametrize(
    "event",
    [
        Created("r"),
        ItemAdded("message", "m"),
        ItemDone(Message("assistant", (OutputText("ü\n"),), id="m")),
        ItemDone(Reasoning(("s",), ("c",), "e", id="r")),
        TextDelta("a"),
        ReasoningDelta("a", raw=True),
        SectionBreak(),
        LimitsSeen(RateLimits(RateLimit(1.5, 300, 7), None)),
        Retrying(1, 5, "status 500"),
        Completed("r", TokenUsage(1, 2, 3, 4, 5)),
        Completed("r", None),
    ],
)
def test_an_event_is_read_back_as_it_was(event: ModelEvent) -> None:
    assert as_event(json.loads(json.dumps(model_event_json(event)))) == event


@pytest.mark.parametrize(
    "value",
    [
        3,
        {},
        {"type": "x"},
        {"type": "created"},
        {"type": "created", "response_id": "r", "more": 1},
        {"type": "item_done", "item": {}},
        {"type": "completed", "response_id": "r", "usage": {"no": 1}},
    ],
)
def test_anything_else_is_no_event(value: object) -> None:
    with pytest.raises(ValueError, match=r"event|item"):
        as_event(value)

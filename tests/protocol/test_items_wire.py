"""Items that are written and read are the same items, and the same bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.protocol.items import (
    Compaction,
    CustomToolCall,
    CustomToolCallOutput,
    FunctionCall,
    FunctionCallOutput,
    InputImage,
    InputText,
    LocalShellCall,
    Message,
    OutputText,
    Reasoning,
    WebSearchCall,
)
from sandgate.protocol.items_wire import as_item, item_json, kept_json

WORDS = st.text(max_size=12)
PARTS = st.one_of(st.builds(InputText, WORDS), st.builds(InputImage, WORDS), st.builds(OutputText, WORDS))
SEVERAL = st.lists(PARTS, max_size=3).map(tuple)
SAID = st.lists(WORDS, max_size=3).map(tuple)
ACTIONS = st.dictionaries(WORDS, st.one_of(WORDS, st.integers(), st.lists(WORDS, max_size=2)), max_size=3)
ROLES = st.sampled_from(("user", "assistant", "developer", "system"))
ITEMS = st.one_of(
    st.builds(Message, ROLES, SEVERAL, id=WORDS),
    st.builds(Reasoning, SAID, st.none() | SAID, st.none() | WORDS, id=WORDS),
    st.builds(FunctionCall, WORDS, WORDS, WORDS, id=WORDS),
    st.builds(FunctionCallOutput, WORDS, WORDS | SEVERAL),
    st.builds(CustomToolCall, WORDS, WORDS, WORDS, id=WORDS),
    st.builds(CustomToolCallOutput, WORDS, WORDS),
    st.builds(LocalShellCall, WORDS, WORDS, ACTIONS, id=WORDS),
    st.builds(WebSearchCall, st.none() | ACTIONS, WORDS, id=WORDS),
    st.builds(Compaction, WORDS, id=WORDS),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(("type", "role", "content", "text", "output", "call_id", "arguments", "summary", "action")),
            inner | st.sampled_from(("message", "function_call", "function_call_output", "reasoning", "input_text")),
            max_size=4,
        )
    ),
)


@given(ITEMS)
def test_what_is_kept_is_read_as_it_was(item: Any) -> None:
    assert as_item(json.loads(json.dumps(kept_json(item)))) == item


@given(ITEMS)
def test_what_was_kept_is_sent_byte_for_byte_as_before(item: Any) -> None:
    """Required: a resumed conversation is the one a provider has cached."""
    read = as_item(json.loads(json.dumps(kept_json(item))))
    assert read is not None
    assert json.dumps(item_json(read)) == json.dumps(item_json(item))


@given(ITEMS)
def test_a_request_has_no_ids_of_the_provider_and_no_thoughts_in_clear(item: Any) -> None:
    sent = item_json(item)
    assert "id" not in sent
    assert sent["type"] != "reasoning" or "content" not in sent


@given(JSON)
def test_whatever_stands_there_is_an_item_or_none(value: Any) -> None:
    item = as_item(value)
    assert item is None or as_item(kept_json(item)) == item


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"type": "ghost_snapshot"},
        {"type": ["message"]},
        {"type": "message", "role": "wizard", "content": []},
        {"type": "message", "role": "user", "content": [{"type": "audio"}]},
        {"type": "message", "role": "user"},
        {"type": "function_call", "name": "x", "arguments": {}, "call_id": "c"},
        {"type": "function_call", "name": "x", "arguments": "{}"},
        {"type": "local_shell_call", "call_id": "c"},
    ],
)
def test_what_we_do_not_know_is_none(value: Any) -> None:
    assert as_item(value) is None


def test_whether_a_call_succeeded_is_ours_alone() -> None:
    assert item_json(FunctionCallOutput("c", "x", success=True)) == item_json(FunctionCallOutput("c", "x"))

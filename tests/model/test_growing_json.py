"""Whatever a conversation becomes, its JSON is what it would be if it were made anew."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.model import growing_json
from sandgate.model.exchange import request_json
from sandgate.model.growing_json import GrowingJson
from sandgate.model.prompt import Asking, ModelSettings, Prompt
from sandgate.model.responses import SAID, request_body, request_content
from sandgate.protocol.items import FunctionCall, FunctionCallOutput, user_message
from sandgate.protocol.items_wire import item_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.items import Item

POOL = (
    user_message("hi"),
    user_message('quoted "text", größer \ud83c and \x00'),
    FunctionCall("run", '{"a": 1}', "c1"),
    FunctionCallOutput("c1", "done"),
    FunctionCallOutput("c1", "done"),  # equal to the one before, and another
)
CONVERSATIONS = st.lists(st.lists(st.sampled_from(POOL), max_size=6).map(tuple), max_size=6)


@given(CONVERSATIONS)
def test_growing_shrinking_and_changing_give_the_json_of_the_whole(conversations: list[tuple[Item, ...]]) -> None:
    """Required."""
    growing = GrowingJson()
    for items in conversations:
        assert growing.json(items) == b"[" + b",".join(request_json(item_json(item)) for item in items) + b"]"


def test_what_was_there_is_not_encoded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: otherwise a session of a thousand calls costs a million items."""
    made: list[object] = []

    def counted(item: Item) -> object:
        made.append(item)
        return item_json(item)

    monkeypatch.setattr(growing_json, "item_json", counted)
    growing = GrowingJson()
    for length in (2, 3, 3, 5):
        growing.json(POOL[:length])
    assert made == list(POOL)


def test_a_request_is_the_json_of_its_parts() -> None:
    prompt = Prompt("Be `brief`, größer.", POOL, tools=({"type": "function", "name": "run"},))
    body = request_body(prompt, ModelSettings("small", effort="low"), Asking("s"))
    sent = request_content(body, GrowingJson().json(prompt.input))
    whole = {key: [item_json(item) for item in POOL] if value is SAID else value for key, value in body.items()}
    assert json.loads(sent) == json.loads(request_json(whole))
    assert list(json.loads(sent)) == list(whole)

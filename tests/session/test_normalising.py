"""Conversations as they may come out of torn transcripts and ended turns, and what a provider is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.protocol.items import (
    CustomToolCall,
    CustomToolCallOutput,
    FunctionCall,
    FunctionCallOutput,
    LocalShellCall,
    Reasoning,
    WebSearchCall,
    user_message,
)
from sandgate.session.normalising import ABORTED, Normalised, answer_key, normalised, pairing_key, partner

if TYPE_CHECKING:
    from sandgate.protocol.items import Item

SAID = user_message("go on")


def call(call_id: str) -> FunctionCall:
    return FunctionCall("exec_command", "{}", call_id)


def out(call_id: str, output: str = "done") -> FunctionCallOutput:
    return FunctionCallOutput(call_id, output)


def custom(call_id: str) -> CustomToolCall:
    return CustomToolCall("apply_patch", "*** Begin Patch", call_id)


def custom_out(call_id: str, output: str = "done") -> CustomToolCallOutput:
    return CustomToolCallOutput(call_id, output)


def shell(call_id: str, own: str = "") -> LocalShellCall:
    return LocalShellCall(call_id, "completed", {"type": "exec"}, id=own)


IDS = st.sampled_from(["", "a", "b", "c"])
ITEMS = st.lists(
    st.one_of(
        st.builds(call, IDS),
        st.builds(out, IDS),
        st.builds(custom, IDS),
        st.builds(custom_out, IDS),
        st.builds(shell, IDS, IDS),
        st.just(SAID),
        st.just(Reasoning(("thinking",))),
        st.just(WebSearchCall()),
    ),
    max_size=14,
)


@pytest.mark.parametrize(
    ("given_items", "sent"),
    [
        ([call("a"), SAID], [call("a"), out("a", ABORTED), SAID]),
        ([custom("a"), SAID], [custom("a"), custom_out("a", ABORTED), SAID]),
        ([shell("a"), SAID], [shell("a"), out("a", ABORTED), SAID]),
        ([shell("", "own"), SAID], [shell("", "own"), out("own", ABORTED), SAID]),
        ([shell(""), SAID], [shell(""), SAID]),
        ([out("a"), custom_out("b"), SAID], [SAID]),
        ([call("a"), custom_out("a")], [call("a"), out("a", ABORTED)]),
        ([out("a"), call("a")], [call("a"), out("a", ABORTED)]),
        ([call("a"), out("a"), out("a", "again")], [call("a"), out("a")]),
        ([call("a"), SAID, call("a"), out("a")], [call("a"), out("a", ABORTED), SAID, call("a"), out("a")]),
        (
            [call("a"), custom("b"), shell("c"), out("x"), out("a"), SAID],
            [call("a"), custom("b"), custom_out("b", ABORTED), shell("c"), out("c", ABORTED), out("a"), SAID],
        ),
    ],
)
def test_missing_answers_are_made_up_behind_their_call_and_answers_to_nothing_left_out(
    given_items: list[Item], sent: list[Item]
) -> None:
    """Required: that an answer counts only behind its call is our choice."""
    assert normalised(given_items).items == tuple(sent)


def test_calls_of_one_response_may_be_answered_after_all_of_them() -> None:
    """Required: the order that B169 sends, call a, call b, output a, output b, is in order."""
    items = (call("a"), custom("b"), out("a"), custom_out("b"))
    assert normalised(items) == Normalised(items, 0, 0)


@given(ITEMS)
def test_whatever_was_recorded_every_call_is_answered_and_every_answer_has_its_call(items: list[Item]) -> None:
    done = normalised(items)
    open_calls: dict[object, int] = {}
    for item in done.items:
        if (key := pairing_key(item)) is not None:
            open_calls[key] = open_calls.get(key, 0) + 1
        elif (key := answer_key(item)) is not None:
            assert open_calls.get(key, 0) > 0, item
            open_calls[key] -= 1
    assert not any(open_calls.values())
    assert len(done.items) == len(items) + done.added - done.dropped


@given(ITEMS)
def test_normalising_again_changes_nothing(items: list[Item]) -> None:
    once = normalised(items).items
    assert normalised(once) == Normalised(once, 0, 0)


@given(ITEMS)
def test_nothing_but_answers_comes_or_goes_and_the_order_stays(items: list[Item]) -> None:
    def others(all_items: list[Item]) -> list[Item]:
        return [item for item in all_items if answer_key(item) is None]

    assert others(list(normalised(items).items)) == others(items)


@given(ITEMS)
def test_a_made_up_answer_stands_directly_behind_its_call(items: list[Item]) -> None:
    sent = normalised(items).items
    for place, item in enumerate(sent):
        if isinstance(item, FunctionCallOutput | CustomToolCallOutput) and item.output == ABORTED:
            assert pairing_key(sent[place - 1]) == answer_key(item)


@pytest.mark.parametrize(
    ("items", "place"),
    [
        ([call("a"), SAID, out("a")], 2),
        ([custom("a"), out("a"), custom_out("a")], 2),
        ([shell("", "own"), out("own")], 1),
        ([call("a"), call("a"), out("a"), out("a", "of the first")], 3),
        ([call("a"), SAID], None),
        ([shell(""), out("")], None),
        ([SAID, call("a"), out("a")], None),
    ],
)
def test_the_answer_to_the_first_item_is_found(items: list[Item], place: int | None) -> None:
    assert partner(items) == place

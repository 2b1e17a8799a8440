"""A conversation while it grows: what is kept, what is sent, what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from sandgate.protocol.items import (
    CustomToolCallOutput,
    FunctionCall,
    FunctionCallOutput,
    InputText,
    LocalShellCall,
    Message,
    Reasoning,
    user_message,
)
from sandgate.protocol.usage import TokenUsage
from sandgate.session.history import History
from sandgate.session.normalising import ABORTED, normalised, partner
from sandgate.session.tokens import estimated_tokens
from sandgate.tools.truncation import TruncationPolicy

if TYPE_CHECKING:
    from sandgate.protocol.items import Item

SAID = user_message("make it green")
CALL, ANSWER = FunctionCall("exec_command", "{}", "a"), FunctionCallOutput("a", "done")
SYSTEM = Message("system", (InputText("obey"),))
IDS = st.sampled_from(["a", "b"])
ITEMS = st.lists(
    st.one_of(
        st.builds(FunctionCall, st.just("t"), st.just("{}"), IDS),
        st.builds(FunctionCallOutput, IDS, st.just("done")),
        st.builds(LocalShellCall, st.just(""), st.just(""), st.just({}), IDS),
        st.just(SAID),
        st.just(Reasoning(("hm",))),
    ),
    max_size=12,
)


def test_a_system_message_is_not_kept_and_a_thought_is() -> None:
    """Required: a conversation keeps thoughts for later turns too."""
    history = History()
    recorded = history.record([SYSTEM, Reasoning(("hm",)), SAID])
    assert recorded == history.items == history.for_prompt() == (Reasoning(("hm",)), SAID)


def test_an_answer_is_cut_when_it_is_recorded_and_what_was_recorded_is_told() -> None:
    """Required: the budget of the turn and a fifth, without a header."""
    history = History(cut=TruncationPolicy("bytes", 10))
    recorded = history.record([CALL, FunctionCallOutput("a", "0123456789ab"), SAID])
    assert recorded == (CALL, FunctionCallOutput("a", "0123456789ab"), SAID)
    (cut,) = history.record([CALL, CustomToolCallOutput("x", "no call"), FunctionCallOutput("a", "0123456789abc")])[1:]
    assert cut == FunctionCallOutput("a", "012345…1 chars truncated…789abc")
    assert history.items[-1] == cut


def test_replacing_does_not_cut_again() -> None:
    """Required: what is kept was cut when it was first recorded."""
    items = (CALL, FunctionCallOutput("a", "0123456789" * 9))
    history = History([SAID], TruncationPolicy("bytes", 10))
    history.replace(items)
    assert history.for_prompt() == items
    assert History(items, TruncationPolicy("bytes", 10)).for_prompt() == items


def test_an_open_call_is_aborted_in_the_prompt_and_its_own_answer_still_counts() -> None:
    """Our choice: a prompt made while a tool runs does not turn the tool's answer away."""
    history = History([SAID, CALL])
    assert history.for_prompt() == (SAID, CALL, FunctionCallOutput("a", ABORTED))
    assert history.for_prompt() == (SAID, CALL, FunctionCallOutput("a", ABORTED))
    assert history.repaired == 1
    history.record([ANSWER])
    assert history.for_prompt() == (SAID, CALL, ANSWER)
    assert history.repaired == 1


def test_an_answer_to_nothing_is_not_recorded_and_counted() -> None:
    history = History([ANSWER, SAID])
    assert history.record([ANSWER]) == ()
    assert (history.for_prompt(), history.repaired) == ((SAID,), 2)


@given(ITEMS, st.integers(0, 12))
def test_a_prompt_is_the_normalised_conversation_however_it_was_recorded(items: list[Item], at: int) -> None:
    """Required: a resumed session sends what the live one would have sent."""
    live = History()
    for item in items[:at]:
        live.record([item])
        live.for_prompt()
    live.record(items[at:])
    expected = normalised(items)
    assert live.for_prompt() == expected.items
    assert History(items).for_prompt() == History(live.items).for_prompt() == expected.items


@given(ITEMS)
def test_repairs_are_counted_once_each(items: list[Item]) -> None:
    history = History(items)
    expected = normalised(items)
    for _ in range(2):
        history.for_prompt()
    assert history.repaired == expected.added + expected.dropped


@given(ITEMS)
def test_removing_the_first_takes_its_answer_along_until_nothing_is_left(items: list[Item]) -> None:
    """Required: a shortened prompt needs no repair that it did not need before."""
    history = History(items)
    while before := history.items:
        open_before, repaired = normalised(before).added, history.repaired
        taken = (0, partner(before))
        assert history.remove_first()
        assert history.items == tuple(item for place, item in enumerate(before) if place not in taken)
        after = normalised(history.items)
        assert (after.dropped, history.repaired) == (0, repaired)
        assert after.added <= open_before
    assert not history.remove_first()


def test_removing_a_call_removes_its_answer() -> None:
    history = History([CALL, SAID, ANSWER])
    assert history.remove_first()
    assert history.items == (SAID,)


def test_the_gauge_counts_what_was_recorded_since_the_last_response() -> None:
    """Required: this counts items the provider has not counted yet."""
    usage = TokenUsage(input_tokens=900, output_tokens=100, reasoning_output_tokens=40, total_tokens=1000)
    history = History()
    history.record([SAID, CALL])
    history.responded()
    assert history.in_window(usage) == 960
    history.record([FunctionCallOutput("a", "x" * 400)])
    assert history.in_window(usage) == 1060


def test_after_a_replacement_only_the_estimate_counts() -> None:
    """Required: the usage of a conversation that is gone says nothing about the one that took its place."""
    usage = TokenUsage(total_tokens=100_000)
    history = History()
    history.record([SAID])
    history.responded()
    history.replace([SAID, SAID])
    assert history.in_window(usage) == estimated_tokens([SAID, SAID])
    history.responded()
    assert history.in_window(usage) == 100_000

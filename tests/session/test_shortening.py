"""What is left of an answer that is longer than the model is to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.protocol.items import (
    CustomToolCallOutput,
    FunctionCallOutput,
    InputImage,
    InputText,
    OutputText,
)
from sandgate.session.shortening import shortened
from sandgate.tools.truncation import TruncationPolicy

if TYPE_CHECKING:
    from sandgate.protocol.items import CallOutput, Part

PICTURE = InputImage("data:image/png;base64," + "A" * 500)
TEN_BYTES, TEN_TOKENS = TruncationPolicy("bytes", 10), TruncationPolicy("tokens", 10)


@pytest.mark.parametrize(
    ("answer", "policy"),
    [
        (FunctionCallOutput("a", "0123456789ab"), TEN_BYTES),
        (FunctionCallOutput("a", "x" * 48), TEN_TOKENS),
        (CustomToolCallOutput("a", "0123456789ab"), TEN_BYTES),
        (FunctionCallOutput("a", (InputText("01234567"), PICTURE, OutputText("89ab"))), TEN_BYTES),
        (FunctionCallOutput("a", ()), TEN_BYTES),
    ],
)
def test_what_fits_the_budget_and_a_fifth_is_left_alone(answer: CallOutput, policy: TruncationPolicy) -> None:
    assert shortened(answer, policy) is answer


def test_how_a_call_went_is_kept_when_its_answer_is_cut() -> None:
    cut = shortened(CustomToolCallOutput("a", "0123456789abc", success=False), TEN_BYTES)
    assert cut == CustomToolCallOutput("a", "012345…1 chars truncated…789abc", success=False)


def test_texts_share_one_budget_and_pictures_are_kept() -> None:
    """Required."""
    parts: tuple[Part, ...] = (
        InputText("0123456789"),
        PICTURE,
        OutputText("abcdef"),
        InputText("g"),
        PICTURE,
        InputText("h"),
    )
    assert shortened(FunctionCallOutput("a", parts), TEN_BYTES) == FunctionCallOutput(
        "a",
        (
            InputText("0123456789"),
            PICTURE,
            OutputText("a…4 chars truncated…f"),
            PICTURE,
            InputText("[omitted 2 text items ...]"),
        ),
    )


def test_tokens_are_charged_whole() -> None:
    """Required: a text of five bytes costs two tokens."""
    parts = tuple(InputText("12345") for _ in range(7))
    kept = shortened(FunctionCallOutput("a", parts), TEN_TOKENS)
    assert kept.output == (*parts[:6], InputText("[omitted 1 text items ...]"))


@given(st.lists(st.text(st.sampled_from("aé😀\n\ud800"), max_size=30)), st.integers(-1, 40))
def test_however_many_texts_there_are_their_sum_stays_within_the_budget(texts: list[str], amount: int) -> None:
    answer = FunctionCallOutput("a", tuple(map(InputText, texts)))
    kept = shortened(answer, TruncationPolicy("bytes", amount)).output
    assert not isinstance(kept, str)
    size = sum(len(part.text.encode("utf-8", "surrogatepass")) for part in kept if not isinstance(part, InputImage))
    said_about_it = len("…999 chars truncated…".encode()) + len("[omitted 999 text items ...]")
    assert size <= max(0, amount) * 6 // 5 + said_about_it

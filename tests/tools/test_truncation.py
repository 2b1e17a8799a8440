from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.tools.truncation import (
    TruncationPolicy,
    answer_policy,
    cut,
    header_form,
    line_count,
    token_estimate,
    unified_form,
)

TEXT = st.text(st.characters(exclude_categories=()) | st.sampled_from("é…😀\n"), max_size=60)
POLICY = st.builds(TruncationPolicy, st.sampled_from(["bytes", "tokens"]), st.integers(-2, 80))


def in_bytes(amount: int) -> TruncationPolicy:
    return TruncationPolicy("bytes", amount)


def in_tokens(amount: int) -> TruncationPolicy:
    return TruncationPolicy("tokens", amount)


@pytest.mark.parametrize(
    ("text", "policy", "seen"),
    [
        ("abcdefghijklmnop", in_tokens(2), "abcd…2 tokens truncated…mnop"),
        ("abcdefghijklmnop", in_bytes(8), "abcd…8 chars truncated…mnop"),
        ("ééééé", in_bytes(5), "é…3 chars truncated…é"),
        ("ééééé", in_tokens(1), "é…2 tokens truncated…é"),
        ("", in_bytes(0), ""),
        ("", in_tokens(5), ""),
        ("exact fit", in_bytes(9), "exact fit"),
        ("one over!", in_bytes(8), "one …1 chars truncated…ver!"),
        ("abc", in_bytes(0), "…3 chars truncated…"),
        ("abcde", in_tokens(0), "…2 tokens truncated…"),
        ("abc", in_bytes(-3), "…3 chars truncated…"),
        ("abc", in_bytes(1), "…2 chars truncated…c"),
        ("😀😀", in_bytes(7), "…1 chars truncated…😀"),
        ("😀😀", in_bytes(3), "…2 chars truncated…"),
        ("a\nb\nc\nd\n", in_bytes(4), "a\n…4 chars truncated…d\n"),
    ],
)
def test_the_middle_is_cut(text: str, policy: TruncationPolicy, seen: str) -> None:
    """Required: half to the beginning, the rest to the end, the mark between them not charged; and the edges."""
    assert cut(text, policy) == seen


@given(TEXT, POLICY)
def test_a_cut_keeps_whole_characters_of_both_ends_within_the_budget(text: str, policy: TruncationPolicy) -> None:
    seen = cut(text, policy)
    size = len(text.encode("utf-8", "surrogatepass"))
    if size <= policy.byte_budget:
        assert seen == text
        return
    number = token_estimate(size - policy.byte_budget) if policy.unit == "tokens" else None
    heads = (at for at in range(len(text) + 1) if seen.startswith(f"{text[:at]}…"))
    head = next(at for at in heads if _continues(seen[at:], text, at, number))
    tail = seen[head:].rpartition(" truncated…")[2]
    assert text.endswith(tail)
    assert len((text[:head] + tail).encode("utf-8", "surrogatepass")) <= policy.byte_budget
    assert head + len(tail) < len(text)
    assert policy.byte_budget - len((text[:head] + tail).encode("utf-8", "surrogatepass")) <= 6


def _continues(rest: str, text: str, head: int, number: int | None) -> bool:
    """Whether `rest` is a marker with the right number, and the end of `text`."""
    for tail in range(len(text) - head + 1):
        end = text[len(text) - tail :]
        said = f"{len(text) - head - tail} chars" if number is None else f"{number} tokens"
        if rest == f"…{said} truncated…{end}":
            return True
    return False


@pytest.mark.parametrize(
    ("size_bytes", "count"), [(0, 0), (1, 1), (4, 1), (5, 2), (124, 31), (1_048_576, 262_144), (1_048_577, 262_145)]
)
def test_a_token_is_four_bytes_rounded_up(size_bytes: int, count: int) -> None:
    assert token_estimate(size_bytes) == count


def test_budgets_convert_between_bytes_and_tokens() -> None:
    assert (in_bytes(10).byte_budget, in_bytes(10).token_budget) == (10, 3)
    assert (in_tokens(10).byte_budget, in_tokens(10).token_budget) == (40, 10)


@pytest.mark.parametrize(
    ("asked", "turn", "applied"),
    [
        (10_000, in_tokens(10_000), in_tokens(10_000)),
        (70_000, in_tokens(50), in_tokens(50)),
        (70_000, in_bytes(10_000), in_bytes(10_000)),
        (6, in_bytes(10_000), in_tokens(6)),
        (2_500, in_bytes(10_000), in_tokens(2_500)),
        (0, in_bytes(10_000), in_tokens(0)),
    ],
)
def test_the_smaller_budget_counts_in_its_own_unit(
    asked: int, turn: TruncationPolicy, applied: TruncationPolicy
) -> None:
    """Required: the smaller of the two budgets holds, in its own unit."""
    assert answer_policy(asked, turn) == applied


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("\n", 1), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n\n", 2), ("a\r\nb\rc", 2)]
)
def test_a_newline_at_the_end_begins_no_line(text: str, count: int) -> None:
    assert line_count(text) == count


def test_the_header_says_how_much_there_was() -> None:
    text = "".join(f"line {number}\n" for number in range(100))
    assert header_form(text, in_tokens(4)) == (
        "Warning: truncated output (original token count: 198)\nTotal output lines: 100\n\n"
        "line 0\nl…194 tokens truncated…line 99\n"
    )
    assert header_form(text, in_bytes(790)) == text


def test_a_lost_middle_is_said_on_top_and_at_its_place() -> None:
    """Required: the line on top is the wire's; ours, at the gap, shows where something is missing."""
    assert unified_form("head\ntail\n", in_tokens(10), omitted_bytes=1000, gap_at=5) == (
        "Warning: truncated output (original token count: 253)\n... 1000 bytes omitted ...\n\n"
        "head\n... 1000 bytes omitted ...\ntail\n"
    )


@pytest.mark.parametrize(
    ("gap_at", "seen"),
    [
        (0, "... 9 bytes omitted ...\nabcd…2 tokens truncated…mnop"),
        (2, "ab\n... 9 bytes omitted ...\ncd…2 tokens truncated…mnop"),
        (4, "abcd\n... 9 bytes omitted ...\n…2 tokens truncated…mnop"),
        (8, "abcd…2 tokens truncated…\n... 9 bytes omitted ...\nmnop"),
        (14, "abcd…2 tokens truncated…mn\n... 9 bytes omitted ...\nop"),
        (16, "abcd…2 tokens truncated…mnop\n... 9 bytes omitted ...\n"),
        (99, "abcd…2 tokens truncated…mnop\n... 9 bytes omitted ...\n"),
    ],
)
def test_a_gap_keeps_its_place_when_the_text_is_cut_as_well(gap_at: int, seen: str) -> None:
    text = unified_form("abcdefghijklmnop", in_tokens(2), omitted_bytes=9, gap_at=gap_at)
    assert text.partition("\n\n")[2] == seen


def test_without_a_loss_the_unified_form_is_the_header_form() -> None:
    assert unified_form("abc", in_tokens(10)) == "abc"
    assert unified_form("abc" * 9, in_tokens(1)) == header_form("abc" * 9, in_tokens(1))


@given(TEXT, POLICY, st.integers(1, 10**9), st.integers(0, 70))
def test_a_loss_is_always_said_twice(text: str, policy: TruncationPolicy, omitted: int, gap_at: int) -> None:
    line = f"... {omitted} bytes omitted ..."
    assert unified_form(text, policy, omitted_bytes=omitted, gap_at=gap_at).split("\n").count(line) == 2

"""Waits for a text or a regular expression in what a command prints."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.errors import RequestError
from sandgate.patterns.wanted import MOVES_MAX, PATTERNS_MAX, WINDOW_CHARS, Match, Patterns, Wanted

SLOW_S = 20  # a machine that backtracks takes longer than anybody waits


def regex(text: str) -> Wanted:
    return Wanted(text, regex=True)


def found(wanted: tuple[Wanted, ...], *chunks: bytes) -> Match | None:
    patterns = Patterns(wanted)
    for chunk in chunks:
        match = patterns.feed(chunk)
        if match is not None:
            return match
    return None


def test_a_text_is_found_across_chunks() -> None:
    assert found((Wanted("ready"),), b"getting re", b"a", b"dy now") == Match(0, "ready", 13)


def test_of_several_the_first_to_end_is_told() -> None:
    wanted = (Wanted("failed"), regex(r"\d+ passed"), Wanted("error"))
    assert found(wanted, b"12 passed, 1 failed") == Match(1, "12 passed", 9)


def test_a_match_is_stretched_as_far_as_there_is_output() -> None:
    assert found((regex(r"total: \d+"),), b"the total: 123 items") == Match(0, "total: 123", 14)
    assert found((regex(r"total: \d+"),), b"the total: 1", b"23") == Match(0, "total: 1", 12)


def test_a_prompt_waits_at_the_end_of_what_there_is() -> None:
    assert found((regex(r"\$ $"),), b"costs 5$ a piece\r\n", b"user$ ") == Match(0, "$ ", 24)
    assert found((regex(r"\$ $"),), b"costs 5$ a piece") is None


def test_the_first_match_is_the_last() -> None:
    patterns = Patterns((Wanted("a"),))
    assert patterns.feed(b"xa") == patterns.feed(b"a") == Match(0, "a", 2)


def test_offsets_count_bytes_of_torn_and_broken_characters() -> None:
    assert found((Wanted("ü!"),), b"\xff\xc3", b"\xbc!") == Match(0, "ü!", 4)
    assert found((regex(".!"),), b"a\xff!") == Match(0, "�!", 3)


def test_a_match_longer_than_the_window_is_told_by_its_end() -> None:
    chunks = [b"<", *[b"-" * 5_000] * 8, b">", b"after"]
    match = found((Wanted("never"), regex("<-+>")), *chunks)
    assert match is not None
    assert (match.which, match.end) == (1, 40_002)
    assert match.text.endswith("->")
    assert len(match.text) <= WINDOW_CHARS


def test_the_edge_of_the_window_is_not_the_edge_of_a_word() -> None:
    text = b"xa" + b"-" * (WINDOW_CHARS - 1)
    assert found((regex(r"\ba-*z"), Wanted("z")), text, b"z") == Match(1, "z", len(text) + 1)


def test_what_follows_many_windows_still_counts_from_the_beginning() -> None:
    assert found((regex("^end"),), *[b"e\xc3\xa9\r\n" * 3000] * 5, b"end") == Match(0, "end", 75_003)


@pytest.mark.parametrize("pattern", [r"(a*)*b", r"(a|aa)+b", r"(a|a|a)*b", r"a*a*a*a*b", r".*.*=.*b"])
def test_patterns_that_ruin_others_take_as_long_as_any(pattern: str) -> None:
    """Required: nobody can stop a regular expression once it is at work."""
    began = time.monotonic()
    match = found((regex(pattern),), b"a" * 30_000, b"=b")
    assert match is None or match.end == 30_002
    assert time.monotonic() - began < SLOW_S


def test_memory_stays_bounded_when_every_character_is_new() -> None:
    patterns = Patterns((regex(r"\d+ never"),))
    for start in range(0x4E00, 0x4E00 + 20_000, 500):
        assert patterns.feed("".join(map(chr, range(start, start + 500))).encode()) is None
    assert sum(len(state.moves) for state in patterns._states.values()) <= MOVES_MAX + 1


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ((), "one to 16"),
        ((Wanted("a"),) * (PATTERNS_MAX + 1), "one to 16"),
        ((Wanted(""),), "empty or too long"),
        ((Wanted("a" * 2000),), "empty or too long"),
        ((regex("a*"),), "matches everywhere"),
        ((regex("x|"),), "matches everywhere"),
        ((regex("("),), "cannot read"),
    ],
)
def test_what_cannot_be_waited_for_is_the_caller_s_mistake(wanted: tuple[Wanted, ...], words: str) -> None:
    with pytest.raises(RequestError, match=words):
        Patterns(wanted)


ATOMS = st.sampled_from(["a", "b", "[ab]", ".", "[^a]", r"\bab", r"\w", "c"])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda both: f"(?:{both[0]}|{both[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{1,2}", "{2}", "*?", "+?"])).map(
            lambda both: f"(?:{both[0]}){both[1]}"
        ),
    ),
    max_leaves=5,
)


@given(PATTERNS, st.text("abc ", max_size=12), st.integers(0, 12))
def test_python_finds_the_same_in_the_same_place(pattern: str, text: str, cut: int) -> None:
    """Python's own search, begun anew after every character, is the slow way to the same answer."""
    if re.search(pattern, "") or re.search(pattern, "xx"):
        pattern = f"c(?:{pattern})"
    if re.search(rf"\A(?:{pattern})\Z", ""):
        return
    patterns = Patterns((regex(pattern),))
    steps = [patterns.feed(char.encode()) is not None for char in text]
    assert steps == [re.search(pattern, text[: end + 1]) is not None for end in range(len(text))]
    whole, expected = found((regex(pattern),), text.encode()), re.search(pattern, text)
    assert (whole is None) == (expected is None)
    if whole is not None and expected is not None:
        assert whole.end - len(whole.text) == expected.start()
        assert re.fullmatch(pattern, whole.text) or r"\b" in pattern
    torn = found((regex(pattern),), text[:cut].encode(), text[cut:].encode())
    assert (torn is None) == (expected is None)

"""Finding the lines of a chunk."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.patch.match import PLACES_COUNTED_MAX, Hit, count_places, seek
from sandgate.patch.text import EXACT, LOOSENESSES, PLAIN, RIGHT_STRIPPED, STRIPPED, FileText, loosened


def text(*lines: str) -> FileText:
    return FileText("".join(f"{line}\n" for line in lines).encode())


@pytest.mark.parametrize(
    ("lines", "pattern", "hit"),
    [
        (("a", "b", "a"), ["a"], Hit(0, EXACT)),
        (("a  ", "a"), ["a"], Hit(1, EXACT)),
        (("a  ", "b"), ["a"], Hit(0, RIGHT_STRIPPED)),
        (("  a", "b"), ["a", "b"], Hit(0, STRIPPED)),
        (("\u2018a\u2019 \u2013 b",), ["'a' - b"], Hit(0, PLAIN)),
        (("a",), ["b"], None),
        (("a",), ["a", "b"], None),
        ((), ["a"], None),
        (("a",), [], Hit(0, EXACT)),
    ],
)
def test_the_first_hit_of_the_strictest_pass_wins(lines: tuple[str, ...], pattern: list[str], hit: Hit | None) -> None:
    assert seek(text(*lines), pattern, 0, at_end=False) == hit


def test_the_search_begins_where_it_is_told() -> None:
    assert seek(text("a", "b", "a"), ["a"], 1, at_end=False) == Hit(2, EXACT)
    assert seek(text("a", "b", "a"), ["b"], 2, at_end=False) is None


def test_at_the_end_means_only_there() -> None:
    assert seek(text("a", "b", "a"), ["a"], 0, at_end=True) == Hit(2, EXACT)
    assert seek(text("a", "b"), ["a"], 0, at_end=True) is None


def test_places_are_counted_up_to_a_limit() -> None:
    assert count_places(text("a", "a", "b", "a"), ["a"], 0) == 3
    assert count_places(text("a", "a", "b", "a"), ["a"], 1) == 2
    assert count_places(text("a", "b"), ["a"], 0) == 1
    assert count_places(text(*["a"] * 500), ["a"], 0) == PLACES_COUNTED_MAX


WORDS = st.lists(st.sampled_from(["a", " a", "b", "b ", "\u2014", "-"]), max_size=8)


@given(WORDS, WORDS, st.integers(0, 8), st.booleans())
def test_it_finds_what_a_plain_search_finds(lines: list[str], pattern: list[str], start: int, at_end: bool) -> None:
    def plainly() -> Hit | None:
        if not pattern:
            return Hit(start, EXACT)
        last = len(lines) - len(pattern)
        for looseness in range(LOOSENESSES):
            view, wanted = loosened(lines, looseness), loosened(pattern, looseness)
            for index in range(max(last, 0) if at_end else start, last + 1):
                if view[index : index + len(wanted)] == wanted:
                    return Hit(index, looseness)
        return None

    assert seek(text(*lines), pattern, start, at_end=at_end) == plainly()

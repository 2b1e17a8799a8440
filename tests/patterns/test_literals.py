"""Plain texts are found as patterns find them, only faster."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.errors import RequestError
from sandgate.patterns.literals import Literals
from sandgate.patterns.wanted import Match, Patterns, Wanted

texts = st.lists(st.text("ab\n", min_size=1, max_size=4), min_size=1, max_size=4)
pieces = st.lists(st.text("ab\nc", max_size=6).map(str.encode), max_size=8)


@given(texts, pieces)
def test_whatever_arrives_the_match_is_the_one_of_the_patterns(wanted: list[str], arriving: list[bytes]) -> None:
    literals = Literals([text.encode() for text in wanted])
    patterns = Patterns([Wanted(text) for text in wanted])
    for piece in arriving:
        assert literals.feed(piece) == patterns.feed(piece)


@pytest.mark.parametrize("count", [2, 3, 16])
def test_of_the_same_text_the_first_is_the_match(count: int) -> None:
    assert Literals([b"a"] * count).feed(b"a") == Patterns([Wanted("a")] * count).feed(b"a") == Match(0, "a", 1)


def test_a_text_that_is_cut_anywhere_is_found_with_its_place_in_all_that_arrived() -> None:
    for cut in range(1, 6):
        literals = Literals([b"prompt$ "])
        literals.feed(b"x" * 100_000 + b"prompt$ "[:cut])
        match = literals.feed(b"prompt$ "[cut:] + b"more")
        assert match is not None
        assert (match.text, match.end) == ("prompt$ ", 100_008)


@pytest.mark.parametrize("texts", [[], [b""], [b"x"] * 17, [b"x" * 100_000]])
def test_texts_that_cannot_be_waited_for_are_refused(texts: list[bytes]) -> None:
    with pytest.raises(RequestError):
        Literals(texts)

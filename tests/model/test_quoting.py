"""A provider's words can be shown to anybody."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sandgate.model.quoting import PIECE, READ_MAX, WORDS_MAX, Quoting

KEY = "sk-Very-Secret-1234567890"


def test_secrets_are_removed_whole_in_part_and_in_other_letters() -> None:
    quoting = Quoting([KEY, "team-9"])
    assert quoting.words(f"the key {KEY} is bad") == "the key [removed] is bad"
    assert quoting.words(f"the key {KEY[:8]}****{KEY[-6:]} is bad") == "the key [removed]****[removed] is bad"
    assert quoting.words(f"key {KEY.upper()}") == "key [removed]"
    assert quoting.words("İ team-9") == "İ [removed]"


@given(before=st.integers(0, READ_MAX + 50), start=st.integers(0, len(KEY) - PIECE))
def test_no_piece_of_a_secret_survives_a_cut(before: int, start: int) -> None:
    """Required: no key in any message."""
    shown = Quoting([KEY]).words("." * before + KEY[start:])
    assert not any(KEY[at : at + PIECE] in shown for at in range(len(KEY) - PIECE + 1))


def test_words_are_one_short_line_and_nothing_acts_on_a_terminal() -> None:
    assert Quoting().words("a\n\x1b[2Jb \u202e") == "a \\x1b[2Jb \\u202e"
    assert len(Quoting().words("x" * 100_000)) == WORDS_MAX
    assert Quoting().words({"no": "text"}) == ""


def test_what_is_too_short_to_be_a_secret_is_none() -> None:
    assert Quoting(["1", ""]).words("1 and 1") == "1 and 1"


def test_it_shows_nothing_of_what_it_keeps() -> None:
    assert "Secret" not in repr(Quoting([KEY]))

"""Substitutions are found in text that the grammar leaves as text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sandgate.commandline.embedded import EMBEDDED_MAX, embedded


def test_ticks_and_brackets_are_found_in_order() -> None:
    assert embedded("a `date` b $(ls $(pwd)) c") == ("date", "ls $(pwd)")


def test_what_is_escaped_or_arithmetic_is_text() -> None:
    assert embedded("\\`date\\` \\$(ls) $((1 + 2))") == ()


def test_a_substitution_inside_arithmetic_is_found() -> None:
    assert embedded("$((1 + $(ls)))") == ("ls",)


def test_a_substitution_that_never_ends_reaches_to_the_end() -> None:
    assert embedded("$(ls") == ("ls",)
    assert embedded("`ls") == ("ls",)


@given(st.text(alphabet="`$()\\a "))
def test_any_text_is_read_to_its_end(text: str) -> None:
    assert len(embedded(text)) <= EMBEDDED_MAX

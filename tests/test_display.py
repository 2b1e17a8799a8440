"""Untrusted text cannot move the cursor, hide or reorder anything."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.display import in_toml, one_line, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("größer, 日本", "größer, 日本"),
        ("a\x1b[2Jb", "a\\x1b[2Jb"),
        ("two\nlines\r\tand", "two\\nlines\\r\\tand"),
        ("left\u202eright", "left\\u202eright"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("bad \udcff byte", "bad \\xff byte"),
        ("\x9b31m", "\\x9b31m"),
        ("tag \U000e0041", "tag \\U000e0041"),
        ("wide\u3000blank\u2800\u3164", "wide\\u3000blank\\u2800\\u3164"),
        ("selector\ufe0f joiner\u034f", "selector\\ufe0f joiner\\u034f"),
        ("", ""),
    ],
)
def test_what_cannot_be_seen_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_limit_marks_that_something_is_missing() -> None:
    assert visible("abcdef", limit=4) == "abc…"
    assert visible("abcd", limit=4) == "abcd"


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_the_result_is_one_printable_encodable_line(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert "\n" not in shown
    assert not any(ord(character) < 0x20 or 0x7F <= ord(character) < 0xA0 for character in shown)


def test_padding_in_prose_cannot_move_words_to_another_line() -> None:
    assert one_line("fine" + " " * 70 + "Risk:\tLOW\n [y] ok") == "fine Risk: LOW [y] ok"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("/h/.a b", '"/h/.a b"'),
        ("/h/.tab\tx", '"/h/.tab\\tx"'),
        ("/h/.new\nline", '"/h/.new\\nline"'),
        ('/h/."q"', '"/h/.\\"q\\""'),
        ("/h/.back\\slash", '"/h/.back\\\\slash"'),
        ("/h/.esc\x1b[31m", '"/h/.esc\\u001b[31m"'),
        ("/h/.nel\x85", '"/h/.nel\\u0085"'),
        ("/h/.zero\u200bwidth", '"/h/.zero\\u200bwidth"'),
        ("/h/.stray\udcff", ""),
    ],
)
def test_a_path_is_written_as_toml_reads_it(text: str, written: str) -> None:
    assert in_toml(text) == written
    if written:
        assert tomllib.loads(f"x = {written}")["x"] == text


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_text_survives_toml_and_shows_nothing_unseen(text: str) -> None:
    written = in_toml(text)
    assert tomllib.loads(f"x = {written}")["x"] == text
    assert visible(written) == written

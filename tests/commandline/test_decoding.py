"""Backslashes and `$'…'`, as bash(1) QUOTING has them."""

from __future__ import annotations

import pytest

from sandgate.commandline.decoding import ansi, unquoted
from sandgate.commandline.script import Piece


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"a\x41\n", "aA\n"),
        (r"\101\u00e9", "A\u00e9"),
        (r"\\n", r"\n"),
        (r"it\'s", "it's"),
        ("plain", "plain"),
        (r"\e[0m", "\x1b[0m"),
    ],
)
def test_escapes_spell_characters(written: str, meant: str) -> None:
    assert ansi(written) == meant


def test_a_backslash_quotes_the_character_after_it() -> None:
    assert list(unquoted(r"r\m*\*")) == [
        Piece("text", "r"),
        Piece("text", "m", quoted=True),
        Piece("text", "*"),
        Piece("text", "*", quoted=True),
    ]
    assert list(unquoted(r"a\\*")) == [Piece("text", "a"), Piece("text", "\\", quoted=True), Piece("text", "*")]

"""Braces make the words that bash makes of them."""

from __future__ import annotations

import subprocess

import pytest

from sandgate.commandline.braces import CLOSE, COMMA, OPEN, braced

BARE = str.maketrans({"{": OPEN, ",": COMMA, "}": CLOSE})


@pytest.mark.parametrize(
    "text", ["ls", "l{s,m}", "{a,b}{c,d}", "{a,{b,c}d}", "x{a}", "x{a", "x}a", "r{m,}", "{,}x", "a,b"]
)
def test_the_words_are_those_of_bash(text: str) -> None:
    said = subprocess.run(["bash", "-c", f"printf '%s\\n' {text}"], capture_output=True, text=True, check=True)
    assert {word for word in braced(text.translate(BARE), 16) if word} == set(said.stdout.split())


def test_no_more_words_are_made_than_are_wanted() -> None:
    assert len(braced(("{a,b}" * 30).translate(BARE), 16)) <= 17

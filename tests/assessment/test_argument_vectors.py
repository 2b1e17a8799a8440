"""An argument vector is judged word by word, as no shell will read it."""

from __future__ import annotations

from support.command.assessing import judged
from support.suite.rows import every


@every("word", ["\x1c", "\x1d", "\x1e", "\x1f", "\u2028", "\xa0"])
def test_no_separator_in_an_argv_is_taken_for_one_of_ours(word: str) -> None:
    """Required: it raised IndexError, or a word of an argv became several."""
    for argv in ((word,), ("rm", "-rf", f"{word}~"), ("rm", f"-rf{word}~")):
        assert judged(argv).risk_level == judged(tuple(each.replace(word, "_") for each in argv)).risk_level

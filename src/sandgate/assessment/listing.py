"""Lists of words in tables are written as text: a hundred names are read faster without quotes and commas."""

from __future__ import annotations


def words(text: str) -> tuple[str, ...]:
    """The blank-separated words of `text`."""
    return tuple(text.split())


def phrases(text: str) -> tuple[str, ...]:
    """The comma-separated phrases of `text`, blanks squeezed."""
    return tuple(" ".join(part.split()) for part in text.split(","))

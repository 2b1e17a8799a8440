"""A command in a few words, where it only reads, lists or searches. For display; nothing is decided by it."""

from __future__ import annotations

from sandgate.commandline.summary import summarize
from sandgate.display import visible
from sandgate.protocol.summaries import ListFiles, Read, Search, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.summaries import Summary

PARTS_MAX = 5
CHARACTERS_MAX = 120  # of a path or a query


def in_words(argv: tuple[str, ...]) -> str:
    """One line; "" when the command does something that has no such words."""
    parts = summarize(argv)
    if any(isinstance(part, Unknown) for part in parts):
        return ""
    said = [_said(part) for part in parts[:PARTS_MAX]]
    more = len(parts) - len(said)
    return ", ".join(said) + (f" and {more} more" if more else "")


def _said(part: Summary) -> str:
    match part:
        case Read():
            return f"reads {_shown(part.path)}"
        case ListFiles():
            return f"lists files in {_shown(part.path)}" if part.path else "lists files"
        case Search():
            where = f" in {_shown(part.path)}" if part.path else ""
            return f"searches for {_shown(part.query)}{where}" if part.query else f"searches{where}"
        case Unknown():
            return ""


def _shown(text: str) -> str:
    return f"`{visible(text, limit=CHARACTERS_MAX)}`"

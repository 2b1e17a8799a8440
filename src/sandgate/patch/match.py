"""Finds where the lines of a chunk lie in a file.

Four passes from the starting point to the end, each looser than the one before; the first hit of the first pass that
has one wins. How loose it was is told, so that a reader can doubt it. The line of the pattern
that is rarest in the file is looked for first; where one does not occur at all, nothing is looked for.
"""

from __future__ import annotations

from sandgate.patch.text import EXACT, LOOSENESSES, loosened
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.patch.text import FileText

PLACES_COUNTED_MAX = 100


class Hit(Record):
    """Where a pattern begins, 0-based, and in which pass it was found."""

    index: int
    looseness: int


def seek(text: FileText, pattern: list[str], start: int, *, at_end: bool) -> Hit | None:
    """The place of `pattern` at or after line `start`; `at_end`: only as the last lines, wherever `start` is."""
    if not pattern:
        return Hit(start, EXACT)
    last = len(text.lines) - len(pattern)
    first = last if at_end else start
    if first < 0 or first > last:
        return None
    for looseness in range(LOOSENESSES):
        index = _find(text, looseness, loosened(pattern, looseness), first, last)
        if index is not None:
            return Hit(index, looseness)
    return None


def count_places(text: FileText, pattern: list[str], start: int) -> int:
    """How often `pattern` lies exactly so at or after `start`, overlapping places included, up to a limit."""
    counts = text.counts(EXACT)
    most = min(counts.get(line, 0) for line in pattern)
    if most < 2:
        return most
    last = len(text.lines) - len(pattern)
    found = 0
    while found < PLACES_COUNTED_MAX and (index := _find(text, EXACT, pattern, start, last)) is not None:
        found += 1
        start = index + 1
    return found


def _find(text: FileText, looseness: int, pattern: list[str], first: int, last: int) -> int | None:
    """The first index from `first` to `last` at which `pattern` lies in that view."""
    lines, counts = text.view(looseness), text.counts(looseness)
    offset = 0
    rarest = len(lines) + 1
    for position, line in enumerate(pattern):
        count = counts.get(line, 0)
        if not count:
            return None
        if count < rarest:
            offset, rarest = position, count
    anchor, length, stop = pattern[offset], len(pattern), last + offset + 1
    at = first + offset
    while True:
        try:
            at = lines.index(anchor, at, stop)
        except ValueError:
            return None
        begin = at - offset
        if lines[begin : begin + length] == pattern:
            return begin
        at += 1

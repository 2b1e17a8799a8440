"""Finds the bodies of here-documents in a text without knowing what is quoted in it.

For whoever searches a script for danger: `bash <<E` runs what stands below it. Every `<<` counts, in a comment and in a
string too, so that nothing in front of a here-document can make it look like something else.
"""

from __future__ import annotations

from bisect import bisect_left

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

WORD_ENDS = frozenset(" \t\n;|&()<>")
BODIES_MAX = 100  # of one text; nobody writes as many


def bodies(text: str) -> Iterator[str]:
    """The body of each `<<`, outer ones before those inside. Without an end a body is all the rest, given once."""
    lines = _lines(text) if "<<" in text else {}
    ending_line, start = -1, 0
    unended = False
    at = text.find("<<")
    for _ in range(BODIES_MAX):
        while text.startswith("<<<", at):
            at = text.find("<<", at + 3)
        ends = text.find("\n", at)
        if at < 0 or ends < 0:
            return
        if ends != ending_line:  # the next one in the same line begins where the last one ended
            ending_line, start = ends, ends + 1
        word, at = delimiter(text, at)
        places = lines.get(unquoted(word), [])
        place = bisect_left(places, start)
        if place < len(places):
            yield text[start : places[place]]
            start = (text.find("\n", places[place]) + 1) or len(text)
        elif not unended:
            unended = True
            yield text[start:]
        at = text.find("<<", at)


def _lines(text: str) -> dict[str, list[int]]:
    """Where each line begins, by what it says behind its tabs."""
    found: dict[str, list[int]] = {}
    at = 0
    for line in text.split("\n"):
        found.setdefault(line.lstrip("\t"), []).append(at)
        at += len(line) + 1
    return found


def delimiter(text: str, at: int) -> tuple[str, int]:
    """The word behind the `<<` at `at`, as written, and where it ends."""
    start = at + 2 + text.startswith("-", at + 2)
    while text.startswith((" ", "\t"), start):
        start += 1
    end = start
    while end < len(text) and text[end] not in WORD_ENDS:
        end += 1
    return text[start:end], end


def unquoted(word: str) -> str:
    """The line that a delimiter stands for."""
    return word.replace("'", "").replace('"', "").replace("\\", "")

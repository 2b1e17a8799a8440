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
# What may stand before a `<<` that surely begins a here-document: nothing that quotes, comments or counts.
_CERTAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:@%+=~*? |&;\n")
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


def without_here_document(script: str) -> str | None:
    """`script` with `</dev/null` for its here-document; None when it is not certain where that begins and ends.

    What stands in the document is only text for the command that reads it. Certain is a script with a single `<<`, no
    quote or other mark before it, and a text in which the shell replaces at most plain variables.
    """
    head, operator, rest = script.partition("<<")
    if not operator or "<<" in rest or rest[:1] == "<" or not _CERTAIN.issuperset(head):
        return None
    line, newline, body = rest.partition("\n")
    tabs = line[:1] == "-"
    word, at = delimiter(f"<<{line}", 0)
    name, behind = unquoted(word), line[at - 2 :]
    if not newline or not name.isidentifier() or word not in (name, f"'{name}'", f'"{name}"') or not _balanced(behind):
        return None
    lines = body.split("\n")
    end = next((at for at, text in enumerate(lines) if (text.lstrip("\t") if tabs else text) == name), None)
    if end is None:
        return None
    text = "\n".join(lines[:end])
    if word == name and any(mark in text for mark in ("`", "\\", "$(", "${", "$[")):
        return None
    return "\n".join([f"{head}</dev/null{behind}", *lines[end + 1 :]])


def _balanced(text: str) -> bool:
    """Whether the rest of a line ends there: at most one kind of quotes, each of them closed."""
    if any(mark in text for mark in "\\#`(<"):
        return False
    single, double = text.count("'"), text.count('"')
    return not (single and double) and single % 2 == 0 and double % 2 == 0

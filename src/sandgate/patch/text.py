"""The lines of one file while a patch is worked out: its own spelling, and looser views to search in.

A file keeps what makes it itself: a byte order mark, the ending of each line, the text of lines that a patch only
matched loosely. The views are made when first needed and changed together with the lines, so that ten thousand
hunks on one file cost no more than ten thousand small edits.
"""

from __future__ import annotations

BOM = "\ufeff"
LOOSENESSES = 4  # as it is; without blanks at the end; at either end; and with plain punctuation
EXACT, RIGHT_STRIPPED, STRIPPED, PLAIN = range(LOOSENESSES)

_DASHES = dict.fromkeys((*range(0x2010, 0x2016), 0x2212), "-")
_SINGLE_QUOTES = dict.fromkeys(range(0x2018, 0x201C), "'")
_DOUBLE_QUOTES = dict.fromkeys(range(0x201C, 0x2020), '"')
_SPACES = dict.fromkeys((0xA0, *range(0x2002, 0x200B), 0x202F, 0x205F, 0x3000), " ")
_PLAIN_PUNCTUATION = {**_DASHES, **_SINGLE_QUOTES, **_DOUBLE_QUOTES, **_SPACES}


class FileText:
    """A text file as lines without their newline; a carriage return stays part of the line it ends."""

    def __init__(self, content: bytes) -> None:
        """Raises UnicodeDecodeError when the bytes are no UTF-8."""
        text = content.decode("utf-8")
        self._mark = BOM if text.startswith(BOM) else ""
        self.lines = text.removeprefix(BOM).split("\n")
        self._returns = "\r" in text
        unfinished = self.lines.pop()
        if unfinished:  # a final newline is added where it is missing
            self.lines.append(unfinished.removesuffix("\r") + self.ending_at(len(self.lines)))
        self._views: dict[int, list[str]] = {}
        self._counts: dict[int, dict[str, int]] = {}

    def to_bytes(self) -> bytes:
        """The file; a text without lines is an empty file."""
        text = "\n".join(self.lines)
        return (self._mark + text + "\n").encode("utf-8") if self.lines else b""

    def ending_at(self, index: int) -> str:
        r"""What new lines at `index` end with before the newline: a `\r` where their neighbours have one."""
        if not self._returns:
            return ""
        near = self.lines[index - 1 : index] or self.lines[:1]
        return "\r" if near and near[0].endswith("\r") else ""

    def view(self, looseness: int) -> list[str]:
        """The lines as `loosened` makes them. Not to be changed."""
        if looseness == EXACT and not self._returns:
            return self.lines
        view = self._views.get(looseness)
        if view is None:
            view = self._views[looseness] = loosened(self.lines, looseness)
        return view

    def _loosened(self, lines: list[str], looseness: int) -> list[str]:
        return lines if looseness == EXACT and not self._returns else loosened(lines, looseness)

    def counts(self, looseness: int) -> dict[str, int]:
        """How often each line of a view stands in it; a line that does not may count 0. Not to be changed."""
        counts = self._counts.get(looseness)
        if counts is None:
            counts = self._counts[looseness] = {}
            for line in self.view(looseness):
                counts[line] = counts.get(line, 0) + 1
        return counts

    def replace(self, start: int, count: int, new: list[str]) -> None:
        """Puts `new` in the place of `count` lines."""
        for looseness, counts in self._counts.items():
            for line in self.view(looseness)[start : start + count]:
                counts[line] -= 1
            for line in self._loosened(new, looseness):
                counts[line] = counts.get(line, 0) + 1
        self.lines[start : start + count] = new
        for looseness, view in self._views.items():
            view[start : start + count] = loosened(new, looseness)


def loosened(lines: list[str], looseness: int) -> list[str]:
    """Lines made comparable: the looser, the more spellings look the same."""
    if looseness == EXACT:
        return [line.removesuffix("\r") for line in lines]
    if looseness == RIGHT_STRIPPED:
        return [line.rstrip() for line in lines]
    if looseness == STRIPPED:
        return [line.strip() for line in lines]
    return [line.strip() if line.isascii() else line.strip().translate(_PLAIN_PUNCTUATION).strip() for line in lines]

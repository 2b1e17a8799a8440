"""Reads the plain part of TOML that most configuration files consist of.

`import tomllib` takes as long as confining and running a command several times over (it brings `re`, `typing` and
`datetime`), and would be paid by every command of every user who has a configuration file. So files that use only
tables, arrays of tables, plain strings, whole numbers, booleans and lists are read here. Whatever is not plainly
one of these, errors included, is left to `tomllib`: the answer is then None. A differential test holds the two
together.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Table = dict[str, Any]

BARE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
DIGITS = frozenset("0123456789")
BLANKS = " \t"
AFTER_VALUE = frozenset(" \t\n,]#")
NUMBER_CHARACTERS_MAX = 18
DEPTH_MAX = 16


def plain_table(text: str) -> dict[str, object] | None:
    """What `tomllib.loads(text)` would return, or None when that is not plain to see."""
    if not text.replace("\n", "").replace("\t", "").isprintable():
        return None
    try:
        return _Reader(text).document()
    except _NotPlain:
        return None


class _NotPlain(Exception):
    pass


class _Reader:
    """One pass over the text. A table may be opened once, and only where nothing stands yet."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.root: Table = {}
        self.here = self.root
        self.opened: set[int] = {id(self.root)}  # tables made by headers; others were made by dotted keys
        self.arrays: set[int] = set()
        self.dotted: set[int] = set()  # tables made by dotted keys since the last header

    def document(self) -> Table:
        while True:
            self._skip_lines()
            if self.at == len(self.text):
                return self.root
            if self._next() == "[":
                self._header()
            else:
                self._assignment()
            self._end_line()

    def _header(self) -> None:
        self.dotted = set()
        many = self.text.startswith("[[", self.at)
        self.at += 2 if many else 1
        path = self._path()
        self._expect("]]" if many else "]")
        table = self.root
        for segment in path[:-1]:
            if segment not in table:
                table[segment] = {}
                self.opened.add(id(table[segment]))
            table = table[segment]
            if id(table) not in self.opened:
                raise _NotPlain
        if many:
            self.here = self._element(table, path[-1])
        elif path[-1] in table:
            raise _NotPlain
        else:
            self.here = table[path[-1]] = {}
            self.opened.add(id(self.here))

    def _element(self, table: Table, name: str) -> Table:
        """One more table of an array of tables."""
        if name not in table:
            table[name] = []
            self.arrays.add(id(table[name]))
        if id(table[name]) not in self.arrays:
            raise _NotPlain
        element: Table = {}
        table[name].append(element)
        return element

    def _assignment(self) -> None:
        path = self._path()
        self._expect("=")
        table = self.here
        for segment in path[:-1]:
            if segment not in table:
                table[segment] = {}
                self.dotted.add(id(table[segment]))
            table = table[segment]
            if id(table) not in self.dotted:
                raise _NotPlain
        if path[-1] in table:
            raise _NotPlain
        self._skip_blanks()
        table[path[-1]] = self._value(0)

    def _path(self) -> list[str]:
        path = []
        while True:
            self._skip_blanks()
            path.append(self._string() if self._next() in ("'", '"') else self._bare())
            self._skip_blanks()
            if self._next() != ".":
                return path
            self.at += 1

    def _bare(self) -> str:
        start = self.at
        while self._next() in BARE:
            self.at += 1
        if start == self.at:
            raise _NotPlain
        return self.text[start : self.at]

    def _string(self) -> str:
        quote = self._next()
        stop = self.text.find(quote, self.at + 1)
        content = self.text[self.at + 1 : stop]
        if stop < 0 or "\n" in content or (quote == '"' and "\\" in content):
            raise _NotPlain
        self.at = stop + 1
        if not content and self._next() == quote:  # three quotes: a text of several lines
            raise _NotPlain
        return content

    def _value(self, depth: int) -> object:
        first = self._next()
        if first in ("'", '"'):
            value: object = self._string()
        elif first == "[" and depth < DEPTH_MAX:
            value = self._list(depth)
        elif first in DIGITS or first == "-":
            value = self._number()
        else:
            word = self._bare()
            if word not in ("true", "false"):
                raise _NotPlain
            value = word == "true"
        if self.at < len(self.text) and self._next() not in AFTER_VALUE:
            raise _NotPlain
        return value

    def _number(self) -> int:
        start = self.at
        self.at += self._next() == "-"
        digits = self.at
        while self._next() in DIGITS:
            self.at += 1
        text = self.text[digits : self.at]
        if not text or len(text) > NUMBER_CHARACTERS_MAX or (text[0] == "0" and text != "0"):
            raise _NotPlain
        return int(self.text[start : self.at])

    def _list(self, depth: int) -> list[object]:
        values: list[object] = []
        self.at += 1
        while True:
            self._skip_lines()
            if self._next() == "]":
                break
            values.append(self._value(depth + 1))
            self._skip_lines()
            if self._next() == "]":
                break
            self._expect(",")
        self.at += 1
        return values

    def _next(self) -> str:
        """The character to be read next; "" at the end, which belongs to no set of characters."""
        return self.text[self.at : self.at + 1]

    def _expect(self, mark: str) -> None:
        if not self.text.startswith(mark, self.at):
            raise _NotPlain
        self.at += len(mark)

    def _skip_blanks(self) -> None:
        while self._next() and self._next() in BLANKS:
            self.at += 1

    def _skip_lines(self) -> None:
        """Over blanks, line ends and comments."""
        while True:
            self._skip_blanks()
            if self._next() == "#":
                stop = self.text.find("\n", self.at)
                self.at = stop if stop >= 0 else len(self.text)
            elif self._next() == "\n":
                self.at += 1
            else:
                return

    def _end_line(self) -> None:
        self._skip_blanks()
        if self._next() not in ("", "\n", "#"):
            raise _NotPlain

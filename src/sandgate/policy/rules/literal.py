"""Reads the `.rules` files that hold nothing but literal calls, which is nearly all of them.

    prefix_rule(pattern=["git", ["status", "log"]], decision="allow")

Such a file needs no interpreter, so it gets none: nothing in it can loop, and starting costs no child process.
Whatever is not plainly a call with literals, mistakes included, is left to Starlark: `Beyond` says from which line
on. A differential test holds the two together.
"""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

CALL_NAMES = ("prefix_rule", "host_executable", "network_rule", "place_rule")
DEPTH_MAX = 8  # lists in lists
DIGITS_MAX = 18
WORD_CHARACTERS_MAX = 64  # no word we know is as long, and a longer one is not read as two: nothing may follow it
BLANKS_AT_ONCE = 64
WORD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
DIGITS = frozenset("0123456789")
ESCAPES = {"\\": "\\", '"': '"', "'": "'", "n": "\n", "t": "\t", "r": "\r"}
CONSTANTS: dict[str, bool | None] = {"True": True, "False": False, "None": None}


class RuleCall(Record):
    """One call of a rule file, with its arguments as JSON has them."""

    name: str
    positional: tuple[Any, ...]
    named: dict[str, Any]
    line: int  # of the file, from 1; 0: not known


class Beyond(Record):
    """The file says more than literal calls, or is not well formed."""

    line: int


def literal_calls(text: str) -> tuple[RuleCall, ...] | Beyond:
    """The calls of a file in order, or where it stops being one of literal calls only."""
    text = text.replace("\r\n", "\n")
    if not text.replace("\n", "").isprintable():
        return Beyond(next(at for at, line in enumerate(text.split("\n"), 1) if not line.isprintable()))
    reader = _Reader(text)
    try:
        return reader.document()
    except _NotLiteral:
        return Beyond(reader.line)


class _NotLiteral(Exception):
    pass


class _Reader:
    """One pass over the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._line, self._counted = 1, 0

    @property
    def line(self) -> int:
        """Of the place reached. Counted from the last place asked for, so that a file is counted once."""
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def document(self) -> tuple[RuleCall, ...]:
        calls: list[RuleCall] = []
        while True:
            start = self.at
            self._blanks()
            if self.at == len(self.text):
                return tuple(calls)
            if self.at > start and self.text[self.at - 1] == " ":
                self._give_up()  # an indented statement is an error
            calls.append(self._call())
            while self._next() == " ":
                self.at += 1
            if self._next() not in ("", "\n", "#"):
                self._give_up()

    def _call(self) -> RuleCall:
        line, name = self.line, self._word()
        if name not in CALL_NAMES:
            self._give_up()
        self._expect("(")
        positional: list[Any] = []
        named: dict[str, Any] = {}
        self._blanks()
        while self._next() != ")":
            key = self._key()
            value = self._value(0)
            if key in named or (not key and named):
                self._give_up()
            if key:
                named[key] = value
            else:
                positional.append(value)
            self._separator(")")
        self.at += 1
        return RuleCall(name, tuple(positional), named, line)

    def _key(self) -> str:
        """`name =` before an argument; "" when it has none, and nothing is taken."""
        start = self.at
        word = self._word()
        self._blanks()
        if word and word not in CONSTANTS and self._next() == "=" and self.text[self.at + 1 : self.at + 2] != "=":
            self.at += 1
            self._blanks()
            return word
        self.at = start
        return ""

    def _value(self, depth: int) -> Any:
        first = self._next()
        if first in ('"', "'"):
            return self._string(first)
        if first == "[":
            return self._list(depth + 1)
        word = self._word()
        if word in CONSTANTS:
            return CONSTANTS[word]
        if word and DIGITS.issuperset(word) and len(word) <= DIGITS_MAX and (word == "0" or word[0] != "0"):
            return int(word)
        return self._give_up()

    def _list(self, depth: int) -> list[Any]:
        if depth > DEPTH_MAX:
            self._give_up()
        self.at += 1
        values: list[Any] = []
        self._blanks()
        while self._next() != "]":
            values.append(self._value(depth))
            self._separator("]")
        self.at += 1
        return values

    def _string(self, quote: str) -> str:
        start = self.at + 1
        if self.text.startswith(quote * 3, self.at):
            self._give_up()
        end = start
        pieces: list[str] = []
        while True:
            end = self._closing(quote, end)
            slash = self.text.find("\\", start, end)
            if slash < 0:
                self.at = end + 1
                return "".join([*pieces, self.text[start:end]])
            meant = ESCAPES.get(self.text[slash + 1 : slash + 2])
            if meant is None:
                self._give_up()
            pieces += [self.text[start:slash], meant]
            start = slash + 2
            end = max(end, start)

    def _closing(self, quote: str, start: int) -> int:
        """The next quote; a string does not go on over the end of its line."""
        end = self.text.find(quote, start)
        if end < 0 or self.text.find("\n", start, end) >= 0:
            self._give_up()
        return end

    def _separator(self, closing: str) -> None:
        self._blanks()
        if self._next() == ",":
            self.at += 1
            self._blanks()
        elif self._next() != closing:
            self._give_up()

    def _word(self) -> str:
        piece = self.text[self.at : self.at + WORD_CHARACTERS_MAX]
        word = piece[: len(piece) - len(piece.lstrip(WORD))]
        self.at += len(word)
        return word

    def _blanks(self) -> None:
        """Spaces, line ends and comments."""
        text = self.text
        while self.at < len(text):
            here = text[self.at]
            if here in " \n":
                piece = text[self.at : self.at + BLANKS_AT_ONCE]
                self.at += len(piece) - len(piece.lstrip(" \n"))
            elif here == "#":
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            else:
                return

    def _expect(self, wanted: str) -> None:
        if self._next() != wanted:
            self._give_up()
        self.at += 1

    def _next(self) -> str:
        return self.text[self.at : self.at + 1]

    def _give_up(self) -> NoReturn:
        raise _NotLiteral

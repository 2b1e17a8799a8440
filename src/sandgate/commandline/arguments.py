"""Reads a program's arguments by a small grammar, or says that it cannot.

A grammar is one line of text, so that a table of a hundred programs costs nothing until one is looked up:

    -bnrz          short options without a value; may be clustered
    -k=            short option with a value, attached or in the next word
    --key=         long option with a value, attached by `=` or in the next word
    --color[=]     long option whose value, if any, is attached; -M[=] likewise
    --reverse      long option without a value
    -NUM           a number is an option (`head -5`)
    *  2           how many operands: any number, at most two; none when left out
    words          options are single-dash words and are never clustered (`find -name`)
    stop           the first operand ends the options; the rest belongs to somebody else
    @other         everything the grammar called `other` has

Long options count only when spelled out: an abbreviation that is unique today may mean something else tomorrow.
"""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ANY_NUMBER = 1 << 30


class Grammar(Record):
    """The options and operands one program understands, as far as we care to know."""

    flags: frozenset[str]
    valued: frozenset[str]
    optional: frozenset[str]  # value attached or absent
    operands_max: int = 0
    numeric: bool = False
    single_dash_words: bool = False
    stops: bool = False
    heeds_end: bool = True  # `--` ends the options
    marks: frozenset[str] = frozenset()  # words of the line that mean something to its reader, not to us


class Reading(Record):
    """Options with their values, in order, and the operands."""

    options: tuple[tuple[str, str | None], ...]
    operands: tuple[str, ...]
    operand_places: tuple[int, ...]  # index of each operand in the words read

    def value(self, *names: str) -> str | None:
        """The last value given to any of these options."""
        return next((value for name, value in reversed(self.options) if name in names), None)

    def has(self, *names: str) -> bool:
        return any(name in names for name, _ in self.options)


def grammar(line: str, others: Mapping[str, str]) -> Grammar:
    """The grammar a line of the notation describes."""
    tokens = line.split()
    flags: set[str] = set()
    valued: set[str] = set()
    optional: set[str] = set()
    marks: set[str] = set()
    operands_max = 0
    while tokens:
        token = tokens.pop()
        if token[0] == "@":
            tokens.extend(others[token[1:]].split())
        elif token == "-NUM" or token[0] not in "-*0123456789":
            marks.add(token)
        elif token == "*":
            operands_max = ANY_NUMBER
        elif token[0] != "-":
            operands_max = int(token)
        elif token.endswith("[=]"):
            optional.add(token[:-3])
        elif token.endswith("="):
            valued.add(token[:-1])
        else:
            flags.add(token)
    words = "words" in marks
    return Grammar(
        flags=frozenset(flags if words else _unclustered(flags)),
        valued=frozenset(valued),
        optional=frozenset(optional),
        operands_max=operands_max,
        numeric="-NUM" in marks,
        single_dash_words=words,
        stops="stop" in marks,
        marks=frozenset(marks),
    )


def _unclustered(flags: set[str]) -> list[str]:
    return [f"-{letter}" for flag in flags if flag[:2] != "--" for letter in flag[1:]] + [
        flag for flag in flags if flag[:2] == "--"
    ]


def read(words: tuple[str, ...], by: Grammar) -> Reading | None:
    """The arguments (without the program's name), or None when one of them is not in the grammar."""
    return _Reading(words, by).read()


def readings(
    words: tuple[str, ...], by: Grammar, *, permutes: bool, heeds_end: bool = False
) -> tuple[Reading, ...] | None:
    """All that the words may mean to a program, or None when one of these is not in the grammar.

    Where it is not known that the program takes options behind operands (`permutes`), such words are options in one
    reading and operands in the other. Where it is not known that `--` ends them (`heeds_end`), or is no value of the
    option before it, what stands behind is read as options as well. Only what holds for all readings is certain.
    """
    mixed = read(words, by)
    if mixed is None:
        return None
    meant: list[Reading | None] = [mixed]
    if not (permutes or by.stops) and _options_behind(mixed, words):
        meant.append(read(words, by.but(stops=True)))
    if not heeds_end and "--" in words and not by.stops and not by.single_dash_words:
        meant.append(read(words, by.but(heeds_end=False)))
    return None if None in meant else tuple([reading for reading in meant if reading is not None])


def _options_behind(reading: Reading, words: tuple[str, ...]) -> bool:
    """Whether anything but operands stands behind the first operand."""
    places = reading.operand_places
    return bool(places) and len(words) - places[0] != len(places)


class _Reading:
    """One pass over the words."""

    def __init__(self, words: tuple[str, ...], by: Grammar) -> None:
        self._words = words
        self._by = by
        self._options: list[tuple[str, str | None]] = []
        self._places: list[int] = []
        self._at = 0

    def read(self) -> Reading | None:
        words, by = self._words, self._by
        while self._at < len(words):
            word = words[self._at]
            if word == "--" and not by.single_dash_words:
                if by.heeds_end:
                    self._places.extend(range(self._at + 1, len(words)))
                    break
            elif len(word) < 2 or word[0] != "-":
                if by.stops:
                    self._places.extend(range(self._at, len(words)))
                    break
                self._places.append(self._at)
            elif not self._option(word):
                return None
            self._at += 1
        if len(self._places) > by.operands_max:
            return None
        return Reading(tuple(self._options), tuple([words[place] for place in self._places]), tuple(self._places))

    def _option(self, word: str) -> bool:
        by = self._by
        if by.numeric and word[1:].isdecimal():
            self._options.append(("-NUM", word[1:]))
            return True
        if by.single_dash_words:
            return self._whole(word)
        if word[:2] == "--":
            return self._long(word)
        return self._cluster(word)

    def _whole(self, word: str) -> bool:
        by = self._by
        if word in by.flags:
            self._options.append((word, None))
            return True
        return word in by.valued and self._take_next(word)

    def _long(self, word: str) -> bool:
        by = self._by
        name, equals, value = word.partition("=")
        if equals:
            if name not in by.valued and name not in by.optional:
                return False
            self._options.append((name, value))
            return True
        if name in by.flags or name in by.optional:
            self._options.append((name, None))
            return True
        return name in by.valued and self._take_next(name)

    def _cluster(self, word: str) -> bool:
        by = self._by
        for place in range(1, len(word)):
            name, rest = "-" + word[place], word[place + 1 :]
            if name in by.valued:
                if not rest:
                    return self._take_next(name)
                self._options.append((name, rest))
                return True
            if name in by.optional:
                self._options.append((name, rest or None))
                return True
            if name not in by.flags:
                return False
            self._options.append((name, None))
        return True

    def _take_next(self, name: str) -> bool:
        """A value in a word of its own. One that looks like an option is refused: if the program took the name for
        a flag after all, the next word would be an option nobody looked at. `-mtime -1` stays possible."""
        if self._at + 1 >= len(self._words):
            return False
        self._at += 1
        following = self._words[self._at]
        if following[:1] == "-" and len(following) > 1 and not following[1].isdecimal():
            return False
        self._options.append((name, self._words[self._at]))
        return True

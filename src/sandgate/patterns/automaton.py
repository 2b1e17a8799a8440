"""Regular expressions that look at every character once, however they were written.

Python's `re` tries alternatives one after the other: `(a*)*b` on thirty letters runs for minutes, nothing can stop
it, and here the pattern comes from a model and the text from a program. So the syntax is Python's, read by Python's own
parser, but what it describes becomes a machine whose possible states are followed all at once. Refused is what no
such machine can do: looking around, referring back, possessive repeats. The size of the machine is bounded, so the
work for one character is too. A line begins and ends where a terminal breaks it (`^` and `$` know CR and LF, and the
end of what there is so far).
"""

from __future__ import annotations

from sandgate.errors import RequestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    Test = Callable[[str], bool]
    Place = Callable[[str, str], bool]

PATTERN_CHARS_MAX = 1_024
NODES_MAX = 256  # of all patterns of one wait, repeats written out
_STEPS_MAX = 16 * NODES_MAX  # of building: repeats of nothing add no nodes and still take time

NOTHING = ""  # the neighbour at the beginning and at the end of the text
_BREAKS = (NOTHING, "\n", "\r")


class Nodes:
    """The machine under construction, then a table: what each node tests and where it leads.

    A node is in one of three tables or, as a mere fork, in none: `tests` of the next character, `places` tests of the
    two neighbours of a position, `ends` with the number of the pattern that is complete there.
    """

    def __init__(self) -> None:
        self.tests: dict[int, Test] = {}
        self.places: dict[int, Place] = {}
        self.ends: dict[int, int] = {}
        self.following: list[tuple[int, ...]] = []
        self._steps = 0

    def add(self, *following: int) -> int:
        self.step()
        if len(self.following) >= NODES_MAX:
            raise RequestError(
                "the patterns to wait for are too long",
                why=f"with every repeat written out they have more than {NODES_MAX} steps",
                hint="wait for a shorter text; `.{100}` counts as a hundred steps, `.*` as one",
            )
        self.following.append(following)
        return len(self.following) - 1

    def step(self) -> None:
        """Counts work that may add nothing."""
        self._steps += 1
        if self._steps > _STEPS_MAX:
            raise RequestError("the patterns to wait for are too long", why="they repeat repeats too many times")

    def character(self, test: Test, following: int) -> int:
        node = self.add(following)
        self.tests[node] = test
        return node

    def place(self, test: Place, following: int) -> int:
        node = self.add(following)
        self.places[node] = test
        return node

    def end(self, pattern: int) -> int:
        node = self.add()
        self.ends[node] = pattern
        return node

    def reached(self, first: Iterable[int], before: str, after: str, seen: set[int] | None = None) -> list[int]:
        """Character nodes and ends that `first` leads to between two characters, but not through those in `seen`."""
        waiting = list(first)
        seen = set() if seen is None else seen
        found = []
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            if node in self.tests or node in self.ends:
                found.append(node)
            elif node not in self.places or self.places[node](before, after):
                waiting += self.following[node]
        return found


def add_text(nodes: Nodes, text: str, pattern: int) -> int:
    """The first node of a text that stands for itself."""
    node = nodes.end(pattern)
    for char in reversed(text):
        node = nodes.character(char.__eq__, node)
    return node


def add_regex(nodes: Nodes, text: str, pattern: int) -> int:
    """The first node of a regular expression; RequestError when it is none, or needs more than a machine can do."""
    import re
    import warnings
    from importlib import import_module

    # Python's own reader of patterns, beneath `re`; it has no public name since 3.11.
    reader = import_module("re._parser")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a later Python may read otherwise is no news to a model
            tree = reader.parse(text)
        return _Builder(nodes, text).sequence(tree, nodes.end(pattern), tree.state.flags)
    except (re.error, OverflowError, RecursionError) as problem:
        raise RequestError(
            f"cannot read the pattern `{text}`",
            why=str(problem),
            hint="to wait for these very characters, give them as text instead of a regular expression",
        ) from None


class _Builder:
    """Builds from the end to the beginning: every part is told what follows it."""

    def __init__(self, nodes: Nodes, text: str) -> None:
        self._nodes = nodes
        self._text = text

    def sequence(self, items: Any, following: int, flags: int) -> int:
        self._nodes.step()
        for op, argument in reversed(list(items)):
            following = self._item(op.name, argument, following, flags)
        return following

    def _item(self, op: str, argument: Any, following: int, flags: int) -> int:
        match op:
            case "LITERAL" | "NOT_LITERAL" | "IN" | "ANY":
                return self._nodes.character(_character_test(op, argument, flags), following)
            case "MAX_REPEAT" | "MIN_REPEAT":
                least, most, inner = argument
                return self._repeat(least, most, inner, following, flags)
            case "BRANCH":
                return self._nodes.add(*(self.sequence(branch, following, flags) for branch in argument[1]))
            case "SUBPATTERN":
                _group, added, removed, inner = argument
                return self.sequence(inner, following, (flags | added) & ~removed)
            case "AT":
                return self._nodes.place(_place_test(argument.name), following)
        raise RequestError(
            f"cannot wait for the pattern `{self._text}`",
            why="it looks around, refers back or repeats possessively",
            hint="use plain characters, classes, groups, alternatives and repeats",
        )

    def _repeat(self, least: int, most: Any, inner: Any, following: int, flags: int) -> int:
        if getattr(most, "name", "") == "MAXREPEAT":
            loop = self._nodes.add()
            self._nodes.following[loop] = (self.sequence(inner, loop, flags), following)
            node = loop
        else:
            node = following
            for _ in range(most - least):
                node = self._nodes.add(self.sequence(inner, node, flags), following)
        for _ in range(least):
            node = self.sequence(inner, node, flags)
        return node


def _character_test(op: str, argument: Any, flags: int) -> Test:
    from re import DOTALL, IGNORECASE

    if op == "ANY":
        return (lambda _char: True) if flags & DOTALL else (lambda char: char != "\n")
    items = argument if op == "IN" else [(None, argument)]
    negated = op == "NOT_LITERAL" or (items[0][0] is not None and items[0][0].name == "NEGATE")
    among = [_one_of(item) for item in items if item[0] is None or item[0].name != "NEGATE"]

    def is_among(char: str) -> bool:
        return any(test(char) for test in among)

    if not flags & IGNORECASE:
        return lambda char: is_among(char) != negated
    return lambda char: (is_among(char) or is_among(char.lower()) or is_among(char.upper())) != negated


def _one_of(item: tuple[Any, Any]) -> Test:
    op, argument = item
    if op is None or op.name == "LITERAL":
        return chr(argument).__eq__
    if op.name == "RANGE":
        low, high = chr(argument[0]), chr(argument[1])
        return lambda char: low <= char <= high and len(char) == 1
    kind = argument.name.removeprefix("CATEGORY_")
    test = _CATEGORIES[kind.removeprefix("NOT_")]
    return (lambda char: not test(char)) if kind.startswith("NOT_") else test


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


_CATEGORIES: dict[str, Test] = {"DIGIT": str.isdecimal, "SPACE": str.isspace, "WORD": _is_word}


def _place_test(name: str) -> Place:
    match name:
        case "AT_BEGINNING":
            return lambda before, _after: before in _BREAKS
        case "AT_END":
            return lambda _before, after: after in _BREAKS
        case "AT_BEGINNING_STRING":
            return lambda before, _after: before == NOTHING
        case "AT_END_STRING":
            return lambda _before, after: after == NOTHING
        case "AT_BOUNDARY":
            return lambda before, after: _is_word(before) != _is_word(after)
        case _:  # AT_NON_BOUNDARY, the last one there is
            return lambda before, after: _is_word(before) == _is_word(after)

"""Reads what a bash script computes and compares: `$((i + 1))` and `[[ -f x ]]`.

Both can run commands when they take the text of a variable for a number, which bash evaluates again. Part of `bash`.
"""

from __future__ import annotations

from sandgate.commandline.bashwords import WORDS, Word, WordReader
from sandgate.commandline.expansions import BINARY_TESTS, NUMERIC_TESTS, UNARY_TESTS, counted, is_number, prints_number
from sandgate.commandline.steady import variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from tree_sitter import Node

    from sandgate.commandline.bashwords import Word

    class Assigning(Protocol):
        """What is needed of a command."""

        @property
        def words(self) -> tuple[Word, ...]: ...
        @property
        def assignments(self) -> tuple[Word, ...]: ...


TEST_PARTS = frozenset(("unary_expression", "binary_expression", "negated_expression", "parenthesized_expression"))
_TESTS = UNARY_TESTS | BINARY_TESTS | NUMERIC_TESTS


class ConditionReader(WordReader):
    """Remembers which variables are counted with, and which are loop variables."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self._counted: frozenset[str] = frozenset()
        self._compared: frozenset[str] = frozenset()  # with numbers, in `[ … ]`
        self._loop_names: set[str] = set()

    def _counts(self, node: Node) -> bool:
        """`$((i + 1))` of numbers, and of variables that can only hold numbers: others are evaluated again."""
        names = counted(self._text(node))
        self._counted |= names or frozenset()
        return names is not None

    def _number(self, node: Node) -> Word | None:
        """`$i` in `[ $i -lt 3 ]`: some number, when the script assigns nothing but numbers to it."""
        around = node.parent
        if around is None or around.type != "binary_expression":
            return None
        operator = next((self._text(child) for child in around.children if child.type == "test_operator"), "")
        text = self._text(node).strip('"')
        if operator not in NUMERIC_TESTS or text[:1] != "$" or not self._can_be_number(text):
            return None
        if text[:2] == "$(":
            self._word(node)  # its commands are looked at
        return Word("0", bare=False, plain=False)

    def _can_be_number(self, text: str) -> bool:
        """Whether `text` is a number, prints one, or is a variable that is to be looked at for it."""
        if is_number(text) or prints_number(text):
            return True
        name = variable(text.strip('"'))
        self._compared |= {name} if name else frozenset()
        return bool(name)

    def _numbers_only(self, commands: Sequence[Assigning]) -> bool:
        """Every variable that is counted with is only ever assigned numbers and sums."""
        looked_at = self._counted | self._compared
        if not looked_at:
            return True
        numbers: set[str] = set()
        others = {word.text for command in commands for word in command.words} | self._loop_names
        for name, _, value in [word.text.partition("=") for command in commands for word in command.assignments]:
            number = value.isdecimal() or prints_number(value) or counted(value) is not None
            (numbers if number else others).add(name.removesuffix("+"))
        return looked_at <= numbers - others

    def _conditional(self, node: Node) -> None:
        """`[[ … ]]`: its operands run nothing unless they are taken for numbers."""
        pending = [node]
        while pending:
            part = pending.pop()
            kind = part.type
            if kind in ("[[", "]]"):
                continue
            if kind == "test_command" or kind in TEST_PARTS:
                self._check_gaps(part, part.children)
                self._readable = self._readable and self._only_compares(part)
                pending.extend(reversed(part.children))
            elif kind in ("extglob_pattern", "regex"):
                self._readable = self._readable and _expands_nothing(self._text(part))
                self._stack.extend(part.children)
            elif kind in WORDS:
                self._word(part)
            elif kind == "test_operator" or not part.is_named:
                self._readable = self._readable and self._text(part) in _TESTS
            else:
                self._distrust()
                self._stack.append(part)

    def _only_compares(self, part: Node) -> bool:
        operator = next((self._text(child) for child in part.children if child.type == "test_operator"), "")
        if part.type == "unary_expression":
            return operator in UNARY_TESTS or not operator
        if operator not in NUMERIC_TESTS:
            return True
        return all(self._can_be_number(self._text(child)) for child in part.children if child.type != "test_operator")


def _expands_nothing(pattern: str) -> bool:
    """No substitution in it: each `$` is the end of a line to look for."""
    return "`" not in pattern and all(after[:1] in ("", ")", "|", " ") for after in pattern.split("$")[1:])

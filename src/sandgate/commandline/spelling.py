"""Spells the words of a script: quotes taken off, everything the shell would still expand kept apart."""

from __future__ import annotations

from sandgate.commandline.decoding import ansi, unquoted
from sandgate.commandline.embedded import embedded
from sandgate.commandline.script import Piece, Word, loose_word
from sandgate.commandline.words import unescaped_in_double_quotes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Node = Any  # tree_sitter.Node: its types are not worth importing the wrapper for

SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
_BY_TEXT_ALONE = frozenset({"word", "number", "raw_string"})  # nodes whose pieces depend on nothing but their text


class Spelling:
    """Reads words of one source text. `sound` turns False when the grammar joined what a shell keeps apart."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.sound = True
        self.missed: list[str] = []  # scripts in substitutions that the grammar took for text, not yet collected
        self._spelled: dict[tuple[str, bytes], tuple[Piece, ...]] = {}

    def text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")

    def words(self, nodes: list[Node]) -> tuple[tuple[Word, ...], list[Node]]:
        """The words of `nodes`, and the substitutions met inside them."""
        inner: list[Node] = []
        made: list[list[Piece]] = []
        end = -1
        for node in nodes:
            pieces = self._word(node, inner)
            if node.start_byte == end and made:  # `$"x"` and the like: the grammar splits what the shell joins
                made[-1].extend(pieces)
            else:
                made.append([*pieces])
            end = node.end_byte
        return tuple([Word(tuple(pieces)) for pieces in made]), inner

    def _word(self, node: Node, inner: list[Node]) -> tuple[Piece, ...]:
        kind = node.type
        if kind not in _BY_TEXT_ALONE:
            return tuple(self._pieces(node, inner))
        key = (kind, self.source[node.start_byte : node.end_byte])
        pieces = self._spelled.get(key)
        if pieces is None:
            if kind == "word" and b"\\" not in key[1] and b"\n" not in key[1]:
                pieces = (Piece("text", key[1].decode("utf-8", "surrogateescape")),)
            else:
                pieces = tuple(self._pieces(node, inner))
            if b"\n" not in key[1]:
                self._spelled[key] = pieces
        return pieces

    def _pieces(self, root: Node, inner: list[Node]) -> Iterator[Piece]:
        """Flatten one word. Gaps between the parts of a string are blanks that the grammar leaves out."""
        stack: list[tuple[Node | bytes, bool]] = [(root, False)]
        while stack:
            node, quoted = stack.pop()
            if isinstance(node, bytes):
                if node:
                    yield Piece("text", node.decode("utf-8", "surrogateescape"), quoted=True)
                continue
            kind = node.type
            if kind in {"string", "concatenation", "translated_string", "command_name"}:
                stack.extend(reversed(self._parts(node, quoted or kind == "string")))
            elif kind == "simple_expansion" and (name := self.text(node)[1:]).isidentifier() and name.isascii():
                yield Piece("variable", name, quoted)
            elif kind in {"simple_expansion", "expansion"}:
                for each in descend(node):
                    if each.type in SUBSTITUTIONS:
                        inner.append(each)
                    elif each.type == "word":
                        self.missed += embedded(self.text(each))
                yield self._variable(node, quoted)
            elif kind in SUBSTITUTIONS:
                inner.append(node)
                yield Piece("command", self.text(node).strip("$`()<> "), quoted)
            elif kind == "arithmetic_expansion":
                inner += [each for each in descend(node) if each.type in SUBSTITUTIONS]
                yield Piece("opaque", self.text(node), quoted)
            elif kind == "variable_assignment":
                inner += [each for each in descend(node) if each.type in SUBSTITUTIONS]
                yield from loose_word(self.text(node)).pieces
            else:
                yield from self._plain(node, quoted)

    def _parts(self, node: Node, quoted: bool) -> list[tuple[Node | bytes, bool]]:
        parts: list[tuple[Node | bytes, bool]] = []
        end = node.start_byte
        for child in node.children:
            if quoted and child.start_byte > end:
                parts.append((self.source[end : child.start_byte], True))
            end = child.end_byte
            if quoted and child.child_count:
                before = self.source[child.start_byte : end]
                parts.append((before[: len(before) - len(before.lstrip())], True))  # blanks the grammar gives to `$`
            if not (quoted and child.type == '"'):
                parts.append((child, quoted))
        return parts

    def _plain(self, node: Node, quoted: bool) -> Iterator[Piece]:
        text = self.text(node)
        if node.type == "raw_string":
            yield Piece("text", text[1:-1], quoted=True)
        elif node.type == "ansi_c_string":
            yield Piece("text", ansi(text[2:-1]), quoted=True)
        elif quoted:
            yield Piece("text", unescaped_in_double_quotes(text), quoted=True)
        else:
            if "\n" in text.replace("\\\n", ""):
                # The grammar reads a line break before a backslash (`ls⏎\rm x`) as part of a word. It is not.
                self.sound = False
            yield from unquoted(text)

    def _variable(self, node: Node, quoted: bool) -> Piece:
        names = [child for child in node.children if child.is_named]
        if not names:
            return Piece("variable", "?", quoted)
        name = self.text(names[0]).partition("[")[0]
        operator = self.source[names[0].end_byte : node.end_byte].decode("utf-8", "surrogateescape").rstrip("}")
        for default in (":-", "-", ":=", "="):
            if operator.startswith(default):
                return Piece("variable", name, quoted, operator[len(default) :])
        if operator or self.text(node).lstrip().startswith(("${!", "${#")):
            return Piece("opaque", self.text(node), quoted)
        return Piece("variable", name, quoted)


def literal_word(token: str) -> Word:
    """The word of a token that is bare, or in quotes with nothing to expand inside (see everyday.py)."""
    if token[0] in "'\"":
        return Word((Piece("text", token[1:-1], quoted=True),) if token != '""' else ())
    return Word((Piece("text", token),))


def descend(root: Node) -> Iterator[Node]:
    """Every node below `root`, not looking inside substitutions: those are walked on their own."""
    stack = list(reversed(root.children))
    while stack:
        node = stack.pop()
        yield node
        if node.type not in SUBSTITUTIONS:
            stack.extend(reversed(node.children))

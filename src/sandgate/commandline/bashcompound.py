"""Reads the parts of bash that stand around commands: functions, `case`, declarations. Part of `bash`.

A function runs nothing until it is called. Its body is read like any other commands; a call counts as read only behind
a definition that surely took place, and never inside a function, where it could be one that calls itself.
"""

from __future__ import annotations

from sandgate.commandline.bashconditions import ConditionReader
from sandgate.commandline.bashwords import REDIRECTS, WORDS, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_PATTERNS = WORDS | {"extglob_pattern", "regex"}
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")
_DECLARING = frozenset(("local", "export", "readonly"))


class CompoundReader(ConditionReader):
    """Remembers which functions a script defines, and where."""

    if TYPE_CHECKING:  # the reader of commands has them

        def _redirect(self, node: Node) -> list[Word]: ...

        def _assignment(self, node: Node) -> Word: ...

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self._functions: set[str] = set()
        self._bodies_end = 0  # of the function read last; functions are only read at the top of a script

    def _function(self, node: Node) -> None:
        """`name() { … }`, `function name { … }`."""
        self._plain = self._around_here_document = False
        children = node.children
        self._check_gaps(node, children)
        name = self._text(node.child_by_field_name("name") or node)
        body = node.child_by_field_name("body")
        outermost = node.parent is not None and node.parent.type == "program"
        braced = body is not None and body.type == "compound_statement" and body.children[0].type == "{"
        if not (outermost and braced and name[:1].isalpha() and _LETTERS.issuperset(name)):
            self._readable = False
        for child in children:
            if child.type in REDIRECTS:
                self._redirect(child)
        self._functions.add(name)
        self._bodies_end = node.end_byte
        if body is not None:
            self._stack.append(body)

    def _calls_function(self, node: Node, words: list[Word]) -> bool:
        """Whether this command calls a function that is defined by then."""
        known = bool(words) and words[0].bare and words[0].text in self._functions
        return known and node.start_byte >= self._bodies_end

    def _case(self, node: Node) -> None:
        """`case WORD in PATTERN) … ;; esac`: subject and patterns run nothing but what is substituted in them."""
        self._plain = self._around_here_document = False
        children = node.children
        self._check_gaps(node, children)
        inner: list[Node] = []
        for child in children:
            if child.type in _PATTERNS:
                self._pattern(child)
            elif child.is_named:
                inner.append(child)
        self._stack.extend(reversed(inner))

    def _pattern(self, node: Node) -> None:
        text = self._text(node)
        if node.type in ("extglob_pattern", "regex"):
            self._readable = self._readable and "$" not in text and "`" not in text
            self._stack.extend(node.children)
        else:
            self._word(node)

    def _declared(self, node: Node) -> tuple[Word, ...] | None:
        """The assignments of `local x=1`, `export X=1`; None when it does more than assign."""
        children = node.children
        self._plain = self._around_here_document = False
        if children[0].type not in _DECLARING or any(child.type != "variable_assignment" for child in children[1:]):
            return None
        self._check_gaps(node, children)
        return tuple([self._assignment(child) for child in children[1:]])


def last_command(node: Node) -> Node:
    """The command a redirection written behind `node` belongs to."""
    while node.type in ("pipeline", "list", "negated_command", "redirected_statement") and node.named_child_count:
        inner = [child for child in node.named_children if child.type not in REDIRECTS]
        if not inner:
            break
        node = inner[-1]
    return node

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
_DECLARING = frozenset(("local", "export", "readonly", "declare", "typeset"))
# Of variables: not a number, which is counted with, nor another name, nor handed to programs.
_KINDS = frozenset(("-a", "-A", "-g", "-r", "-ga", "-gA", "-ar", "-ra"))


class CompoundReader(ConditionReader):
    """Remembers which functions a script defines, and where."""

    if TYPE_CHECKING:  # the reader of commands has them

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
        keyword, told = children[0].type, [child for child in children[1:] if child.type == "word"]
        if keyword not in _DECLARING or not all(self._text(child) in _KINDS for child in told):
            return None
        if keyword in ("declare", "typeset") and not told:
            return None
        if any(child.type not in ("variable_assignment", "variable_name", "word") for child in children[1:]):
            return None
        if keyword == "export" and any(child.type != "variable_assignment" for child in children[1:]):
            return None  # hands over what the variable holds already
        self._check_gaps(node, children)
        return tuple(
            [
                self._assignment(child) if child.type == "variable_assignment" else Word(f"{self._text(child)}=")
                for child in children[1:]
                if child.type != "word"
            ]
        )

    def _shown(self, node: Node) -> tuple[Word, ...] | None:
        """The words of `declare -p name`, `declare -F`, which show and set nothing; None of any other."""
        children = node.children
        words = tuple([Word(self._text(child)) for child in children])
        shows = len(words) > 1 and words[1].text in ("-p", "-F", "-f", "-fF")
        if children[0].type not in ("declare", "typeset", "export") or not shows:
            return None
        if any(child.type not in ("word", "variable_name") for child in children[1:]):
            return None
        self._check_gaps(node, children)
        return words


def last_command(node: Node) -> Node:
    """The command a redirection written behind `node` belongs to."""
    while node.type in ("pipeline", "list", "negated_command", "redirected_statement") and node.named_child_count:
        inner = [child for child in node.named_children if child.type not in REDIRECTS]
        if not inner:
            break
        node = inner[-1]
    return node

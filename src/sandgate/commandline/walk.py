"""Turns the grammar's tree of a script into the flat records of script.py.

The walk keeps its own stack, so nesting costs memory and not the interpreter's stack; its work grows with the length of
the text. A script the grammar cannot read completely is still walked, and says so.
"""

from __future__ import annotations

from sandgate.commandline.decoding import ansi, unquoted
from sandgate.commandline.grammar import syntax_tree
from sandgate.commandline.script import (
    MAX_SCRIPT_BYTES,
    Assignment,
    Piece,
    Redirection,
    Script,
    SimpleCommand,
    Word,
    loose_word,
)
from sandgate.commandline.words import unescaped_in_double_quotes
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Node = Any  # tree_sitter.Node: its types are not worth importing the wrapper for

MAX_NESTING = 64  # pipelines, subshells and substitutions inside one another; people stop at five


class _Place(Record):
    """What surrounds a node."""

    pipes: tuple[tuple[int, int], ...] = ()
    subshells: tuple[int, ...] = ()
    substituted_into: int | None = None
    function: str = ""
    looped: bool = False
    background: bool = False
    stdin_text: str | None = None
    redirects: tuple[Node, ...] = ()


def script(text: str) -> Script:
    """Read `text` as bash. Never raises; a text over `MAX_SCRIPT_BYTES` or too deep comes back incomplete."""
    source = text.encode("utf-8", "surrogateescape")
    if len(source) > MAX_SCRIPT_BYTES:
        return Script((), complete=False)
    return _Walk(source).result()


_LOOPS = frozenset({"for_statement", "c_style_for_statement", "while_statement"})
_STATEMENTS = frozenset(
    {
        "program", "list", "pipeline", "command", "redirected_statement", "compound_statement", "subshell",
        "for_statement", "c_style_for_statement", "while_statement", "if_statement", "case_statement", "case_item",
        "do_group", "elif_clause", "else_clause", "function_definition", "negated_command", "declaration_command",
        "unset_command", "variable_assignment", "variable_assignments", "ERROR",
    }
)  # fmt: skip
_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
_VISITED = _STATEMENTS | _SUBSTITUTIONS | {"test_command", "subscript"}


class _Walk:
    """One pass over one tree. The stack holds nodes still to visit and commands ready to be written down."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.found: list[SimpleCommand] = []
        self.complete = True
        self.stack: list[tuple[Node, _Place] | SimpleCommand] = []
        self.counter = 0

    def result(self) -> Script:
        root = syntax_tree(self.source)
        self.complete = not root.has_error
        self.stack.append((root, _Place()))
        while self.stack:
            item = self.stack.pop()
            if isinstance(item, SimpleCommand):
                self.found.append(item)
            else:
                self.visit(*item)
        return Script(tuple(self.found), self.complete)

    def text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")

    def next_number(self) -> int:
        self.counter += 1
        return self.counter

    def visit(self, node: Node, place: _Place) -> None:
        if len(place.pipes) + len(place.subshells) > MAX_NESTING:
            self.complete = False
            return
        kind = node.type
        if kind in {"command", "declaration_command", "unset_command"}:
            self.command(node, place)
        elif kind in {"variable_assignment", "test_command"}:
            self.command_of((), [node] if kind == "variable_assignment" else [], [], node, place)
        elif kind == "redirected_statement":
            self.redirected(node, place)
        elif kind == "for_statement":
            self.loop(node, place)
        elif kind == "function_definition":
            name = node.child_by_field_name("name")
            self.children(node, place.but(function=self.text(name) if name else ""))
        elif kind == "pipeline":
            self.pipeline(node, place)
        else:
            self.children(node, self.inside(node, place))

    def inside(self, node: Node, place: _Place) -> _Place:
        """What surrounds the children of a statement that is no command itself."""
        if node.type == "subshell" or node.type in _SUBSTITUTIONS:
            place = place.but(subshells=(*place.subshells, self.next_number()))
        if node.type in _LOOPS:
            place = place.but(looped=True)
        if place.redirects:
            self.command_of((), [], list(place.redirects), node, place.but(redirects=()))
            place = place.but(redirects=())
        return place

    def children(self, node: Node, place: _Place) -> None:
        """Put the statements below `node` on the stack, the first one on top."""
        below: list[tuple[Node, _Place]] = []
        loose = node.type in {"case_statement", "c_style_for_statement"}  # their expressions may hold substitutions
        for child in node.children:
            if child.type == "&" and below:
                below[-1] = (below[-1][0], below[-1][1].but(background=True))
            elif child.type in _VISITED or (loose and child.is_named and child.child_count):
                below.append((child, place))
        self.stack.extend(reversed(below))

    def pipeline(self, node: Node, place: _Place, number: int = 0) -> None:
        """The stages in order. Positions start at 1: a here-document may leave the first stage outside (`number`)."""
        number = number or self.next_number()
        stages = [child for child in node.children if child.is_named]
        last = len(stages) - 1
        below = [
            (
                stage,
                place.but(
                    pipes=(*place.pipes, (number, position + 1)),
                    redirects=place.redirects if position == last else (),
                    stdin_text=place.stdin_text if position == last else None,
                ),
            )
            for position, stage in enumerate(stages)
        ]
        self.stack.extend(reversed(below))

    def loop(self, node: Node, place: _Place) -> None:
        words = list(node.children_by_field_name("value"))
        variable = node.child_by_field_name("variable")
        body = node.child_by_field_name("body")
        if body is not None:
            self.stack.append((body, self.inside(node, place)))
        values, inner = self.words(words)
        name = self.text(variable) if variable is not None else ""
        self.emit(SimpleCommand(assignments=(Assignment(name, values),)), inner, place)

    def redirected(self, node: Node, place: _Place) -> None:
        """Hand the redirections to the last command of the body: that is where the shell applies them."""
        body = node.child_by_field_name("body")
        redirects = _redirects(node)
        for redirect in redirects:
            place = self.after_heredoc(redirect, place)
        place = place.but(redirects=(*place.redirects, *redirects))
        if body is None:
            self.command_of((), [], list(place.redirects), node, place.but(redirects=()))
        elif body.type == "list":
            statements = [child for child in body.children if child.is_named]
            for statement in reversed(statements):
                self.stack.append((statement, place if statement is statements[-1] else place.but(redirects=())))
        elif body.type in {"command", "pipeline", "redirected_statement"}:
            self.stack.append((body, place))
        else:
            self.stack.append((body, place.but(stdin_text=self.stdin_of(redirects) or place.stdin_text)))

    def after_heredoc(self, redirect: Node, place: _Place) -> _Place:
        """`cat <<EOF | sh`: the grammar hangs what follows on the here-document. It comes after the body.

        Returns the place of the body: position 0 when what follows is the rest of its pipeline.
        """
        if redirect.type != "heredoc_redirect":
            return place
        for child in redirect.children:
            if child.type == "pipeline":
                number = self.next_number()
                self.pipeline(child, place, number)
                place = place.but(pipes=(*place.pipes, (number, 0)))
            elif child.type in _STATEMENTS:
                self.stack.append((child, place))
        return place

    def command(self, node: Node, place: _Place) -> None:
        words: list[Node] = []
        assignments: list[Node] = []
        redirects = [*place.redirects, *_redirects(node)]
        head: tuple[Word, ...] = ()
        for child in node.children:
            if child.type == "variable_assignment":
                (assignments if node.type == "command" and not words else words).append(child)
                if node.type == "declaration_command":
                    assignments.append(child)
            elif child.type.endswith("_redirect"):
                place = self.after_heredoc(child, place)
            elif child.type == "command_name":
                words.extend(child.children or [child])
            elif child.is_named or node.type == "command":
                words.append(child)
            elif node.type in {"declaration_command", "unset_command"}:
                head = (*head, Word((Piece("text", self.text(child)),)))
        words += [each for redirect in redirects for each in _words_behind(redirect)]
        self.command_of(head, assignments, redirects, node, place.but(redirects=()), words)

    def command_of(
        self,
        head: tuple[Word, ...],
        assignments: list[Node],
        redirects: list[Node],
        node: Node,
        place: _Place,
        words: list[Node] | None = None,
    ) -> None:
        """Write down one command made of these parts, its substitutions first."""
        spelled, inner = self.words(words if words is not None else [])
        assigned: list[Assignment] = []
        for each in assignments:
            name = each.child_by_field_name("name")
            value = each.child_by_field_name("value")
            nodes = [] if value is None else value.children if value.type == "array" else [value]
            values, more = self.words([child for child in nodes if child.is_named])
            inner += more
            assigned.append(Assignment(self.text(name) if name is not None else "", values or (Word(()),)))
        files, more = self.redirections(redirects)
        inner += more
        if node.type == "test_command":
            inner += [each for each in _descend(node) if each.type in _SUBSTITUTIONS]
        self.emit(
            SimpleCommand(
                words=head + spelled,
                assignments=tuple(assigned),
                redirections=files,
                stdin_text=self.stdin_of(redirects) if redirects else place.stdin_text,
            ),
            inner,
            place,
        )

    def emit(self, command: SimpleCommand, inner: list[Node], place: _Place) -> None:
        """Put `command` on the stack, the substitutions it waits for above it, those it feeds below."""
        number = self.next_number()
        feeds = [each for each in inner if each.type == "process_substitution" and self.text(each).startswith(">")]
        pipes = place.pipes
        for each in feeds:
            self.stack.append((each, place.but(pipes=(*pipes, (number, 2)), redirects=(), stdin_text=None)))
        ready = command.but(
            number=number,
            pipes=(*pipes, (number, 1)) if feeds else pipes,
            subshells=place.subshells,
            substituted_into=place.substituted_into,
            function=place.function,
            looped=place.looped,
            background=place.background,
        )
        self.stack.append(ready)
        for each in reversed(inner):
            if each not in feeds:
                around = place.but(pipes=(), substituted_into=number, redirects=(), stdin_text=None, background=False)
                self.stack.append((each, around))

    def stdin_of(self, redirects: list[Node]) -> str | None:
        for redirect in reversed(redirects):
            if redirect.type == "heredoc_redirect":
                body = next((child for child in redirect.children if child.type == "heredoc_body"), None)
                return self.text(body) if body is not None else ""
            if redirect.type == "herestring_redirect" and redirect.children:
                word, _ = self.words([redirect.children[-1]])
                return "".join(_as_written(piece) for piece in word[0].pieces)
        return None

    def redirections(self, nodes: list[Node]) -> tuple[tuple[Redirection, ...], list[Node]]:
        found: list[Redirection] = []
        inner: list[Node] = []
        for node in nodes:
            if node.type != "file_redirect":
                inner += [each for each in _descend(node) if each.type in _SUBSTITUTIONS]
                continue
            operator = next((self.text(child) for child in node.children if not child.is_named), ">")
            targets = list(node.children_by_field_name("destination"))
            words, more = self.words(targets)
            inner += more
            copies = operator in {">&", "<&"} and bool(words) and (words[0].literal or "").strip("-").isdigit()
            if words and not copies and words[0].literal != "-":
                found.append(Redirection(operator, words[0]))
        return tuple(found), inner

    def words(self, nodes: list[Node]) -> tuple[tuple[Word, ...], list[Node]]:
        """The words of `nodes`, and the substitutions met inside them."""
        inner: list[Node] = []
        made: list[Word] = []
        end = -1
        for node in nodes:
            pieces = tuple(self.pieces(node, inner))
            if node.start_byte == end and made:  # `$"x"` and the like: the grammar splits what the shell joins
                made[-1] = Word(made[-1].pieces + pieces)
            else:
                made.append(Word(pieces))
            end = node.end_byte
        return tuple(made), inner

    def pieces(self, root: Node, inner: list[Node]) -> Iterator[Piece]:
        """Flatten one word. Gaps between the parts of a string are blanks that the grammar leaves out."""
        stack: list[tuple[Node | bytes, bool]] = [(root, False)]
        while stack:
            node, quoted = stack.pop()
            if isinstance(node, bytes):
                yield Piece("text", node.decode("utf-8", "surrogateescape"), quoted=True)
                continue
            kind = node.type
            if kind in {"string", "concatenation", "translated_string", "command_name"}:
                stack.extend(reversed(self.parts(node, quoted or kind == "string")))
            elif kind in {"simple_expansion", "expansion"}:
                inner += [each for each in _descend(node) if each.type in _SUBSTITUTIONS]
                yield self.variable(node, quoted)
            elif kind in _SUBSTITUTIONS:
                inner.append(node)
                yield Piece("command", self.text(node).strip("$`()<> "), quoted)
            elif kind == "arithmetic_expansion":
                inner += [each for each in _descend(node) if each.type in _SUBSTITUTIONS]
                yield Piece("opaque", self.text(node), quoted)
            elif kind == "variable_assignment":
                inner += [each for each in _descend(node) if each.type in _SUBSTITUTIONS]
                yield from loose_word(self.text(node)).pieces
            else:
                yield from self.plain(node, quoted)

    def parts(self, node: Node, quoted: bool) -> list[tuple[Node | bytes, bool]]:
        parts: list[tuple[Node | bytes, bool]] = []
        end = node.start_byte
        for child in node.children:
            if quoted and child.start_byte > end:
                parts.append((self.source[end : child.start_byte], True))
            end = child.end_byte
            if not (quoted and child.type == '"'):
                parts.append((child, quoted))
        return parts

    def plain(self, node: Node, quoted: bool) -> Iterator[Piece]:
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
                self.complete = False
            yield from unquoted(text)

    def variable(self, node: Node, quoted: bool) -> Piece:
        names = [child for child in node.children if child.is_named]
        if not names:
            return Piece("variable", "?", quoted)
        name = self.text(names[0]).partition("[")[0]
        operator = self.source[names[0].end_byte : node.end_byte].decode("utf-8", "surrogateescape").rstrip("}")
        for default in (":-", "-", ":=", "="):
            if operator.startswith(default):
                return Piece("variable", name, quoted, operator[len(default) :])
        if operator or self.text(node).startswith(("${!", "${#")):
            return Piece("opaque", self.text(node), quoted)
        return Piece("variable", name, quoted)


def _redirects(node: Node) -> list[Node]:
    """The redirections of a statement; some hang inside a here-document that stands before them."""
    found = [child for child in node.children if child.type.endswith("_redirect")]
    inner = [each for child in found if child.type == "heredoc_redirect" for each in child.children]
    return found + [each for each in inner if each.type.endswith("_redirect")]


_WORDS = frozenset(
    [
        "word",
        "string",
        "raw_string",
        "ansi_c_string",
        "concatenation",
        "number",
        "simple_expansion",
        "expansion",
        "command_substitution",
        "process_substitution",
        "arithmetic_expansion",
    ]
)


def _words_behind(redirect: Node) -> list[Node]:
    """`bash <<EOF -s x`: arguments that follow a here-document on its line."""
    return [child for child in redirect.children if child.type in _WORDS] if redirect.type == "heredoc_redirect" else []


def _descend(root: Node) -> Iterator[Node]:
    """Every node below `root`, not looking inside substitutions: those are walked on their own."""
    stack = list(reversed(root.children))
    while stack:
        node = stack.pop()
        yield node
        if node.type not in _SUBSTITUTIONS:
            stack.extend(reversed(node.children))


def _as_written(piece: Piece) -> str:
    if piece.kind == "variable":
        return "${" + piece.text + "}"
    return piece.text if piece.kind == "text" else "$(" + piece.text + ")"

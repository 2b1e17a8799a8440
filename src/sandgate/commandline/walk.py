"""Turns the grammar's tree of a script into the flat records of script.py.

The walk keeps its own stack, so nesting costs memory and not the interpreter's stack; its work grows with the length of
the text. A script the grammar cannot read completely is still walked, and says so.
"""

from __future__ import annotations

from sandgate.commandline.embedded import expanded_again
from sandgate.commandline.endless import endless
from sandgate.commandline.everyday import everyday
from sandgate.commandline.grammar import SCRIPT_BYTES_MAX, syntax_tree
from sandgate.commandline.recent import Recent
from sandgate.commandline.redirects import redirects_of, unread, words_behind
from sandgate.commandline.script import Assignment, Piece, Redirection, Script, SimpleCommand, Word, added
from sandgate.commandline.spelling import SUBSTITUTIONS, Spelling, descend, literal_word
from sandgate.commandline.subscripts import evaluated
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.commandline.everyday import Stage

    Node = Any  # tree_sitter.Node: its types are not worth importing the wrapper for

COMMANDS_MAX = 2_500  # with a program that is named; whoever judges gives up earlier, and calls it too long
MAX_NESTING = 64  # pipelines, subshells and substitutions inside one another; people stop at five


class _Place(Record):
    """What surrounds a node."""

    pipes: tuple[tuple[int, int], ...] = ()
    subshells: tuple[int, ...] = ()
    substituted_into: int | None = None
    function: str = ""
    looped: bool = False
    spinning: bool = False
    background: bool = False
    stdin_text: str | None = None
    redirects: tuple[Node, ...] = ()


_recent = Recent()


def script(text: str) -> Script:
    """Read `text` as bash. Never raises; a text beyond the parser's limits or too deep comes back incomplete."""
    known: Script | None = _recent.get(text)
    return known if known is not None else _recent.keep(text, _read(text))


def _read(text: str) -> Script:
    source = text.encode("utf-8", "surrogateescape")
    found = everyday(text) if len(source) <= SCRIPT_BYTES_MAX else None
    if found is not None:
        return _everyday_script(found[0])
    root = syntax_tree(source)
    return Script((), complete=False) if root is None else _Walk(source).result(root)


def _everyday_script(pipelines: list[list[Stage]]) -> Script:
    """The same as the tree gives, made of tokens that mean themselves."""
    known: dict[str, Word] = {}
    commands: list[SimpleCommand] = []
    serials: dict[tuple[tuple[object, ...], ...], int] = {}
    kinds: list[tuple[int, int]] = []
    number = 0
    for pipeline in pipelines:
        said = tuple([(*stage.tokens, None, *stage.sent) for stage in pipeline])
        kinds.append((serials.setdefault(said, len(serials)), len(pipeline)))
        pipes: tuple[tuple[int, int], ...] = ()
        if len(pipeline) > 1:
            number += 1
        around = number
        for position, stage in enumerate(pipeline):
            number += 1
            if len(pipeline) > 1:
                pipes = ((around, position + 1),)
            files: tuple[Redirection, ...] = ()
            if stage.sent:
                files = tuple([Redirection(how, literal_word(file)) for _, how, file in stage.sent if how != ">&"])
            for token in stage.tokens:
                if token not in known:
                    known[token] = literal_word(token)
            words = tuple([known[token] for token in stage.tokens])
            commands.append(SimpleCommand(words, (), files, None, number, pipes))
    return Script(tuple(commands), complete=True, kinds=tuple(kinds))


_LOOPS = frozenset({"for_statement", "c_style_for_statement", "while_statement"})
_STATEMENTS = frozenset(
    {
        "program", "list", "pipeline", "command", "redirected_statement", "compound_statement", "subshell",
        "for_statement", "c_style_for_statement", "while_statement", "if_statement", "case_statement", "case_item",
        "do_group", "elif_clause", "else_clause", "function_definition", "negated_command", "declaration_command",
        "unset_command", "variable_assignment", "variable_assignments", "ERROR",
    }
)  # fmt: skip
_WITH_EXPRESSIONS = frozenset({"case_statement", "c_style_for_statement"})
_VISITED = _STATEMENTS | SUBSTITUTIONS | {"test_command", "subscript"}


class _Walk:
    """One pass over one tree. The stack holds nodes still to visit and commands ready to be written down."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.spelling = Spelling(source)
        self.found: list[SimpleCommand] = []
        self.complete = True
        self.stack: list[tuple[Node, _Place] | SimpleCommand] = []
        self.counter = 0

    def result(self, root: Node) -> Script:
        self.complete = not root.has_error
        text = self.source.decode("utf-8", "surrogateescape")
        self.spelling.missed += (*evaluated(text), *expanded_again(text))
        self.stack.append((root, _Place()))
        named = 0
        while self.stack and named <= COMMANDS_MAX:
            item = self.stack.pop()
            if isinstance(item, SimpleCommand):
                self.found.append(item)
                named += _is_named(item)
            else:
                self.visit(*item)
        return Script(tuple(self.found), self.complete and self.spelling.sound)

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
            self.children(node, place.but(function=self.spelling.text(name) if name else ""))
        elif kind == "pipeline":
            self.pipeline(node, place)
        elif kind == "negated_command":
            self.children(node, place)
        else:
            self.children(node, self.inside(node, place))

    def inside(self, node: Node, place: _Place) -> _Place:
        """What surrounds the children of a statement that is no command itself."""
        if node.type == "subshell" or node.type in SUBSTITUTIONS:
            place = place.but(subshells=(*place.subshells, self.next_number()))
        if node.type in _LOOPS:
            place = place.but(looped=True)
        if node.type == "do_group" and node.parent is not None and endless(self.spelling.text(node.parent)):
            place = place.but(spinning=True)
        if place.redirects:
            self.command_of((), [], list(place.redirects), node, place.but(redirects=()))
            place = place.but(redirects=())
        return place

    def children(self, node: Node, place: _Place) -> None:
        """Put the statements below `node` on the stack, the first one on top."""
        below: list[tuple[Node, _Place]] = []
        # Their expressions may hold substitutions.
        loose = node.type in _WITH_EXPRESSIONS or self.source[node.start_byte : node.start_byte + 2] == b"(("
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
        values, inner = self.spelling.words(words)
        name = self.spelling.text(variable) if variable is not None else ""
        self.emit((), (Assignment(name, values),), (), None, inner, place)

    def redirected(self, node: Node, place: _Place) -> None:
        """Hand the redirections to the last command of the body: that is where the shell applies them."""
        body = node.child_by_field_name("body")
        redirects = redirects_of(node)
        for file in (each for each in redirects if each.type == "file_redirect"):
            self.check_gaps(file)
        for redirect in redirects:
            place = self.after_heredoc(redirect, place)
        place = place.but(redirects=(*place.redirects, *redirects))
        if body is None:
            self.command_of((), [], list(place.redirects), node, place.but(redirects=()))
        elif body.type == "list":
            statements = [child for child in body.children if child.is_named]
            for statement in reversed(statements):
                self.stack.append((statement, place if statement is statements[-1] else place.but(redirects=())))
        elif body.type in {"command", "pipeline", "redirected_statement", "negated_command"}:
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
        redirects = [*place.redirects, *redirects_of(node)]
        head: tuple[Word, ...] = ()
        self.check_gaps(node)
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
                head = (*head, Word((Piece("text", self.spelling.text(child)),)))
        words += [each for redirect in redirects for each in words_behind(redirect)]
        around = place.but(redirects=()) if place.redirects else place
        self.command_of(head, assignments, redirects, node, around, words)

    def check_gaps(self, node: Node) -> None:
        """A line break between the words of one command ends it for a shell; the grammar reads over some."""
        end = node.start_byte
        if b"\n" not in self.source[end : node.end_byte]:
            return
        for child in node.children:
            if child.start_byte > end and b"\n" in self.source[end : child.start_byte].replace(b"\\\n", b""):
                self.complete = False
            end = child.end_byte

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
        spelled, inner = self.spelling.words(words or [])
        assigned: list[Assignment] = []
        for each in assignments:
            name = each.child_by_field_name("name")
            value = each.child_by_field_name("value")
            nodes = [] if value is None else value.children if value.type == "array" else [value]
            values, more = self.spelling.words([child for child in nodes if child.is_named])
            inner += more
            if name is not None and name.child_count:
                inner += [part for part in descend(name) if part.type in SUBSTITUTIONS]
            called = self.spelling.text(name) if name is not None else ""
            if any(child.type == "+=" for child in each.children):
                values = added(called, values, array=value is not None and value.type == "array")
            assigned.append(Assignment(called, values or (Word(()),)))
        files, more = self.redirections(redirects)
        inner += more
        if node.type == "test_command":
            inner += [each for each in descend(node) if each.type in SUBSTITUTIONS]
            self.spelling.missed += evaluated(self.spelling.text(node))  # `[[ 'a[$(x)]' -eq 1 ]]`
        stdin_text = self.stdin_of(redirects) if redirects else place.stdin_text
        self.emit(head + spelled, tuple(assigned), files, stdin_text, inner, place)

    def emit(
        self,
        words: tuple[Word, ...],
        assignments: tuple[Assignment, ...],
        files: tuple[Redirection, ...],
        stdin_text: str | None,
        inner: list[Node],
        place: _Place,
    ) -> None:
        """Put a command on the stack, the substitutions it waits for above it, those it feeds below."""
        number = self.next_number()
        feeds = inner and [
            each for each in inner if each.type == "process_substitution" and self.spelling.text(each).startswith(">")
        ]
        pipes = place.pipes
        for each in feeds:
            self.stack.append((each, place.but(pipes=(*pipes, (number, 2)), redirects=(), stdin_text=None)))
        ready = SimpleCommand(
            words,
            assignments,
            files,
            stdin_text,
            number,
            (*pipes, (number, 1)) if feeds else pipes,
            place.subshells,
            place.substituted_into,
            place.function,
            place.looped,
            place.background,
            place.spinning,
        )
        self.stack.append(ready)
        if not inner and not self.spelling.missed:
            return
        around = place.but(pipes=(), substituted_into=number, redirects=(), stdin_text=None, background=False)
        self.missed(around)
        for each in reversed(inner):
            if each not in feeds:
                self.stack.append((each, around))

    def missed(self, place: _Place) -> None:
        """Put what the grammar took for text on the stack, as something a shell evaluates."""
        for text in self.spelling.missed:
            words = literal_word("eval"), Word((Piece("text", text, quoted=True),))
            around = place.subshells, place.substituted_into, place.function, place.looped
            self.stack.append(SimpleCommand(words, (), (), None, self.next_number(), (), *around))
        self.spelling.missed = []

    def stdin_of(self, redirects: list[Node]) -> str | None:
        for redirect in reversed(redirects):
            if redirect.type == "heredoc_redirect":
                body = next((child for child in redirect.children if child.type == "heredoc_body"), None)
                return self.spelling.text(body) if body is not None else ""
            if redirect.type == "herestring_redirect" and redirect.children:
                word, _ = self.spelling.words([redirect.children[-1]])
                return "".join(_as_written(piece) for piece in word[0].pieces)
        return None

    def redirections(self, nodes: list[Node]) -> tuple[tuple[Redirection, ...], list[Node]]:
        found: list[Redirection] = []
        inner: list[Node] = []
        for node in nodes:
            if node.type != "file_redirect":
                inner += [each for each in descend(node) if each.type in SUBSTITUTIONS]
                self.spelling.missed += unread(node, self.spelling)
                continue
            operator = next((self.spelling.text(child) for child in node.children if not child.is_named), ">")
            targets = list(node.children_by_field_name("destination"))[:1]
            words, more = self.spelling.words(targets)
            inner += more
            copies = operator in {">&", "<&"} and bool(words) and (words[0].literal or "").strip("-").isdigit()
            if words and not copies and words[0].literal != "-":
                found.append(Redirection(operator, words[0]))
        return tuple(found), inner


def _is_named(command: SimpleCommand) -> bool:
    """Whether something runs whatever the variables hold: a name that no expansion makes nothing of."""
    pieces = command.words[0].pieces if command.words else ()
    return len(pieces) == 1 and pieces[0].kind == "text" and pieces[0].text[:1].isalnum()


def _as_written(piece: Piece) -> str:
    if piece.kind == "variable":
        return "${" + piece.text + "}"
    return piece.text if piece.kind == "text" else "$(" + piece.text + ")"

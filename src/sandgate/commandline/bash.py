"""Reads a shell script into the simple commands it is made of.

The grammar (tree-sitter-bash, pinned) is tolerant, so a tree proves little by itself. Two allow-lists of node
types give it meaning. A *plain* script is a sequence of literal commands joined by `&&`, `||`, `;` and `|`:
its words are what the programs will get, so rules may match them. A *readable* script may also redirect, loop,
test and substitute; each command it can run is in `commands`, with words marked by how sure we are of them. In
any other script `commands` still lists whatever was found, which may only ever make a verdict stricter.

Both claims also need every byte between two tokens to be a blank bash knows: the grammar takes a no-break space
for a separator, bash takes it for a letter. The walk keeps its own stack, so nesting depth is no concern.
"""

from __future__ import annotations

from sandgate.commandline.grammar import syntax_tree
from sandgate.commandline.words import unescaped_bare, unescaped_in_double_quotes, words_of
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from tree_sitter import Node

    # exact: what the program gets. expanded: the shell replaces it, by words that begin with the same
    # character and that we need not know. unknown: it may become anything, options and nothing at all included.
    Certainty = Literal["exact", "expanded", "unknown"]

SCRIPT_BYTES_MAX = 131_072  # the kernel's MAX_ARG_STRLEN: a longer argument cannot be executed anyway
PARENTHESES_MAX = 1_000  # unclosed ones make the parser's error recovery slower than linear: 0.2 s at this many


class Word(Record):
    """One word. `text` has its quotes removed; expansions stay as they were written."""

    text: str
    certainty: Certainty = "exact"
    bare: bool = True  # no quotes, escapes, or anything the shell replaces
    plain: bool = True  # may stand in a plain script


class SimpleCommand(Record):
    """One command of a script: program and arguments, and the variables assigned for it alone."""

    words: tuple[Word, ...]
    assignments: tuple[Word, ...] = ()  # "NAME=value"

    @property
    def argv(self) -> tuple[str, ...]:
        return tuple(word.text for word in self.words)


class Redirection(Record):
    """`2>>file` is operator `>>`, descriptor `2`, target `file`. A here-document has no target."""

    operator: str
    target: Word | None
    descriptor: str = ""


class Script(Record):
    """What a script is made of, and how much of it we can vouch for."""

    commands: tuple[SimpleCommand, ...] = ()  # in order of appearance, nested ones included
    redirections: tuple[Redirection, ...] = ()
    plain: bool = False
    readable: bool = False
    here_document: bool = False  # has one, and is otherwise one literal command with redirections
    beyond_limits: bool = False  # not parsed: too long, or too many parentheses


_STRUCTURE = words_of("program list pipeline redirected_statement comment negated_command subshell compound_statement if_statement "
    "elif_clause else_clause for_statement while_statement do_group")
_PLAIN_STRUCTURE = frozenset(("program", "list", "pipeline"))
_AROUND_HERE_DOCUMENT = words_of("program redirected_statement comment variable_assignment heredoc_start heredoc_body heredoc_content heredoc_end "
    "simple_expansion variable_name")
_TOKENS = words_of("&& || ; | |& ( ) { } ! [ ] if then fi elif else for in do done while until") | {"\n", ""}
_PLAIN_TOKENS = frozenset(("&&", "||", ";", "|", "\n", ""))
_WORDS = words_of("word number raw_string string concatenation simple_expansion expansion command_substitution "
    "process_substitution ansi_c_string translated_string arithmetic_expansion brace_expression extglob_pattern "
    "regex special_variable_name variable_name")
_REDIRECTS = frozenset(("file_redirect", "herestring_redirect", "heredoc_redirect"))
_TEST_PARTS = frozenset(("unary_expression", "binary_expression", "negated_expression", "parenthesized_expression"))
_PATH_VARIABLES = (b"$HOME", b"$PWD", b"${HOME}", b"${PWD}")  # begin with a slash, whatever else they hold


def parse(script: str) -> Script:
    """Never raises and never recurses; time grows with the length of the script."""
    try:
        source = script.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a surrogate pair: no such argument can be passed to a program
        return Script(commands=_guesses(script))
    if len(source) > SCRIPT_BYTES_MAX or source.count(b"(") > PARENTHESES_MAX:
        return Script(commands=_guesses(script), beyond_limits=True)
    if b"\0" in source:
        return Script(commands=_guesses(script))
    return _Reader(source).read()


class _Reader:
    """Walks one syntax tree once."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._stack: list[Node] = []
        self._commands: list[SimpleCommand] = []
        self._at: dict[int, int] = {}  # node id of a command → its place in _commands
        self._late: list[tuple[int, list[Word]]] = []  # words found behind a redirection, for that command
        self._redirections: list[Redirection] = []
        self._plain = True
        self._readable = True
        self._around_here_document = True
        self._here_documents = 0

    def read(self) -> Script:
        root = syntax_tree(self._source)
        broken = root.has_error
        if broken or not self._blank(0, root.start_byte) or not self._blank(root.end_byte, len(self._source)):
            self._distrust()
        self._stack.append(root)
        while self._stack:
            self._visit(self._stack.pop())
        self._give_back_late_words()
        commands = tuple(self._commands)
        if broken:  # bash runs the lines before the mistake, and may not take it for one
            commands += _guesses(_decoded(self._source))
        one_literal = len(commands) == 1 and bool(commands[0].words) and all(word.plain for word in commands[0].words)
        return Script(
            commands=commands,
            redirections=tuple(self._redirections),
            plain=self._plain and bool(commands),
            readable=self._readable and bool(commands),
            here_document=self._around_here_document and self._here_documents > 0 and one_literal,
        )

    def _distrust(self) -> None:
        self._plain = self._readable = self._around_here_document = False

    def _visit(self, node: Node) -> None:
        kind = node.type
        if not node.is_named:
            self._plain = self._plain and kind in _PLAIN_TOKENS
            self._readable = self._readable and kind in _TOKENS
        elif kind == "command":
            self._command(node)
        elif kind == "redirected_statement":
            self._redirected(node)
        elif kind == "test_command":
            self._test(node)
        elif kind == "for_statement":
            self._loop(node)
        else:
            self._other(node)

    def _other(self, node: Node) -> None:
        """Statements around commands, and everything we do not know."""
        kind = node.type
        self._plain = self._plain and kind in _PLAIN_STRUCTURE
        self._around_here_document = self._around_here_document and kind in _AROUND_HERE_DOCUMENT
        self._readable = self._readable and kind in _STRUCTURE
        if kind == "comment":
            return
        children = node.children
        if kind == "compound_statement" and children and children[0].type != "{":  # ((arithmetic))
            self._readable = False
        if not kind.startswith("heredoc"):  # text, not tokens
            self._check_gaps(node, children)
        self._stack.extend(reversed(children))

    def _command(self, node: Node) -> None:
        words: list[Word] = []
        assignments: list[Word] = []
        self._at[node.id] = len(self._commands)
        children = node.children
        self._check_gaps(node, children)
        for child in children:
            kind = child.type
            if kind == "command_name":
                words.append(self._program(child.children[0] if child.child_count == 1 else child))
            elif kind in _WORDS:
                words.append(self._word(child))
            elif kind == "variable_assignment":
                assignments.append(self._assignment(child))
            elif kind in _REDIRECTS:
                words.extend(self._redirect(child))
            else:
                self._distrust()
                self._stack.append(child)
        self._plain = self._plain and all(word.plain for word in words)
        self._commands.append(SimpleCommand(tuple(words), tuple(assignments)))

    def _assignment(self, node: Node) -> Word:
        self._plain = False
        word = Word("")
        for child in node.named_children:
            if child.type == "variable_name":
                continue
            if child.type in _WORDS:
                word = self._word(child)
            else:
                self._distrust()
                self._stack.append(child)
        return Word(self._text(node), word.certainty, bare=False, plain=False)

    def _program(self, node: Node) -> Word:
        word = self._word(node)
        return word if word.bare and node.type == "word" else word.but(bare=False, plain=False)

    def _word(self, node: Node) -> Word:
        """The word a node stands for. Substitutions inside it go on the stack, to be walked as commands."""
        pieces = node.children if node.type == "concatenation" else [node]
        parts = [self._piece(piece) for piece in pieces]
        certainty: Certainty = "exact"
        started = False
        for piece, part in zip(pieces, parts, strict=True):
            if part.certainty == "unknown" and not (started and piece.type == "string"):
                certainty = "unknown"
                break
            if part.certainty != "exact":
                certainty = "expanded"
            started = started or bool(part.text)
        word = Word(
            text="".join([part.text for part in parts]),
            certainty=certainty,
            bare=all(part.bare for part in parts),
            plain=all(part.plain for part in parts),
        )
        return _with_patterns(word, "".join([part.text if part.bare else "x" * bool(part.text) for part in parts]))

    def _piece(self, node: Node) -> Word:
        kind = node.type
        if kind in ("word", "number") and node.child_count == 0:
            return self._bare_piece(node)
        if kind == "raw_string":
            return Word(self._text(node)[1:-1], bare=False)
        if kind == "string":
            return self._string(node)
        if kind == "brace_expression":
            return Word(self._text(node), "expanded", plain=False)
        if kind != "simple_expansion" and not self._names_a_variable(node):
            self._substitution(node)
        return self._unsure(node)

    def _bare_piece(self, node: Node) -> Word:
        text = self._text(node)
        active = _without_escaped(text)
        if "$" in active or "`" in active or "(" in active:
            self._distrust()
            return self._unsure(node)
        if active == text:
            return Word(text)
        if "*" in active or "?" in active or "[" in active or "{" in active:  # a pattern with escapes in it
            return self._unsure(node)
        return Word(unescaped_bare(text), bare=False, plain=False)

    def _string(self, node: Node) -> Word:
        """A double-quoted string: one word, whatever is expanded inside it."""
        raw = self._source[node.start_byte : node.end_byte]
        if len(raw) < 2 or raw[:1] != b'"' or raw[-1:] != b'"':
            self._distrust()
            return self._unsure(node)
        text = _decoded(raw[1:-1])
        expansions = [child for child in node.children if child.type not in ('"', "string_content")]
        if not expansions:
            return Word(unescaped_in_double_quotes(text), bare=False)
        for child in expansions:
            if child.type != "simple_expansion" and not self._names_a_variable(child):
                self._substitution(child)
        begins_literally = expansions[0].start_byte > node.start_byte + 1
        known = begins_literally or raw[1:].startswith(_PATH_VARIABLES)
        return Word(text, "expanded" if known else "unknown", bare=False, plain=False)

    def _substitution(self, node: Node) -> None:
        self._plain = self._around_here_document = False
        self._readable = self._readable and node.type == "command_substitution"
        children = node.named_children
        if any(child.type in _REDIRECTS for child in children):  # $(<file)
            self._readable = False
        self._stack.extend(reversed(children))

    def _unsure(self, node: Node) -> Word:
        return Word(self._text(node), "unknown", bare=False, plain=False)

    def _names_a_variable(self, node: Node) -> bool:
        """`${name}` and nothing more: no default, no pattern, no index, no indirection."""
        text = self._text(node) if node.type == "expansion" else ""
        return text[:2] == "${" and text[-1:] == "}" and text.isascii() and text[2:-1].isidentifier()

    def _redirected(self, node: Node) -> None:
        """The grammar takes arguments behind a redirection for further targets; they go back to the command."""
        self._plain = False
        children = node.children
        self._check_gaps(node, children)
        body = [child for child in children if child.type not in _REDIRECTS]
        late: list[Word] = []
        for child in children:
            if child.type in _REDIRECTS:
                late.extend(self._redirect(child))
        if late:
            self._late.append((_last_command(body[-1]).id if body else -1, late))
        self._stack.extend(reversed(body))

    def _redirect(self, node: Node) -> list[Word]:
        """Notes a redirection; answers with the words behind its target."""
        self._plain = False
        operator = descriptor = ""
        words: list[Word] = []
        late: list[Word] = []
        for child in node.children:
            kind = child.type
            if kind == "file_descriptor":
                descriptor = self._text(child)
            elif kind in _WORDS:
                words.append(self._word(child))
            elif kind in _REDIRECTS:
                late.extend(self._redirect(child))
            elif child.is_named:
                self._stack.append(child)
            else:
                operator = operator or kind
        if node.type == "heredoc_redirect":
            self._readable = False
            self._here_documents += 1
            self._redirections.append(Redirection(operator, None, descriptor))
            return words + late
        self._check_gaps(node, node.children)
        self._redirections.append(Redirection(operator, words[0] if words else None, descriptor))
        return words[1:] + late

    def _give_back_late_words(self) -> None:
        for command_id, words in self._late:
            place = self._at.get(command_id)
            if place is None:
                self._readable = self._around_here_document = False
                self._commands.append(SimpleCommand(tuple(words)))
            else:
                command = self._commands[place]
                self._commands[place] = command.but(words=command.words + tuple(words))

    def _test(self, node: Node) -> None:
        """`[ … ]` is the program `[` in the grammar's disguise; `[[ … ]]` evaluates arithmetic and stays unread."""
        self._plain = self._around_here_document = False
        children = node.children
        if children[0].type != "[":
            self._readable = False
            self._stack.extend(reversed(children))
            return
        self._check_gaps(node, children)
        words = [Word("[")]
        pending = list(reversed(children[1:]))
        while pending:
            part = pending.pop()
            if part.type in _TEST_PARTS:
                parts = part.children
                self._check_gaps(part, parts)
                pending.extend(reversed(parts))
            elif part.type in _WORDS:
                words.append(self._word(part))
            elif part.type == "test_operator" or not part.is_named:
                words.append(Word(self._text(part)))
            else:
                self._distrust()
                self._stack.append(part)
        self._commands.append(SimpleCommand(tuple(words)))

    def _loop(self, node: Node) -> None:
        """`for NAME in WORD…`: the words run nothing, the name must not be one that steers shells or programs."""
        self._plain = self._around_here_document = False
        children = node.children
        self._check_gaps(node, children)
        name = self._text(node.child_by_field_name("variable") or node)
        if children[0].type != "for" or not name.islower() or name.endswith("path"):  # zsh ties `path` to PATH
            self._readable = False
        for child in reversed(children):
            if child.type in _WORDS:
                if child.type != "variable_name":
                    self._word(child)
            else:
                self._stack.append(child)

    def _check_gaps(self, node: Node, children: list[Node]) -> None:
        if not children or not (self._plain or self._readable or self._around_here_document):
            return
        at = node.start_byte
        behind_word = False
        for child in children:
            start = child.start_byte
            is_word = child.is_named and (child.type in _WORDS or child.type == "command_name")
            if not self._blank(at, start) or (start == at and behind_word and is_word and node.type == "command"):
                self._distrust()
                return
            behind_word = is_word
            at = child.end_byte
        if not self._blank(at, node.end_byte):
            self._distrust()

    def _blank(self, start: int, end: int) -> bool:
        """Only what bash takes for a separator; a joined line (`\\` newline) separates nothing by itself."""
        if start == end:
            return True
        gap = self._source[start:end]
        rest = gap.replace(b"\\\n", b"").replace(b"\r\n", b"\n")
        return bool(rest) and not rest.strip(b" \t\n")

    def _text(self, node: Node) -> str:
        return _decoded(self._source[node.start_byte : node.end_byte])


def _guesses(script: str) -> tuple[SimpleCommand, ...]:
    """What could be commands in text that is not a script to us. Crude on purpose: it only ever adds suspicion."""
    for separator in ";|&(){}`\r\0":
        script = script.replace(separator, "\n")
    guesses = []
    for line in script.split("\n"):
        words = line.replace(",", " ").replace("\\", "").replace('"', "").replace("'", "").split()
        if words:
            guesses.append(SimpleCommand(tuple([Word(word, "unknown", bare=False, plain=False) for word in words])))
    return tuple(guesses)


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _without_escaped(text: str) -> str:
    """`text` without its backslashes and the characters they protect."""
    if "\\" not in text:
        return text
    pieces = text.replace("\\\\", "").split("\\")
    return pieces[0] + "".join([piece[1:] for piece in pieces[1:]])


def _last_command(node: Node) -> Node:
    """The command a redirection written behind `node` belongs to."""
    while node.type in ("pipeline", "list", "negated_command", "redirected_statement") and node.named_child_count:
        inner = [child for child in node.named_children if child.type not in _REDIRECTS]
        if not inner:
            break
        node = inner[-1]
    return node


def _with_patterns(word: Word, unquoted: str) -> Word:
    """Marks a word the shell replaces: file name patterns, braces, `~`, and zsh's `=program`."""
    braces = "{" in unquoted and ("," in unquoted or ".." in unquoted)
    home = unquoted[:1] == "~" or (unquoted[:1] == "=" and len(unquoted) > 1 and unquoted != "==")
    if not (braces or home or "*" in unquoted or "?" in unquoted or "[" in unquoted):
        return word
    if word.certainty == "unknown" or unquoted[0] in "*?[{":
        return word.but(certainty="unknown", bare=False)
    return word.but(certainty="expanded", bare=False)

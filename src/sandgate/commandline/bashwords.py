"""Reads the words of a bash syntax tree: what a program gets, or how much the shell may still change.

Part of `bash`, which walks the statements. Here also live the doubts of one reading: three claims a script can
make, each true until something is met that the claim does not cover.
"""

from __future__ import annotations

from sandgate.commandline.expansions import hands_out_text, prints_path
from sandgate.commandline.steady import SteadyVariables, variable
from sandgate.commandline.words import unescaped_bare, unescaped_in_double_quotes, words_of
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from tree_sitter import Node

    # exact: what the program gets. expanded: the shell replaces it, by words that begin with the same
    # character and that we need not know. unknown: it may become anything, options and nothing at all included.
    Certainty = Literal["exact", "expanded", "unknown"]


class Word(Record):
    """One word. `text` has its quotes removed; expansions stay as they were written."""

    text: str
    certainty: Certainty = "exact"
    bare: bool = True  # no quotes, escapes, or anything the shell replaces
    plain: bool = True  # may stand in a plain script
    whole: bool = True  # the shell splits it nowhere; patterns of file names aside


WORDS = words_of(
    "word number raw_string string concatenation simple_expansion expansion command_substitution "
    "process_substitution ansi_c_string translated_string arithmetic_expansion brace_expression extglob_pattern "
    "regex special_variable_name variable_name"
)
REDIRECTS = frozenset(("file_redirect", "herestring_redirect", "heredoc_redirect"))
_PATH_VARIABLES = (b"$HOME", b"$PWD", b"${HOME}", b"${PWD}")  # begin with a slash, whatever else they hold


_ON_ONE_LINE = words_of(
    "command redirected_statement file_redirect herestring_redirect test_command unary_expression binary_expression "
    "negated_expression parenthesized_expression variable_assignment"
)
_ONE_BLANK = 0x20
_BEHIND_A_PLAIN_DOLLAR = (b'"', b" ", b"|", b"/", b")", b".", b",")
_BLANKS = frozenset(" \t\n\r\v\f")


class WordReader:
    """Turns word nodes into words; commands inside them go on `_stack`."""

    if TYPE_CHECKING:  # the reader of commands has it

        def _redirect(self, node: Node) -> list[Word]: ...

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._steady = SteadyVariables()
        self._stack: list[Node] = []
        self._plain = True
        self._readable = True
        self._around_here_document = True
        self._torn = False  # the grammar's tokens are not bash's
        self._bare: dict[bytes, Word] = {}  # those without anything special, met before

    def _distrust(self) -> None:
        self._plain = self._readable = self._around_here_document = False

    def _word(self, node: Node) -> Word:
        """The word a node stands for. Substitutions inside it go on the stack, to be walked as commands."""
        kind = node.type
        if kind == "word":
            raw = self._source[node.start_byte : node.end_byte]
            known = self._bare.get(raw)
            if known is None and raw.isalnum():
                known = self._bare[raw] = Word(raw.decode())
            if known is not None:
                return known
        if kind != "concatenation":
            part = self._piece(node)
            word = _with_patterns(part, part.text if part.bare else "x" * bool(part.text))
            if kind == "word" and part.plain and part.bare:
                self._bare[self._source[node.start_byte : node.end_byte]] = word
            return word
        pieces = node.children
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
            whole=all(part.whole for part in parts),
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
        if kind == "ansi_c_string":
            from sandgate.commandline.decoding import ansi

            raw = self._text(node)[2:-1]
            self._plain = self._around_here_document = False
            # Where `$'` is no quote of its own, the word still ends at the same place and is no option.
            self._readable = self._readable and "\\'" not in raw
            plainly = "\\" not in raw.replace("\\n", "").replace("\\t", "")
            return Word(ansi(raw), "exact" if plainly else "unknown", bare=False, plain=False)
        if kind == "brace_expression":
            return Word(self._text(node), "expanded", plain=False, whole=False)
        if kind != "simple_expansion" and not self._names_a_variable(node):
            self._substitution(node)
        if kind == "process_substitution":
            return Word(self._text(node), "expanded", bare=False, plain=False)
        if kind in ("simple_expansion", "expansion") and self._begins_well(node, node):
            return Word(self._text(node), "expanded", bare=False, plain=False)
        return self._unsure(node)

    def _bare_piece(self, node: Node) -> Word:
        text = self._text(node)
        active = _without_escaped(text)
        if not _BLANKS.isdisjoint(active):  # the grammar takes `} }` for one word
            self._tear()
            return self._unsure(node)
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
        text = source_text(raw[1:-1])
        expansions = [
            child
            for child in node.children
            if child.type not in ('"', "string_content") and not (child.type == "$" and self._is_plain_dollar(child))
        ]
        if not expansions:
            return Word(unescaped_in_double_quotes(text), bare=False)
        for child in expansions:
            if child.type != "simple_expansion" and not self._names_a_variable(child):
                self._substitution(child)
        begins_literally = expansions[0].start_byte > node.start_byte + 1
        known = begins_literally or raw[1:].startswith(_PATH_VARIABLES) or self._begins_well(expansions[0], node)
        # `"$@"` and its like are as many words as there are elements.
        return Word(text, "expanded" if known else "unknown", bare=False, plain=False, whole="@" not in text)

    def _begins_well(self, first: Node, node: Node) -> bool:
        """Whether the variable or the command at the beginning of a string is known to make no option of it."""
        text = self._text(first)
        if first.type == "command_substitution":
            return prints_path(text) and self._source[first.end_byte : first.end_byte + 1] in (b'"', b"/")
        name = variable(text)
        return bool(name) and self._steady.begins_well(name, quoted=node.type == "string")

    def _is_plain_dollar(self, node: Node) -> bool:
        """`"foo$"`: nothing that any shell expands stands behind it."""
        return self._source[node.end_byte : node.end_byte + 1] in _BEHIND_A_PLAIN_DOLLAR

    def _substitution(self, node: Node) -> None:
        self._plain = self._around_here_document = False
        if node.type == "arithmetic_expansion":
            self._stack.append(node)
            return
        reads = node.type == "process_substitution" and node.children[0].type == "<("
        self._readable = self._readable and (reads or node.type == "command_substitution")
        children = node.children
        if len(children) == 3 and children[1].type == "file_redirect" and node.type == "command_substitution":
            self._redirect(children[1])  # `$(<file)`
            return
        if any(child.type in REDIRECTS for child in children):
            self._readable = False
        self._stack.extend(reversed(children))

    def _unsure(self, node: Node) -> Word:
        return Word(self._text(node), "unknown", bare=False, plain=False, whole=False)

    def _names_a_variable(self, node: Node) -> bool:
        """`${name}` and its kin that only hand out text."""
        return node.type == "expansion" and hands_out_text(self._text(node))

    def _tear(self) -> None:
        self._torn = True
        self._distrust()

    def _check_gaps(self, node: Node, children: list[Node]) -> None:
        if not children or self._torn:
            return
        at = node.start_byte
        behind_word = False
        one_line = node.type in _ON_ONE_LINE
        source = self._source
        for child in children:
            start = child.start_byte
            if start == at + 1 and source[at] == _ONE_BLANK:
                behind_word = child.is_named and (child.type in WORDS or child.type == "command_name")
                at = child.end_byte
                continue
            is_word = child.is_named and (child.type in WORDS or child.type == "command_name")
            if one_line and self._ends_line(at, start):
                self._tear()
                return
            if not self._blank(at, start) or (start == at and behind_word and is_word and node.type == "command"):
                self._tear()
                return
            behind_word = is_word
            at = child.end_byte
        if not self._blank(at, node.end_byte):
            self._tear()

    def _ends_line(self, start: int, end: int) -> bool:
        if start < 0 or start == end:
            return False
        gap = self._source[start:end]
        return b"\n" in gap and b"\n" in gap.replace(b"\\\n", b"")

    def _blank(self, start: int, end: int) -> bool:
        """Only what bash takes for a separator; a joined line (`\\` newline) separates nothing by itself."""
        if start == end:
            return True
        gap = self._source[start:end]
        if gap == b" ":
            return True
        rest = gap.replace(b"\\\n", b"").replace(b"\r\n", b"\n")
        return bool(rest) and not rest.strip(b" \t\n")

    def _text(self, node: Node) -> str:
        return source_text(self._source[node.start_byte : node.end_byte])


def source_text(raw: bytes) -> str:
    """Source bytes as text; what is not UTF-8 survives the way back."""
    return raw.decode("utf-8", "surrogateescape")


def literal(token: str) -> Word:
    """The word of a token that is bare, or in quotes with nothing to expand inside (see everyday.py)."""
    if token[0] in "'\"":
        return Word(token[1:-1], bare=False)
    return _with_patterns(Word(token), token)


def _without_escaped(text: str) -> str:
    """`text` without its backslashes and the characters they protect."""
    if "\\" not in text:
        return text
    pieces = text.replace("\\\\", "").split("\\")
    return pieces[0] + "".join([piece[1:] for piece in pieces[1:]])


def _with_patterns(word: Word, unquoted: str) -> Word:
    """Marks a word the shell replaces: file name patterns, braces, `~`, and zsh's `=program`."""
    braces = "{" in unquoted and ("," in unquoted or ".." in unquoted)
    home = unquoted[:1] == "~" or (unquoted[:1] == "=" and len(unquoted) > 1 and unquoted != "==")
    if not (braces or home or "*" in unquoted or "?" in unquoted or "[" in unquoted):
        return word
    if word.certainty == "unknown" or unquoted[0] in "*?[{":
        return word.but(certainty="unknown", bare=False)
    return word.but(certainty="expanded", bare=False)

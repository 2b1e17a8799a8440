"""Gets a bash parser for the price of its two C modules.

The Python wrappers around tree-sitter read package data and import `typing`, `tempfile` and `pathlib`: some 25 ms
for one function each. So the extension modules are loaded by themselves, under their own names. They are private
modules of pinned versions; when they are not where we expect them, the wrappers are used, which is slower and
otherwise the same.
"""

from __future__ import annotations

import sys

from sandgate.commandline.recent import Recent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from tree_sitter import Node, Parser

SCRIPT_BYTES_MAX = 131_072  # the kernel's MAX_ARG_STRLEN (execve(2)): a longer argument cannot be executed anyway
PIPES_MAX = (
    700  # a pipeline without an end: 30 ms in one piece at this many, seconds and gigabytes at a few times as many
)
PARENTHESES_MAX = 1_000  # unclosed ones make the parser's error recovery slower than linear: 0.2 s at this many
HERE_DOCUMENTS_MAX = 1_000  # begun on one line they make the parser slower than linear: 0.25 s at this many

# The parser asks for the text piece by piece. Text it can read takes each piece two or three times, since words go
# over the edge; where `<>` or `1;` makes it search from every place to the end, it asks without end. So asking is
# counted: the same text comes to the same answer on every machine.
PIECE_BYTES = 4_096
PIECES_MAX, PIECES_EACH_MAX = 256, 8  # asked for: so many in any case, and so many for each piece of the text
# Where it follows many readings at once it asks for nothing and takes ten times as long for each byte, up to 0.2 ms for
# a hundred steps. Steps are counted, too: scripts of a Debian system take up to 0.6 hundreds of them for 100 bytes, and
# `ls;` again and again 3.3. So 64 KiB take 0.45 s at most.
HUNDREDS_OF_STEPS, BYTES_EACH_HUNDRED = 300, 33  # so many in any case, and one more for so many bytes

_new_parser: Callable[[], Parser] | None = None
_recent = Recent()  # a script is read for its verdict, and a moment later for its risk
_TOO_MUCH = object()  # kept for a text that was given up

# Every byte beyond ASCII becomes a letter that is part of no keyword. To bash it is one, too, and the grammar's
# scanner must not see what is beyond: it asks C's `isdigit` about whole code points, which reads past a table of
# 384 entries and sometimes ends the process (`{` before U+CC5FE did).
_AS_ASCII = bytes(range(128)) + b"Z" * 128
# `<>` opens a file for both, and the grammar has no such redirection: it is shown another one of the same length, and
# whoever wants the operator reads it in the source.
_READ_WRITE, _SHOWN = b"<>", b">>"


def syntax_tree(source: bytes) -> Node | None:
    """The root node of `source` read as bash; None when reading it takes too long, and it has to be judged unread.

    Offsets are those of `source`; take text from there, not from nodes. Other threads run meanwhile: at every piece of
    text and every hundred steps of the parser.
    """
    known = _recent.get(source)
    if known is None:
        parsed = None if _beyond_limits(source) else _parsed(source.translate(_AS_ASCII).replace(_READ_WRITE, _SHOWN))
        known = _recent.keep(source, _TOO_MUCH if parsed is None else parsed)
    return None if known is _TOO_MUCH else known


def _beyond_limits(source: bytes) -> bool:
    return (
        len(source) > SCRIPT_BYTES_MAX
        or source.count(b"(") > PARENTHESES_MAX
        or source.count(b"|") > PIPES_MAX
        or source.count(b"<<") > HERE_DOCUMENTS_MAX
    )


def _parsed(text: bytes) -> Node | None:
    reading = Reading(text)
    try:
        root = _parser().parse(reading.piece, progress_callback=reading.gives_up).root_node
    except ValueError:  # what a parser says that was told to give up
        return None
    return root if reading.pieces_left >= 0 else None


class Reading:
    """One text as the parser asks for it, and when that was too much."""

    __slots__ = ("_text", "hundreds_left", "pieces_left")

    def __init__(self, text: bytes) -> None:
        self._text = text
        self.pieces_left = PIECES_MAX + PIECES_EACH_MAX * (len(text) // PIECE_BYTES)
        self.hundreds_left = HUNDREDS_OF_STEPS + len(text) // BYTES_EACH_HUNDRED

    def piece(self, at: int, _point: object) -> bytes | None:
        self.pieces_left -= 1
        return self._text[at : at + PIECE_BYTES] if self.pieces_left >= 0 else None

    def gives_up(self, _at: int, _broken: bool) -> bool:
        """Called by the parser after each hundred of its steps."""
        self.hundreds_left -= 1
        return self.pieces_left < 0 or self.hundreds_left < 0


def _parser() -> Parser:
    """One for each text: while it asks for a piece, another thread may parse, too."""
    global _new_parser
    if _new_parser is None:
        _new_parser = _parser_maker()
    return _new_parser()


def _parser_maker() -> Callable[[], Parser]:
    try:
        core = _extension("tree_sitter", "_binding")
        bash = _extension("tree_sitter_bash", "_binding")
    except ImportError:
        import tree_sitter as core
        import tree_sitter_bash as bash
    language = core.Language(bash.language())

    def make() -> Parser:
        parser: Parser = core.Parser(language)
        return parser

    return make


def _extension(package: str, name: str) -> ModuleType:
    """Loads `package.name` without running `package/__init__.py`."""
    full_name = f"{package}.{name}"
    if full_name in sys.modules:
        return sys.modules[full_name]
    from _frozen_importlib import module_from_spec

    home = _spec(package, None)
    spec = _spec(full_name, home.submodule_search_locations)
    module: ModuleType = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _spec(name: str, path):  # type: ignore[no-untyped-def]  # the import system's own protocol is untyped
    for finder in sys.meta_path:
        spec = finder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            return spec
    raise ImportError(name)

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
    from types import ModuleType

    from tree_sitter import Node, Parser

SCRIPT_BYTES_MAX = 131_072  # the kernel's MAX_ARG_STRLEN (execve(2)): a longer argument cannot be executed anyway
PIPES_MAX = 1_000  # a pipeline without an end: 0.15 s at this many, seconds and gigabytes at a few times as many
PARENTHESES_MAX = 1_000  # unclosed ones make the parser's error recovery slower than linear: 0.2 s at this many
HERE_DOCUMENTS_MAX = 1_000  # begun on one line they make the parser slower than linear: 0.25 s at this many

_parser: Parser | None = None
_recent = Recent()  # a script is read for its verdict, and a moment later for its risk

# Every byte beyond ASCII becomes a letter that is part of no keyword. To bash it is one, too, and the grammar's
# scanner must not see what is beyond: it asks C's `isdigit` about whole code points, which reads past a table of
# 384 entries and sometimes ends the process (`{` before U+CC5FE did).
_AS_ASCII = bytes(range(128)) + b"Z" * 128


def beyond_limits(source: bytes) -> bool:
    """Whether parsing this could take long; such a script is judged unread."""
    return (
        len(source) > SCRIPT_BYTES_MAX
        or source.count(b"(") > PARENTHESES_MAX
        or source.count(b"|") > PIPES_MAX
        or source.count(b"<<") > HERE_DOCUMENTS_MAX
    )


def syntax_tree(source: bytes) -> Node:
    """The root node of `source` read as bash. Offsets are those of `source`; take text from there, not from nodes."""
    known: Node | None = _recent.get(source)
    return known if known is not None else _recent.keep(source, _parsed(source))


def _parsed(source: bytes) -> Node:
    global _parser
    if _parser is None:
        _parser = _make_parser()
    return _parser.parse(source.translate(_AS_ASCII)).root_node


def _make_parser() -> Parser:
    try:
        core = _extension("tree_sitter", "_binding")
        bash = _extension("tree_sitter_bash", "_binding")
    except ImportError:
        import tree_sitter as core
        import tree_sitter_bash as bash
    parser: Parser = core.Parser(core.Language(bash.language()))
    return parser


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

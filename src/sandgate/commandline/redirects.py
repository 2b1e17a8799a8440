"""Where the grammar puts redirections and what it hangs on them: arguments, further redirections, here-documents."""

from __future__ import annotations

from sandgate.commandline.embedded import embedded
from sandgate.commandline.spelling import SUBSTITUTIONS, descend

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.commandline.spelling import Spelling

    Node = Any  # tree_sitter.Node: its types are not worth importing the wrapper for

# A here-document whose end is spelled with anything else is not expanded: quotes and backslashes say so.
_EXPANDED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./!")


def redirects_of(node: Node) -> list[Node]:
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


def words_behind(redirect: Node) -> list[Node]:
    """`bash <<EOF -s x`, `xargs </dev/null rm`: arguments that the grammar hangs on the redirection before them."""
    if redirect.type == "file_redirect":
        return list(redirect.children_by_field_name("destination")[1:])
    return [child for child in redirect.children if child.type in _WORDS] if redirect.type == "heredoc_redirect" else []


def unread(redirect: Node, spelling: Spelling) -> list[str]:
    """The commands in a here-document that the grammar read as plain text."""
    quoted = any(
        child.type == "heredoc_start" and not _EXPANDED.issuperset(spelling.text(child)) for child in redirect.children
    )
    body = next((child for child in redirect.children if child.type == "heredoc_body"), None)
    if body is None or quoted:
        return []
    known = [spelling.text(each) for each in descend(body) if each.type in SUBSTITUTIONS]
    text = spelling.text(body)
    for each in known:
        text = text.replace(each, "", 1)
    return list(embedded(text))

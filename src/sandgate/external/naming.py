"""By what name a model calls a tool of a server: `mcp__server__tool`, in letters that every provider takes.

Servers choose the names of their tools, so a name proves nothing about whose tool it is: two that would read the same
are told apart by a digest of what they really are, and everything that matters goes by the real pair. Pure.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

NAME_CHARS_MAX = 64
DIGEST_CHARS = 12  # hexadecimal digits
PREFIX = "mcp"
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")


def tool_names(tools: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The name of each (server, tool), no two the same. Of names that would be equal the first stays plain."""
    found: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    for pair in tools:
        if pair in found:
            continue
        plain = "__".join((PREFIX, *map(_plain, pair)))
        name = plain if len(plain) <= NAME_CHARS_MAX and plain not in taken else _with_digest(plain, pair)
        if name not in taken:  # else it was made to be mistaken for another
            taken.add(name)
            found[pair] = name
    return found


def _plain(text: str) -> str:
    return "".join(each if each in _PLAIN else "_" for each in text)


def _with_digest(plain: str, pair: tuple[str, str]) -> str:
    from hashlib import sha256

    digest = sha256("\0".join(pair).encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_CHARS]
    return f"{plain[: NAME_CHARS_MAX - DIGEST_CHARS - 1]}_{digest}"

"""Quotes and backslashes of single pieces of a word, as bash(1) QUOTING has them."""

from __future__ import annotations

from sandgate.commandline.script import Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def unquoted(text: str) -> Iterator[Piece]:
    """Bare text; a backslash quotes the character after it."""
    parts = text.split("\\")
    if parts[0]:
        yield Piece("text", parts[0])
    index = 1
    while index < len(parts):
        if parts[index] == "" and index + 1 < len(parts):
            yield Piece("text", "\\", quoted=True)
            if parts[index + 1]:
                yield Piece("text", parts[index + 1])
            index += 2
            continue
        if parts[index][:1] not in {"", "\n"}:
            yield Piece("text", parts[index][0], quoted=True)
        if parts[index][1:]:
            yield Piece("text", parts[index][1:])
        index += 1


_ANSI = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}


def ansi(text: str) -> str:
    """`$'…'`: the escapes that spell characters (bash(1), QUOTING); others stay as they are."""
    made: list[str] = []
    parts = text.split("\\")
    made.append(parts[0])
    index = 1
    while index < len(parts):
        part = parts[index]
        if part == "":
            made.append("\\" + (parts[index + 1] if index + 1 < len(parts) else ""))
            index += 2
            continue
        made.append(_ansi_character(part))
        index += 1
    return "".join(made)


def _ansi_character(part: str) -> str:
    base, digits, start = (16, 2, 1) if part[0] == "x" else (16, 4, 1) if part[0] == "u" else (8, 3, 0)
    end = start
    while end < len(part) and end - start < digits and part[end] in "0123456789abcdefABCDEF"[: 8 if base == 8 else 22]:
        end += 1
    if end > start:
        return chr(int(part[start:end], base)) + part[end:]
    return _ANSI.get(part[0], part[0]) + part[1:]

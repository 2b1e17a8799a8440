"""Where the statements of a TOML text begin and end, and what each names: for who takes some out and keeps the rest.

Nothing is evaluated, and nothing of a statement that stays is written anew. https://toml.io/en/v1.0.0. What is no
TOML, or spells a name in a way that is not looked through, is an error.
"""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_BLANK = " \t\ufeff"
_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


class NotToldApart(Exception):
    """A text that is not looked through."""


class TomlStatement(Record):
    """A line with its end; with a value that goes on, the lines that it takes."""

    before: str  # of a setting, up to and with its `=`; of anything else, up to the comment
    value: str  # of a setting, with the space around it; else ""
    comment: str  # from its `#` on; "" for none
    end: str  # of the line
    names: tuple[str, ...]  # of a setting, or of the table that begins; empty for an empty line
    begins_table: bool


def statements(text: str) -> Iterator[TomlStatement]:
    """All of `text`, in order. Raises `NotToldApart`."""
    at = 0
    while at < len(text):
        start = at
        while text[at : at + 1] and text[at] in _BLANK:
            at += 1
        first = text[at : at + 1]
        names: tuple[str, ...] = ()
        value_at = value_end = at
        if first == "[":
            value_at = value_end = _end(text, at, "#\n")
            names = _names(_within_brackets(text[at:value_at]))
        elif first not in ("", "#", "\r", "\n"):
            equals = _end(text, at, "=#\n")
            if text[equals : equals + 1] != "=":
                raise NotToldApart
            names, value_at = _names(text[at:equals]), equals + 1
            value_end = _end(text, value_at, "#\n")
        line_end = text.find("\n", value_end)
        at = len(text) if line_end < 0 else line_end + 1
        rest = text[value_end:at]
        comment = rest.rstrip("\r\n") if rest[:1] == "#" else ""
        if rest[len(comment) :].strip("\r\n"):
            raise NotToldApart
        yield TomlStatement(
            text[start:value_at], text[value_at:value_end], comment, rest[len(comment) :], names, first == "["
        )


def array_members(value: str) -> list[str]:
    """What stands between the commas of an array or an inline table, as written. Raises `NotToldApart`."""
    inner = value.strip()
    if inner[-1:] != {"[": "]", "{": "}"}.get(inner[:1]):
        raise NotToldApart
    inner, found, at = inner[1:-1], [], 0
    while at <= len(inner):
        end = _end(inner, at, ",")
        found.append(inner[at:end])
        at = end + 1
    return found if found[-1].strip() else found[:-1]


def pair(member: str) -> tuple[tuple[str, ...], str]:
    """The names and the value of a member of an inline table. Raises `NotToldApart`."""
    at = _end(member, 0, "=")
    if at == len(member):
        raise NotToldApart
    return _names(member[:at]), member[at + 1 :]


def _end(text: str, at: int, stops: str) -> int:
    """Where one of `stops` stands outside of strings, brackets and comments; or the end."""
    depth = 0
    while at < len(text):
        char = text[at]
        if depth == 0 and char in stops:
            return at
        if char in "\"'":
            at = _string_end(text, at)
            continue
        if char == "#":
            at = text.find("\n", at)
            if at < 0:
                raise NotToldApart
        depth += (char in "[{") - (char in "]}")
        if depth < 0:
            raise NotToldApart
        at += 1
    if depth:
        raise NotToldApart
    return at


def _string_end(text: str, at: int) -> int:
    quote, whole = text[at], text[at] * 3
    long = text.startswith(whole, at)
    at += 3 if long else 1
    while at < len(text):
        if text[at] == "\\" and quote == '"':
            at += 2
        elif long and text.startswith(whole, at):
            at += 3
            return at + len(text[at : at + 2]) - len(text[at : at + 2].lstrip(quote))  # the last ones are its own
        elif not long and text[at] == quote:
            return at + 1
        elif not long and text[at] == "\n":
            raise NotToldApart
        else:
            at += 1
    raise NotToldApart


def _within_brackets(header: str) -> str:
    header = header.strip()
    double = 2 if header[:2] == "[[" else 1
    if header[-double:] != "]" * double:
        raise NotToldApart
    return header[double:-double]


def _names(dotted: str) -> tuple[str, ...]:
    found: list[str] = []
    rest = dotted.strip()
    while rest:
        if rest[0] in "\"'":
            end = _string_end(rest, 0)
            name = rest[1 : end - 1]
            if (rest[0] == '"' and "\\" in name) or "\n" in name:
                raise NotToldApart  # it may be any name
        else:
            end = next((at for at, char in enumerate(rest) if char not in _BARE), len(rest))
            name = rest[:end]
            if not name:
                raise NotToldApart
        found.append(name)
        rest = rest[end:].lstrip()
        if rest and (rest[0] != "." or not rest[1:].strip()):
            raise NotToldApart
        rest = rest[1:].lstrip()
    if not found:
        raise NotToldApart
    return tuple(found)

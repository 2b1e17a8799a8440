"""How the fields of a tool call are read: one reader for each type, and the object they stand in.

A tool has a closed table of fields: an argument that no tool reads is a misunderstanding, not a detail. Absent and
`null` mean the same. A reader takes what JSON gave and returns it in the type the program uses, or raises `MisfitError`
in the words of the parser that wrote the wire's errors. Pure.
"""

from __future__ import annotations

from sandgate.display import visible
from sandgate.tools.json_object import ObjectReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Reader = Callable[[object], Any]
    Fields = Mapping[str, Reader]

ENDLESS = 2**31 - 1  # milliseconds or tokens; beyond every limit
SHOWN_CHARS_MAX = 60  # of a value quoted in an error
SESSION_ID_MAX = 2**31 - 1
PREFIX_WORDS_MAX = 256


class MisfitError(Exception):
    """A value is not what its field takes; the message says so in the wire's words."""


def read_object(text: str, fields: Fields, required: tuple[str, ...]) -> dict[str, Any]:
    """The members of the JSON object in `text`. Raises ToolArgumentsError with the sentence for the model."""
    reader = ObjectReader(text)
    seen: set[str] = set()
    found: dict[str, Any] = {}
    for name in reader.names():
        if name not in fields:
            raise reader.fault(f"unknown field `{_short(name)}`, expected {_alternatives(tuple(fields))}")
        if name in seen:
            raise reader.fault(f"duplicate field `{name}`")
        seen.add(name)
        value = reader.value()
        if value is None and name not in required:
            continue
        try:
            found[name] = fields[name](value)
        except MisfitError as misfit:
            raise reader.fault(str(misfit)) from None
    for name in required:
        if name not in found:
            raise reader.fault(f"missing field `{name}`")
    reader.end()
    return found


def read_members(value: object, fields: Fields, required: tuple[str, ...], expected: str) -> dict[str, Any]:
    """The same for an object inside another; `expected` names it in errors. Raises MisfitError."""
    if not isinstance(value, dict):
        raise wrong_type(value, expected)
    for name in value:
        if name not in fields:
            raise MisfitError(f"unknown field `{_short(name)}`, expected {_alternatives(tuple(fields))}")
    found = {name: fields[name](each) for name, each in value.items() if each is not None or name in required}
    for name in required:
        if name not in found:
            raise MisfitError(f"missing field `{name}`")
    return found


def as_text(value: object) -> str:
    """Any text that UTF-8 can hold."""
    if not isinstance(value, str):
        raise wrong_type(value, "a string")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise MisfitError("invalid value: string with half a surrogate pair, expected a string") from None
    return value


def as_word(value: object) -> str:
    """Text that can be part of a command line."""
    word = as_text(value)
    if "\0" in word:
        raise MisfitError("invalid value: string with a NUL character, expected a string")
    return word


def as_flag(value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise wrong_type(value, "a boolean")
    return value


def as_amount(value: object) -> int:
    """Milliseconds or tokens: a fraction of one does not count."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_type(value, "u64")
    if value < 0:
        raise _wrong_value(value, "u64")
    return int(min(value, ENDLESS))


def whole(low: int, high: int, expected: str) -> Reader:
    """A number without a fraction, from `low` to `high`; `expected` names it in errors."""

    def read(value: object) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise wrong_type(value, expected)
        if not low <= value <= high:
            raise _wrong_value(value, expected)
        return value

    return read


def several(read: Reader, most: int) -> Reader:
    """A list, as a tuple."""

    def read_all(value: object) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise wrong_type(value, "a sequence")
        if len(value) > most:
            raise MisfitError(f"invalid length {len(value)}, expected at most {most} elements")
        return tuple([read(each) for each in value])

    return read_all


def one_of(names: tuple[str, ...]) -> Reader:
    """One of these words."""

    def read(value: object) -> str:
        chosen = as_text(value)
        if chosen not in names:
            raise MisfitError(f"unknown variant `{_short(chosen)}`, expected {_alternatives(names)}")
        return chosen

    return read


def wrong_type(value: object, expected: str) -> MisfitError:
    """The error about a value of another type."""
    return MisfitError(f"invalid type: {_shown(value)}, expected {expected}")


def _wrong_value(value: float, expected: str) -> MisfitError:
    return MisfitError(f"invalid value: {_shown(value)}, expected {expected}")


def _shown(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return f"boolean `{str(value).lower()}`"
        case int():
            return f"integer `{_short(str(value))}`"
        case float():
            return f"floating point `{value}`"
        case str():
            return f'string "{_short(value)}"'
        case list():
            return "sequence"
        case _:
            return "map"


def _short(text: str) -> str:
    return visible(text[: SHOWN_CHARS_MAX + 1], limit=SHOWN_CHARS_MAX)


def _alternatives(names: tuple[str, ...]) -> str:
    quoted = [f"`{name}`" for name in names]
    match quoted:
        case []:
            return "none"
        case [only]:
            return only
        case [one, other]:
            return f"{one} or {other}"
        case _:
            return f"one of {', '.join(quoted)}"


SESSION_ID = whole(-SESSION_ID_MAX - 1, SESSION_ID_MAX, "i32")  # of a live command

"""What a model sent, as typed values, or the one sentence that lets it try again.

Each tool has a closed table of fields: an argument that nobody reads is a misunderstanding, not a detail. Absent and
`null` mean the same. Schemas promise plain numbers, so a whole number may arrive as `1000.0`, and a duration or a
budget that is absurdly large is cut to what counts as endless (`ENDLESS`); `ExecLimits` brings it within bounds. What
no command line can hold (a NUL, half a surrogate pair) is refused here, before anybody is asked about it. Pure.
"""

from __future__ import annotations

from sandgate.display import visible
from sandgate.record import Record
from sandgate.tools.json_object import ObjectReader
from sandgate.tools.keys import KEYS, typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from sandgate.protocol.commands import EscalationWish

    Reader = Callable[[object], Any]
    Fields = Mapping[str, Reader]

ENDLESS = 2**31 - 1  # milliseconds or tokens; beyond every limit
SESSION_ID_MAX = 2**31 - 1
TERMINAL_SIDE_MAX = 1_000  # rows or columns
PREFIX_WORDS_MAX = 256
KEYS_MAX = 256  # in one call
PATTERNS_MAX = 16  # in one call
SHOWN_CHARS_MAX = 60  # of a value quoted in an error
CHECKED = ("cmd", "workdir", "shell", "login", "tty", "sandbox_permissions", "justification")  # of `check_command`


class WaitPattern(Record):
    """Something in the output to wait for."""

    text: str
    regex: bool = False


class ExecCommandArguments(Record):
    """Of `exec_command`. None: not said."""

    cmd: str
    workdir: str | None = None
    shell: str | None = None
    login: bool | None = None
    tty: bool = False
    yield_time_ms: int | None = None
    max_output_tokens: int | None = None
    sandbox_permissions: EscalationWish = "use_default"
    justification: str | None = None
    prefix_rule: tuple[str, ...] = ()
    rows: int | None = None
    columns: int | None = None


class WriteStdinArguments(Record):
    """Of `write_stdin`. Nothing to send: a poll."""

    session_id: int
    chars: str = ""
    yield_time_ms: int | None = None
    max_output_tokens: int | None = None
    keys: tuple[str, ...] = ()
    wait_for: tuple[WaitPattern, ...] = ()

    @property
    def sent(self) -> str:
        """All that goes to the command: the characters, then what the keys send."""
        return self.chars + typed(self.keys)


class ApplyPatchArguments(Record):
    """Of `apply_patch` where it is a function."""

    input: str


class SessionArguments(Record):
    """Of `exec_kill`."""

    session_id: int


def exec_command_arguments(text: str, *, extended: bool = False) -> ExecCommandArguments:
    """Reads the JSON of a call. Raises ToolArgumentsError with the sentence for the model."""
    found = _read(text, _EXEC_COMMAND | _SIZE if extended else _EXEC_COMMAND, ("cmd",))
    return ExecCommandArguments(**found | {"workdir": found.get("workdir") or None})


def write_stdin_arguments(text: str, *, extended: bool = False) -> WriteStdinArguments:
    """Reads the JSON of a call. Raises ToolArgumentsError with the sentence for the model."""
    fields = _WRITE_STDIN | _KEYS_AND_PATTERNS if extended else _WRITE_STDIN
    return WriteStdinArguments(**_read(text, fields, ("session_id",)))


def apply_patch_arguments(text: str) -> ApplyPatchArguments:
    """Reads the JSON of a call. Raises ToolArgumentsError with the sentence for the model."""
    return ApplyPatchArguments(**_read(text, _APPLY_PATCH, ("input",)))


def check_command_arguments(text: str) -> ExecCommandArguments:
    """Reads the JSON of a call: what `exec_command` takes, without what only matters while something runs."""
    found = _read(text, {name: _EXEC_COMMAND[name] for name in CHECKED}, ("cmd",))
    return ExecCommandArguments(**found | {"workdir": found.get("workdir") or None})


def session_arguments(text: str) -> SessionArguments:
    """Reads the JSON of a call. Raises ToolArgumentsError with the sentence for the model."""
    return SessionArguments(**_read(text, {"session_id": _WRITE_STDIN["session_id"]}, ("session_id",)))


def no_arguments(text: str) -> None:
    """Reads the JSON of a call that takes nothing. Raises ToolArgumentsError with the sentence for the model."""
    _read(text, {}, ())


class _MisfitError(Exception):
    """A value is not what its field takes; the message says so in the wire's words."""


def _read(text: str, fields: Fields, required: tuple[str, ...]) -> dict[str, Any]:
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
        except _MisfitError as misfit:
            raise reader.fault(str(misfit)) from None
    for name in required:
        if name not in found:
            raise reader.fault(f"missing field `{name}`")
    reader.end()
    return found


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _wrong_type(value, "a string")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _MisfitError("invalid value: string with half a surrogate pair, expected a string") from None
    return value


def _word(value: object) -> str:
    """Text that can be part of a command line."""
    word = _text(value)
    if "\0" in word:
        raise _MisfitError("invalid value: string with a NUL character, expected a string")
    return word


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise _wrong_type(value, "a boolean")
    return value


def _amount(value: object) -> int:
    """Milliseconds or tokens: a fraction of one does not count."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong_type(value, "u64")
    if value < 0:
        raise _wrong_value(value, "u64")
    return int(min(value, ENDLESS))


def _whole(low: int, high: int, expected: str) -> Reader:
    def read(value: object) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise _wrong_type(value, expected)
        if not low <= value <= high:
            raise _wrong_value(value, expected)
        return value

    return read


def _several(read: Reader, most: int) -> Reader:
    def read_all(value: object) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise _wrong_type(value, "a sequence")
        if len(value) > most:
            raise _MisfitError(f"invalid length {len(value)}, expected at most {most} elements")
        return tuple([read(each) for each in value])

    return read_all


def _one_of(names: tuple[str, ...]) -> Reader:
    def read(value: object) -> str:
        chosen = _text(value)
        if chosen not in names:
            raise _MisfitError(f"unknown variant `{_short(chosen)}`, expected {_alternatives(names)}")
        return chosen

    return read


def _pattern(value: object) -> WaitPattern:
    if not isinstance(value, dict):
        raise _wrong_type(value, "an object with `text` or `regex`")
    match list(value.items()):
        case [("text" | "regex" as kind, wanted)]:
            text = _text(wanted)
        case _:
            raise _MisfitError("invalid value: map, expected an object with either `text` or `regex`")
    if not text:
        raise _MisfitError('invalid value: string "", expected something to wait for')
    return WaitPattern(text, regex=kind == "regex")


def _wrong_type(value: object, expected: str) -> _MisfitError:
    return _MisfitError(f"invalid type: {_shown(value)}, expected {expected}")


def _wrong_value(value: float, expected: str) -> _MisfitError:
    return _MisfitError(f"invalid value: {_shown(value)}, expected {expected}")


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


_SIDE = _whole(1, TERMINAL_SIDE_MAX, f"a number from 1 to {TERMINAL_SIDE_MAX}")

_EXEC_COMMAND: dict[str, Reader] = {
    "cmd": _word,
    "workdir": _word,
    "shell": _word,
    "login": _flag,
    "tty": _flag,
    "yield_time_ms": _amount,
    "max_output_tokens": _amount,
    "sandbox_permissions": _one_of(("use_default", "require_escalated")),
    "justification": _text,
    "prefix_rule": _several(_word, PREFIX_WORDS_MAX),
}
_SIZE: dict[str, Reader] = {"rows": _SIDE, "columns": _SIDE}
_WRITE_STDIN: dict[str, Reader] = {
    "session_id": _whole(-SESSION_ID_MAX - 1, SESSION_ID_MAX, "i32"),
    "chars": _text,
    "yield_time_ms": _amount,
    "max_output_tokens": _amount,
}
_KEYS_AND_PATTERNS: dict[str, Reader] = {
    "keys": _several(_one_of(tuple(KEYS)), KEYS_MAX),
    "wait_for": _several(_pattern, PATTERNS_MAX),
}
_APPLY_PATCH: dict[str, Reader] = {"input": _text}

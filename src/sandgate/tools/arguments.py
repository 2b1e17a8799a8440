"""What a model sent, as typed values, or the one sentence that lets it try again.

Each tool has a closed table of fields: an argument that nobody reads is a misunderstanding, not a detail. Absent and
`null` mean the same. Schemas promise plain numbers, so a whole number may arrive as `1000.0`, and a duration or a
budget that is absurdly large is cut to what counts as endless (`ENDLESS`); `ExecLimits` brings it within bounds. What
no command line can hold (a NUL, half a surrogate pair) is refused here, before anybody is asked about it. Pure.
"""

from __future__ import annotations

from sandgate.record import Record
from sandgate.tools.fields import (
    MisfitError,
    as_amount,
    as_flag,
    as_text,
    as_word,
    one_of,
    read_object,
    several,
    whole,
    wrong_type,
)
from sandgate.tools.keys import KEYS, typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.commands import EscalationWish
    from sandgate.tools.fields import Reader

SESSION_ID_MAX = 2**31 - 1
TERMINAL_SIDE_MAX = 1_000  # rows or columns
PREFIX_WORDS_MAX = 256
KEYS_MAX = 256  # in one call
PATTERNS_MAX = 16  # in one call
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
    found = read_object(text, _EXEC_COMMAND | _SIZE if extended else _EXEC_COMMAND, ("cmd",))
    return ExecCommandArguments(**found | {"workdir": found.get("workdir") or None})


def write_stdin_arguments(text: str, *, extended: bool = False) -> WriteStdinArguments:
    """Reads the JSON of a call. Raises ToolArgumentsError with the sentence for the model."""
    fields = _WRITE_STDIN | _KEYS_AND_PATTERNS if extended else _WRITE_STDIN
    return WriteStdinArguments(**read_object(text, fields, ("session_id",)))


def apply_patch_arguments(text: str) -> ApplyPatchArguments:
    """Reads the JSON of a call. Raises ToolArgumentsError with the sentence for the model."""
    return ApplyPatchArguments(**read_object(text, _APPLY_PATCH, ("input",)))


def check_command_arguments(text: str) -> ExecCommandArguments:
    """Reads the JSON of a call: what `exec_command` takes, without what only matters while something runs."""
    found = read_object(text, {name: _EXEC_COMMAND[name] for name in CHECKED}, ("cmd",))
    return ExecCommandArguments(**found | {"workdir": found.get("workdir") or None})


def session_arguments(text: str) -> SessionArguments:
    """Reads the JSON of a call. Raises ToolArgumentsError with the sentence for the model."""
    return SessionArguments(**read_object(text, {"session_id": _WRITE_STDIN["session_id"]}, ("session_id",)))


def no_arguments(text: str) -> None:
    """Reads the JSON of a call that takes nothing. Raises ToolArgumentsError with the sentence for the model."""
    read_object(text, {}, ())


def _pattern(value: object) -> WaitPattern:
    if not isinstance(value, dict):
        raise wrong_type(value, "an object with `text` or `regex`")
    match list(value.items()):
        case [("text" | "regex" as kind, wanted)]:
            text = as_text(wanted)
        case _:
            raise MisfitError("invalid value: map, expected an object with either `text` or `regex`")
    if not text:
        raise MisfitError('invalid value: string "", expected something to wait for')
    return WaitPattern(text, regex=kind == "regex")


_SIDE = whole(1, TERMINAL_SIDE_MAX, f"a number from 1 to {TERMINAL_SIDE_MAX}")

_EXEC_COMMAND: dict[str, Reader] = {
    "cmd": as_word,
    "workdir": as_word,
    "shell": as_word,
    "login": as_flag,
    "tty": as_flag,
    "yield_time_ms": as_amount,
    "max_output_tokens": as_amount,
    "sandbox_permissions": one_of(("use_default", "require_escalated")),
    "justification": as_text,
    "prefix_rule": several(as_word, PREFIX_WORDS_MAX),
}
_SIZE: dict[str, Reader] = {"rows": _SIDE, "columns": _SIDE}
_WRITE_STDIN: dict[str, Reader] = {
    "session_id": whole(-SESSION_ID_MAX - 1, SESSION_ID_MAX, "i32"),
    "chars": as_text,
    "yield_time_ms": as_amount,
    "max_output_tokens": as_amount,
}
_KEYS_AND_PATTERNS: dict[str, Reader] = {
    "keys": several(one_of(tuple(KEYS)), KEYS_MAX),
    "wait_for": several(_pattern, PATTERNS_MAX),
}
_APPLY_PATCH: dict[str, Reader] = {"input": as_text}

"""JSON-RPC on one line: an object is read or it is said why not, and written again.

Of a name that occurs twice in an object the last counts; there is one reader, so no other can see it differently.
"""

from __future__ import annotations

import json

from sandgate.protocol.wire import sendable
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias, TypeGuard

    Json = dict[str, Any]
    Id: TypeAlias = str | int

ID_MAX = 2**63 - 1
ID_CHARS_MAX = 1024
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
BAD_ID = f"`id` has to be a whole number of 64 bits, or text of at most {ID_CHARS_MAX} characters"


class NoObject(Record):
    """What was read is no JSON object: one of the codes above, and why."""

    code: int
    why: str


def object_on_line(line: bytes) -> Json | NoObject:
    """The object on that line."""
    try:
        value = json.loads(line.decode(), parse_constant=_no_constant)
        if b"\\u" in line:
            json.dumps(value, ensure_ascii=False).encode()  # half a surrogate pair is no text
    except (ValueError, RecursionError):
        return NoObject(PARSE_ERROR, "not JSON in UTF-8, or nested too deeply")
    if not isinstance(value, dict):
        return NoObject(INVALID_REQUEST, "a message is one JSON object")
    return value


def written(message: Json) -> bytes:
    """The message as UTF-8, on one line without its end. What UTF-8 cannot hold is shown as escapes."""
    try:
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(sendable(message), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def is_id(value: object) -> TypeGuard[Id]:
    """Whether a request may be called so."""
    if type(value) is int:
        return abs(value) <= ID_MAX
    return isinstance(value, str) and len(value) <= ID_CHARS_MAX


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")

"""Lines become messages of the protocol, or the answer that says why they are none.

JSON-RPC 2.0 without its `jsonrpc` member, which is taken from clients that send it. Everything that is no message gets
one plain answer, with the id of the request where one can be told.
"""

from __future__ import annotations

import json
from time import time

from sandgate.protocol.wire import sendable
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias, TypeGuard

    Json = dict[str, Any]
    Id: TypeAlias = str | int

MESSAGE_BYTES_MAX = 8 * 1024 * 1024
ID_MAX = 2**63 - 1
ID_CHARS_MAX = 1024
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
OVERLOADED = -32001


class Request(Record):
    """The client wants something, and an answer."""

    id: Id
    method: str
    params: Any


class Told(Record):
    """The client says something."""

    method: str


class ClientAnswer(Record):
    """The client answers a request of ours; `result` is None for an error."""

    id: Id
    result: Any


class UnreadableLine(Record):
    """What was read is no message; `answer` says so."""

    answer: Json


def read_message(line: bytes) -> Request | Told | ClientAnswer | UnreadableLine:
    """The message on that line."""
    try:
        value = json.loads(line.decode(), parse_constant=_no_constant)
        if b"\\u" in line:
            json.dumps(value, ensure_ascii=False).encode()  # half a surrogate pair is no text
    except (ValueError, RecursionError):
        return UnreadableLine(error_answer(None, PARSE_ERROR, "not JSON in UTF-8, or nested too deeply"))
    if not isinstance(value, dict):
        return UnreadableLine(error_answer(None, INVALID_REQUEST, "a message is one JSON object"))
    return _message(value)


def _message(value: Json) -> Request | Told | ClientAnswer | UnreadableLine:
    method, known = value.get("method"), value.get("id")
    if "method" not in value:
        if _is_id(known) and ("result" in value or "error" in value):
            return ClientAnswer(known, None if "error" in value else value["result"])
        return UnreadableLine(error_answer(None, INVALID_REQUEST, "neither a request, a notification nor an answer"))
    if not isinstance(method, str):
        return UnreadableLine(
            error_answer(known if _is_id(known) else None, INVALID_REQUEST, "`method` has to be text")
        )
    if "id" not in value:
        return Told(method)
    if not _is_id(known):
        why = f"`id` has to be a whole number of 64 bits, or text of at most {ID_CHARS_MAX} characters"
        return UnreadableLine(error_answer(None, INVALID_REQUEST, why))
    return Request(known, method, value.get("params"))


def line_too_long() -> Json:
    """The answer to a line that is longer than a message may be."""
    return error_answer(None, INVALID_REQUEST, f"the message is longer than {MESSAGE_BYTES_MAX} bytes")


def error_answer(known: Id | None, code: int, message: str) -> Json:
    """An error, with the id of the request it belongs to."""
    return {"id": known, "error": {"code": code, "message": message}}


def notification(method: str, params: object) -> Json:
    """With the moment in which it was sent."""
    return {"method": method, "params": params, "emittedAtMs": now_ms()}


def now_ms() -> int:
    """Milliseconds since 1970."""
    return int(time() * 1000)


def written(message: Json) -> bytes:
    """The message as UTF-8, on one line without its end. What UTF-8 cannot hold is shown as escapes."""
    try:
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(sendable(message), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _is_id(value: object) -> TypeGuard[Id]:
    if type(value) is int:
        return abs(value) <= ID_MAX
    return isinstance(value, str) and len(value) <= ID_CHARS_MAX


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")

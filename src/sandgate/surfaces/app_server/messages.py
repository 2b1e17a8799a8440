"""Lines become messages of the protocol, or the answer that says why they are none.

JSON-RPC 2.0 without its `jsonrpc` member, which is taken from clients that send it. Everything that is no message gets
one plain answer, with the id of the request where one can be told.
"""

from __future__ import annotations

from time import time

from sandgate.record import Record
from sandgate.surfaces.transport.json_rpc import BAD_ID, INVALID_REQUEST, NoObject, is_id, object_on_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.surfaces.transport.json_rpc import Id

    Json = dict[str, Any]

MESSAGE_BYTES_MAX = 8 * 1024 * 1024
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
    value = object_on_line(line)
    if isinstance(value, NoObject):
        return UnreadableLine(error_answer(None, value.code, value.why))
    return _message(value)


def _message(value: Json) -> Request | Told | ClientAnswer | UnreadableLine:
    method, known = value.get("method"), value.get("id")
    if "method" not in value:
        if is_id(known) and ("result" in value or "error" in value):
            return ClientAnswer(known, None if "error" in value else value["result"])
        return UnreadableLine(error_answer(None, INVALID_REQUEST, "neither a request, a notification nor an answer"))
    if not isinstance(method, str):
        return UnreadableLine(error_answer(known if is_id(known) else None, INVALID_REQUEST, "`method` has to be text"))
    if "id" not in value:
        return Told(method)
    if not is_id(known):
        return UnreadableLine(error_answer(None, INVALID_REQUEST, BAD_ID))
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

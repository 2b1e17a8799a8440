"""Bytes become messages of the protocol, or the answer that says why they are none.

The SDK drops what it cannot read, or answers with the words of its validator. Here everything that is no message gets
one plain answer, with the id of the request where one can be told: no client waits for an answer that never comes.
Of a name that occurs twice in an object the last counts; there is one reader, so no other can see it differently.
"""

from __future__ import annotations

import json

from mcp_types.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from pydantic import ValidationError
from pydantic_core import from_json

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mcp_types.jsonrpc import JSONRPCMessage

MESSAGE_BYTES_MAX = 8 * 1024 * 1024
ID_MAX = 2**63 - 1  # whole numbers beyond it are no ids: not every reader of our answer could hold them

TOO_MANY_REQUESTS = -32000  # of the codes left to implementations, mcp_types/jsonrpc.py


class NoMessage(Record):
    """What was read is no message; `answer` says so to the client that sent it."""

    answer: JSONRPCError


def read_message(data: bytes) -> JSONRPCMessage | NoMessage:
    """The one message in `data`. Numbers, depth and text are held to JSON as RFC 8259 has it, `NaN` is refused."""
    try:
        value = from_json(data, allow_inf_nan=False)
    except ValueError:
        why = "not JSON in UTF-8, half a surrogate pair in it, or nested too deeply"
        return no_message(PARSE_ERROR, why, _id_of_unreadable(data))
    if not isinstance(value, dict):
        return no_message(INVALID_REQUEST, "a message is one JSON object; batches are not supported")
    known = _request_id(value)
    if "method" in value and "id" in value and known is None:
        return no_message(INVALID_REQUEST, "`id` must be a string or a whole number of at most 64 bits")
    try:
        return _model(value).model_validate(value, by_name=False)
    except ValidationError:
        return no_message(INVALID_REQUEST, "not a JSON-RPC 2.0 request, notification or response", known)


def no_message(code: int, why: str, known: str | int | None = None) -> NoMessage:
    """An error answer; without `known` it carries the id null."""
    return NoMessage(protocol_error(code, why, known))


def message_too_long() -> JSONRPCError:
    """The answer to what is longer than `MESSAGE_BYTES_MAX`."""
    return protocol_error(INVALID_REQUEST, f"the message is longer than {MESSAGE_BYTES_MAX} bytes")


def protocol_error(code: int, why: str, known: str | int | None = None) -> JSONRPCError:
    """An error of the protocol with nothing in it but our own words."""
    return JSONRPCError(jsonrpc="2.0", id=known, error=ErrorData(code=code, message=why))


def written(message: JSONRPCMessage) -> bytes | None:
    """The message as UTF-8 in one line, without its end; None for what has no JSON and no client waits for.

    Text that came from file names and output can hold halves of surrogate pairs; they become question marks, because
    an answer with a blemish is better than none.
    """
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode()
    except ValueError:
        pass
    try:
        values = message.model_dump(by_alias=True, exclude_unset=True)
        return json.dumps(values, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
    except (TypeError, ValueError):
        if not isinstance(message, JSONRPCResponse):
            return None
        return written(protocol_error(INTERNAL_ERROR, "the result cannot be written as JSON", message.id))


def _request_id(value: dict[str, Any]) -> str | int | None:
    """The id of what is meant as a request. An error with the id of anything else would pass for an answer."""
    known = value.get("id")
    return known if "method" in value and _is_id(known) else None


def _id_of_unreadable(data: bytes) -> str | int | None:
    """The id of the request in `data`, where a reader that forgives more than ours still finds one.

    The client may wait for its answer. At most `MESSAGE_BYTES_MAX` come here; how deep the reader goes is limited by
    the interpreter, and the digits of a number are converted only as far as an id can have them.
    """
    try:
        value = json.loads(data.decode("utf-8", "surrogateescape"), strict=False, parse_int=_short_int)
        known = _request_id(value) if isinstance(value, dict) else None
        str(known).encode()  # bytes that are no UTF-8 and halves of surrogate pairs could not be sent back as they came
    except (ValueError, RecursionError):
        return None
    return known


def _short_int(digits: str) -> int | None:
    return int(digits) if len(digits) <= len(str(-ID_MAX)) else None


def _is_id(value: object) -> bool:
    return type(value) is str or (type(value) is int and abs(value) <= ID_MAX)


def _model(value: dict[str, Any]) -> type[JSONRPCMessage]:
    """Told by the members, not by what happens to validate: a request with an odd id is no notification."""
    if "method" in value:
        return JSONRPCRequest if "id" in value else JSONRPCNotification
    return JSONRPCError if "error" in value else JSONRPCResponse

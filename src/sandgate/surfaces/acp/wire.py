"""Messages of the library over our own pipes: bounded, and each line that is no message is answered.

The library has a transport of its own. This one keeps lines within a limit, answers what it cannot read, refuses an id
that is in use, limits how many requests are in progress, and ends a client that does not read. Which request is whose,
what belongs into one, and how it is answered remain the library's.
"""

from __future__ import annotations

import asyncio

from sandgate.surfaces.transport.framing import Lines
from sandgate.surfaces.transport.json_rpc import (
    BAD_ID,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    NoObject,
    is_id,
    object_on_line,
    written,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from typing import Any

    from sandgate.surfaces.transport.json_rpc import Id
    from sandgate.surfaces.transport.wire import Wire

    Json = dict[str, Any]

MESSAGE_BYTES_MAX = 32 * 1024 * 1024  # pictures come within a message, as text
REQUESTS_MAX = 256  # of the client, in progress at the same time
FAULTS_TOLD_MAX = 8  # of one request that has the wrong form
FAULT_CHARS_MAX = 300
OVERLOADED = -32000  # of the codes that JSON-RPC leaves to servers
CANCEL = "session/cancel"  # the one notification that clients have
META = "_meta"  # of a request: the library would take what stands in it for parameters


class Messages:
    """The library's transport over `wire`. `give_up` is called when the client does not read what it is sent."""

    def __init__(self, wire: Wire, give_up: Callable[[], object]) -> None:
        self._wire = wire
        self._give_up = give_up
        self._in_progress: set[Id] = set()
        self._idle = asyncio.Event()
        self._idle.set()
        self._incoming = self._read()

    async def receive(self) -> Json | None:
        """The next message; None when the client has closed its end, or is given up."""
        return await anext(self._incoming, None)

    async def send(self, message: Json) -> None:
        """Never waits."""
        if "method" not in message:
            self._in_progress.discard(message["id"])
            if not self._in_progress:
                self._idle.set()
            if "error" in message:
                message = {**message, "error": plain_error(message["error"])}
        self.put(message)

    async def close(self) -> None:
        """The pipes are their owner's to close."""

    async def idle(self) -> None:
        """Waits until everything that was asked is answered."""
        await self._idle.wait()

    def put(self, message: Json) -> None:
        """The same as `send` for what answers nothing."""
        if not self._wire.put(written(message) + b"\n"):
            self._give_up()

    async def _read(self) -> AsyncIterator[Json]:
        lines = Lines(MESSAGE_BYTES_MAX)
        async for chunk in self._wire.chunks():
            for line in lines.fed(chunk):
                if not await self._wire.room():
                    self._give_up()
                    return
                if (message := self._taken(line)) is not None:
                    yield message
                await asyncio.sleep(0)  # what was asked begins in its order, and answers go out between two messages
        if (message := self._taken(lines.rest())) is not None:
            yield message

    def _taken(self, line: bytes | None) -> Json | None:
        if line is None:
            return self._refused(None, INVALID_REQUEST, f"the message is longer than {MESSAGE_BYTES_MAX} bytes")
        if not line.strip():
            return None
        value = object_on_line(line)
        if isinstance(value, NoObject):
            return self._refused(None, value.code, value.why)
        if "method" not in value:
            return self._answer(value)
        return self._request(value) if "id" in value else _notification(value)

    def _answer(self, value: Json) -> Json | None:
        known = value.get("id")
        if not is_id(known) or ("result" in value) == ("error" in value):
            return self._refused(None, INVALID_REQUEST, "neither a request, a notification nor an answer")
        if "result" in value:
            return {"id": known, "result": value["result"]}
        return {"id": known, "error": _readable_error(value["error"])}

    def _request(self, value: Json) -> Json | None:
        known, method, params = value["id"], value["method"], value.get("params")
        if not is_id(known):
            return self._refused(None, INVALID_REQUEST, BAD_ID)
        if not isinstance(method, str):
            return self._refused(known, INVALID_REQUEST, "`method` has to be text")
        if known in self._in_progress:
            return self._refused(known, INVALID_REQUEST, "a request with this id is in progress")
        if len(self._in_progress) >= REQUESTS_MAX:
            return self._refused(known, OVERLOADED, f"{REQUESTS_MAX} requests are in progress; ask again later")
        if params is not None and not isinstance(params, dict):
            return self._refused(known, INVALID_PARAMS, "`params` has to be an object")
        self._in_progress.add(known)
        self._idle.clear()
        asked = {name: given for name, given in (params or {}).items() if name != META}
        return {"id": known, "method": method, "params": asked}

    def _refused(self, known: Id | None, code: int, why: str) -> Json | None:
        """Says so; there is no message then."""
        self.put({"jsonrpc": "2.0", "id": known, "error": {"code": code, "message": why}})
        return None


def plain_error(error: Json) -> Json:
    """Of what a validator has to say of a request the places and the reasons, without the request itself."""
    data = error.get("data")
    faults = data.get("errors") if isinstance(data, dict) else None
    told: Json = {"code": error["code"], "message": error["message"]}
    if isinstance(faults, list):
        shown = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in faults[:FAULTS_TOLD_MAX]]
        told["data"] = {"errors": [text[:FAULT_CHARS_MAX] for text in shown]}
    elif isinstance(data, dict):
        told["data"] = {name: str(value)[:FAULT_CHARS_MAX] for name, value in data.items()}
    return told


def _notification(value: Json) -> Json | None:
    """What is none that we know is passed over, as JSON-RPC has it."""
    params = value.get("params")
    session = params.get("sessionId") if isinstance(params, dict) else None
    if value["method"] != CANCEL or not isinstance(session, str):
        return None
    return {"method": CANCEL, "params": {"sessionId": session}}


def _readable_error(error: object) -> Json:
    known = error if isinstance(error, dict) else {}
    code, message = known.get("code"), known.get("message")
    return {
        "code": code if type(code) is int else INTERNAL_ERROR,
        "message": message[:FAULT_CHARS_MAX] if isinstance(message, str) else "the client's error says nothing",
    }

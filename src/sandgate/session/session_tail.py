"""How a session stands, found in the last lines of its transcript: open or how it ended, and what it has used."""

from __future__ import annotations

import os

from sandgate.errors import SandgateError
from sandgate.record import Record
from sandgate.session.transcript_access import opened_to_read
from sandgate.session.transcript_bytes import json_object, parts
from sandgate.session.transcript_lines import EVENT_MSG, TASK_STARTED, TURN_CONTEXT, Malformed
from sandgate.session.transcript_lock import holder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    State = Literal["open", "done", "failed", "interrupted", "cut off", "unknown"]

TAIL_BYTES = 256 << 10  # looked at; what stands before them is not known here
ENDED: dict[str, State] = {
    "task_complete": "done",
    "turn_complete": "done",
    "turn_aborted": "interrupted",
    "error": "failed",
    TASK_STARTED: "cut off",
}


class SessionTail(Record):
    """Of one session. What the tail does not say is "" or None."""

    state: State  # "open": a program writes it; else how its last turn ended, or that it has no end
    model: str = ""  # that its last turn asked
    tokens: int | None = None  # all that it has used, input and output
    cached_tokens: int | None = None  # part of these that the provider had kept
    input_tokens: int | None = None  # part of `tokens`; the cached ones are part of it
    output_tokens: int | None = None


def read_tail(path: str) -> SessionTail:
    """A transcript that cannot be read says nothing."""
    try:
        descriptor = opened_to_read(path)
    except SandgateError:
        return SessionTail("unknown")
    try:
        end = os.fstat(descriptor).st_size
        tail = os.pread(descriptor, TAIL_BYTES, max(0, end - TAIL_BYTES))
        is_open = holder(descriptor) > 0
    except OSError:
        return SessionTail("unknown")
    finally:
        os.close(descriptor)
    found = _read(tail)
    return found.but(state="open") if is_open else found


def _read(tail: bytes) -> SessionTail:
    found, wanted = SessionTail("unknown"), {"state", "model", "tokens"}
    for line in reversed(tail.split(b"\n")):
        if not wanted:
            break
        try:
            _, kind, payload = parts(line)
            if kind == TURN_CONTEXT and "model" in wanted:
                found, wanted = found.but(model=_text(json_object(payload), "model")), wanted - {"model"}
            elif kind == EVENT_MSG and payload.startswith(b'{"type":"'):
                found, wanted = _event(payload, found, wanted)
        except Malformed:
            continue
    return found


def _event(payload: bytes, found: SessionTail, wanted: set[str]) -> tuple[SessionTail, set[str]]:
    kind = payload[len(b'{"type":"') :].partition(b'"')[0].decode("ascii", "replace")
    if kind in ENDED and "state" in wanted:
        return found.but(state=ENDED[kind]), wanted - {"state"}
    if kind == "token_count" and "tokens" in wanted:
        info = json_object(payload).get("info")
        total = info.get("total_token_usage") if isinstance(info, dict) else None
        if isinstance(total, dict):
            used = found.but(
                tokens=_count(total, "total_tokens"),
                cached_tokens=_count(total, "cached_input_tokens"),
                input_tokens=_count(total, "input_tokens"),
                output_tokens=_count(total, "output_tokens"),
            )
            return used, wanted - {"tokens"}
    return found, wanted


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _count(fields: Mapping[str, Any], name: str) -> int | None:
    value = fields.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None

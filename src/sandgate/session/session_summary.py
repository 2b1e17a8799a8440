"""What a list of sessions says about one of them, found in the first lines of its transcript."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from sandgate.errors import SandgateError
from sandgate.record import Record
from sandgate.session.transcript_access import opened_to_read
from sandgate.session.transcript_bytes import json_object, parts
from sandgate.session.transcript_lines import (
    EVENT_MSG,
    PARENT,
    REVIEW_BEGAN,
    SESSION_META,
    TURN_CONTEXT,
    USER_MESSAGE,
    Malformed,
    SessionMeta,
    as_line,
    timestamp,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


HEAD_LINES_MAX = 64  # in which a session must say whose it is, and something have been said
HEAD_BYTES_MAX = 512 << 10
FIRST_BYTES = 32 << 10  # mostly enough
PREVIEW_CHARS = 160


class SessionHead(Record):
    """What the beginning of a transcript says. It never changes, once there is all of it."""

    id: str
    created_at: str  # RFC 3339, UTC
    cwd: str
    source: str | Mapping[str, Any]
    provider: str | None
    branch: str | None
    model: str | None
    preview: str  # the first thing the person said or had reviewed, on one line; not made visible

    @property
    def complete(self) -> bool:
        """Nothing that is written later can add to it."""
        return self.model is not None

    @property
    def is_subagent(self) -> bool:
        """It worked for another session."""
        return not isinstance(self.source, str)

    @property
    def parent_id(self) -> str | None:
        """For which one, as far as it says so."""
        if isinstance(self.source, str):
            return None
        parent = self.source.get(PARENT)
        return parent if isinstance(parent, str) else None


class SessionSummary(Record):
    """One session."""

    path: str
    archived: bool
    modified_ns: int  # when its transcript was last written, since 1970
    head: SessionHead

    @property
    def updated_at(self) -> str:
        """The same, as RFC 3339 in UTC."""
        at = datetime.fromtimestamp(self.modified_ns // 1_000_000 / 1000, UTC)
        return timestamp(at)


def read_head(path: str) -> SessionHead | None:
    """None where nothing was said, or it does not say whose it is, or cannot be read at all."""
    try:
        descriptor = opened_to_read(path)
    except SandgateError:
        return None
    try:
        data = os.read(descriptor, FIRST_BYTES)
        head = _head(data)
        if (head is None or not head.complete) and len(data) == FIRST_BYTES:
            head = _head(data + os.read(descriptor, HEAD_BYTES_MAX - FIRST_BYTES))
    except (OSError, SandgateError):
        return None
    finally:
        os.close(descriptor)
    return head


def _head(data: bytes) -> SessionHead | None:
    meta: SessionMeta | None = None
    model: str | None = None
    said: str | None = None
    for line in data.split(b"\n", HEAD_LINES_MAX)[:HEAD_LINES_MAX]:
        try:
            _, kind, payload = parts(line)
            if kind == SESSION_META and meta is None:
                read = as_line(kind, json_object(payload))
                meta = read if isinstance(read, SessionMeta) else None
            elif kind == TURN_CONTEXT and model is None:
                model = _text(json_object(payload), "model")
            elif kind == EVENT_MSG and said is None and payload.startswith(_USER_MESSAGE):
                said = _text(json_object(payload), "message") or ""
            elif kind == EVENT_MSG and said is None and payload.startswith(_REVIEW):
                said = f"review: {_text(json_object(payload), 'prompt') or ''}"
        except Malformed:
            continue
        if meta is not None and model is not None and said is not None:
            break
    return None if meta is None or said is None else _made(meta, model, said)


_USER_MESSAGE = f'{{"type":"{USER_MESSAGE}"'.encode()
_REVIEW = f'{{"type":"{REVIEW_BEGAN}"'.encode()


def _made(meta: SessionMeta, model: str | None, said: str) -> SessionHead:
    branch = meta.git.branch if meta.git else None
    preview = " ".join(said[: PREVIEW_CHARS * 4].split())[:PREVIEW_CHARS]
    return SessionHead(meta.id, meta.timestamp, meta.cwd, meta.source, meta.model_provider, branch, model, preview)


def _text(fields: Mapping[str, Any], name: str) -> str | None:
    found = fields.get(name)
    return found if isinstance(found, str) else None

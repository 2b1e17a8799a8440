"""What a transcript says about the session: whose it is, its history, what clients saw.

A line that is not understood is passed over and counted; it hides no other. Where a history was replaced by a summary,
what came before it is not even looked at, and events are read when they are asked for: resuming takes a moment, however
long the file. The first `session_meta` says whose it is, so that lines from elsewhere cannot change that.
"""

from __future__ import annotations

import os
import re

from sandgate.display import visible
from sandgate.errors import TranscriptUnreadable
from sandgate.protocol.items_wire import as_item
from sandgate.record import Record
from sandgate.session.compaction import rebuilt
from sandgate.session.transcript_access import opened_to_read
from sandgate.session.transcript_bytes import json_object, last_summary_at, lines, parts
from sandgate.session.transcript_lines import (
    APPROVAL_AUDIT,
    COMPACTED,
    EVENT_MSG,
    LINE_BYTES_MAX,
    NO_ITEM,
    RESPONSE_ITEM,
    SESSION_META,
    TASK_STARTED,
    TOKEN_COUNT,
    TURN_CONTEXT,
    TURN_ENDS,
    CompactedLine,
    Malformed,
    SessionMeta,
    as_line,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandgate.protocol.items import Item

    Json = Mapping[str, Any]

LIVE_BYTES_MAX = 512 << 20  # of lines that still count, kept while reading
BAD_LINES_SHOWN = 100
_EVENT_TYPE = re.compile(rb'\{"type":"([a-z_]{1,60})"')
_APPROVAL = b'{"kind":"session_approval"'  # as `approvals.sealed_approvals` begins one
_TURN_ID = re.compile(rb'"turn_id":"([^"\\]{0,200})"')


class BadLine(Record):
    """A line that was passed over."""

    number: int  # from 1
    why: str


class Transcript(Record):
    """What was read."""

    path: str
    meta: SessionMeta
    items: tuple[Item, ...]  # the history, as far as it was not replaced
    context: Json | None  # of the last request
    open_turn: str | None  # the id of a turn that has no end; "" when that has none
    next_ordinal: int
    torn: bool  # the last line has no end
    bad_lines: tuple[BadLine, ...]  # the first BAD_LINES_SHOWN
    bad_count: int
    raw_events: tuple[bytes, ...]  # kept events, as written
    raw_approvals: tuple[bytes, ...] = ()  # approvals for the session, as written

    @property
    def ended_in_turn(self) -> bool:
        """The last turn was never brought to an end."""
        return self.open_turn is not None

    def initial_messages(self) -> tuple[Json, ...]:
        """Every kept event, oldest first; damaged ones are left out."""
        return tuple(event for event in map(_as_object, self.raw_events) if event is not None)

    def approvals(self) -> tuple[Json, ...]:
        """What was approved for the session, oldest first; damaged lines are left out."""
        return tuple(line for line in map(_as_object, self.raw_approvals) if line is not None)

    def last_token_count(self) -> Json | None:
        """The last `token_count` event: how full the window was."""
        start = f'{{"type":"{TOKEN_COUNT}"'.encode()
        return next((_as_object(raw) for raw in reversed(self.raw_events) if raw.startswith(start)), None)


def read_transcript(path: str) -> Transcript:
    """Raises TranscriptUnreadable, SessionNotFound, and StorageError where it cannot be opened."""
    descriptor = opened_to_read(path)
    try:
        return read_descriptor(descriptor, path)
    finally:
        os.close(descriptor)


def read_descriptor(descriptor: int, path: str) -> Transcript:
    """The same of an open file, from its beginning."""
    reading = _Reading()
    try:
        replaced_bytes = last_summary_at(descriptor)
        os.lseek(descriptor, 0, os.SEEK_SET)
        for line in lines(descriptor, replaced_bytes):
            reading.take(line)
        reading.counts = True
        for line in lines(descriptor):
            reading.take(line)
    except OSError as problem:
        raise _unreadable(path, str(problem.strerror)) from problem
    except TranscriptUnreadable as problem:
        raise _unreadable(path, problem.why or problem.what, problem.hint) from problem
    if reading.empty:
        raise _unreadable(path, "empty session file")
    if reading.meta is None:
        raise _unreadable(path, "failed to parse conversation ID from rollout file", "no line of it says whose it is")
    return reading.transcript(path, reading.meta, torn=_is_torn(descriptor))


def _as_object(data: bytes) -> Json | None:
    try:
        return json_object(data)
    except Malformed:
        return None


class _Reading:
    """One file, line by line."""

    def __init__(self) -> None:
        self.meta: SessionMeta | None = None
        self.empty = True
        self.counts = False  # what is taken is not replaced by a summary that we know of
        self._number = 0  # of the line
        self._items: list[Item] = []
        self._live_bytes = 0  # of the lines that these and the events were in
        self._items_bytes = 0
        self._events: list[bytes] = []
        self._approvals: list[bytes] = []
        self._context: tuple[int, bytes] | None = None
        self._open_turn: str | None = None
        self._next_ordinal = 0
        self._bad: list[BadLine] = []
        self._bad_count = 0

    def take(self, line: bytes | None) -> None:
        """The next line; None for one that is too long. Raises TranscriptUnreadable."""
        self._number += 1
        if line is None:
            self.empty = False
            self._pass_over(self._number, f"it is longer than {LINE_BYTES_MAX} bytes")
        elif line and not line.isspace():
            self.empty = False
            try:
                self._take(line)
            except Malformed as problem:
                self._pass_over(self._number, str(problem))

    def _take(self, line: bytes) -> None:
        ordinal, kind, payload = parts(line)
        if ordinal >= self._next_ordinal:
            self._next_ordinal = ordinal + 1
        if kind == RESPONSE_ITEM:
            if self.counts:
                self._item(payload)
        elif kind == EVENT_MSG:
            self._hold(len(payload))
            self._event(payload)
        elif kind == TURN_CONTEXT:
            self._context = (self._number, payload)
        elif kind == APPROVAL_AUDIT and payload.startswith(_APPROVAL):
            self._hold(len(payload))
            self._approvals.append(payload)
        elif kind == COMPACTED:
            self._compacted(payload)
        elif kind == SESSION_META and self.meta is None:
            meta = as_line(kind, json_object(payload))
            self.meta = meta if isinstance(meta, SessionMeta) else None

    def _item(self, payload: bytes) -> None:
        self._hold(len(payload))
        self._items_bytes += len(payload)
        item = as_item(json_object(payload))
        if item is None:
            raise Malformed(NO_ITEM)
        self._items.append(item)

    def _event(self, payload: bytes) -> None:
        named = _EVENT_TYPE.match(payload)
        if named is None:
            raise Malformed("it holds an event without a type")
        self._events.append(payload)
        kind = named[1].decode()
        if kind == TASK_STARTED:
            turn = _TURN_ID.search(payload)
            self._open_turn = turn[1].decode("utf-8", "replace") if turn else ""
        elif kind in TURN_ENDS:
            self._open_turn = None

    def _compacted(self, payload: bytes) -> None:
        line = as_line(COMPACTED, json_object(payload))
        if not isinstance(line, CompactedLine):
            return
        if line.replacement is not None:
            self._items = list(line.replacement)
        elif self.counts:
            self._items = list(rebuilt(tuple(self._items), line.message))  # a file of another program
        self._live_bytes -= self._items_bytes
        self._items_bytes = 0

    def _hold(self, size: int) -> None:
        self._live_bytes += size
        if self._live_bytes > LIVE_BYTES_MAX:
            raise TranscriptUnreadable(
                "the transcript is too long", why=f"its history and events take more than {LIVE_BYTES_MAX} bytes"
            )

    def _pass_over(self, number: int, why: str) -> None:
        self._bad_count += 1
        if len(self._bad) < BAD_LINES_SHOWN:
            self._bad.append(BadLine(number, why))

    def transcript(self, path: str, meta: SessionMeta, *, torn: bool) -> Transcript:
        """Everything that was taken."""
        context = None
        if self._context is not None:
            try:
                context = json_object(self._context[1])
            except Malformed as problem:
                self._pass_over(self._context[0], str(problem))
        return Transcript(
            path, meta, tuple(self._items), context, self._open_turn, self._next_ordinal, torn,
            tuple(self._bad), self._bad_count, tuple(self._events), tuple(self._approvals),
        )  # fmt: skip


def _is_torn(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    return size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"


def _unreadable(path: str, why: str, hint: str = "") -> TranscriptUnreadable:
    return TranscriptUnreadable(f"cannot read the transcript `{visible(path)}`", why=why, hint=hint)

"""What a transcript says about the session: whose it is, its history, what clients saw (sections 2.3 and 9).

A line that is not understood is passed over and counted; it hides no other. Where a history was replaced by a summary,
what came before it is not even looked at, and events are read when they are asked for: resuming takes a moment, however
long the file. The first `session_meta` says whose it is, so that lines from elsewhere cannot change that.
"""

from __future__ import annotations

import json
import os
import re

from sandgate.display import visible
from sandgate.errors import TranscriptUnreadable
from sandgate.record import Record
from sandgate.session.compaction import rebuilt
from sandgate.session.transcript_access import opened_to_read
from sandgate.session.transcript_lines import (
    APPROVAL_AUDIT,
    COMPACTED,
    EVENT_MSG,
    LINE_BYTES_MAX,
    RESPONSE_ITEM,
    SESSION_META,
    TASK_STARTED,
    TOKEN_COUNT,
    TURN_CONTEXT,
    TURN_ENDS,
    CompactedLine,
    ItemLine,
    Malformed,
    SessionMeta,
    as_line,
    typed_first,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from sandgate.protocol.items import Item

    Json = Mapping[str, Any]

CHUNK_BYTES = 1 << 20
LIVE_BYTES_MAX = 512 << 20  # of lines that still count, kept while reading
BAD_LINES_SHOWN = 100
# As `transcript_lines.line_bytes` begins a line. Lines of others are read the long way.
_OURS = re.compile(rb'\{"timestamp":"[^"\\]{1,40}","ordinal":(\d{1,15}),"type":"([a-z_]{1,40})","payload":(?=\{)')
_EVENT_TYPE = re.compile(rb'\{"type":"([a-z_]{1,60})"')
_APPROVAL = b'{"kind":"session_approval"'  # as `approvals.lasting` begins one
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
        os.lseek(descriptor, 0, os.SEEK_SET)
        for number, line in enumerate(lines(descriptor), 1):
            reading.take(number, line)
    except OSError as problem:
        raise _unreadable(path, str(problem.strerror)) from problem
    except TranscriptUnreadable as problem:
        raise _unreadable(path, problem.why or problem.what, problem.hint) from problem
    if reading.empty:
        raise _unreadable(path, "empty session file")
    if reading.meta is None:
        raise _unreadable(path, "failed to parse conversation ID from rollout file", "no line of it says whose it is")
    return reading.transcript(path, reading.meta, torn=_is_torn(descriptor))


def lines(descriptor: int) -> Iterator[bytes | None]:
    """Lines without their ends, from where the descriptor stands; None for each that is longer than LINE_BYTES_MAX."""
    held: list[bytes] = []
    size = 0
    while chunk := os.read(descriptor, CHUNK_BYTES):
        if b"\n" not in chunk:
            size += len(chunk)
            held = [*held, chunk] if size <= LINE_BYTES_MAX else []
            continue
        first, *others = chunk.split(b"\n")
        size += len(first)
        yield b"".join((*held, first)) if size <= LINE_BYTES_MAX else None
        last = others.pop()
        yield from others
        held, size = [last], len(last)
    if size:
        yield b"".join(held) if size <= LINE_BYTES_MAX else None


def parts(line: bytes) -> tuple[int, str, bytes]:
    """The ordinal of a line (-1 for none), its type, and its payload as JSON. Raises Malformed.

    The payload of a line of ours was not looked at yet, and may be damaged.
    """
    ours = _OURS.match(line)
    if ours is not None and line.endswith(b"}}"):
        return int(ours[1]), ours[2].decode(), line[ours.end() : -1]
    value = parsed(line)
    kind, payload, ordinal = value.get("type"), value.get("payload"), value.get("ordinal")
    if not isinstance(kind, str) or not isinstance(payload, dict):
        raise Malformed("it has no type or no payload")
    if kind == EVENT_MSG and "type" in payload:
        payload = typed_first(payload)
    number = ordinal if isinstance(ordinal, int) and 0 <= ordinal < 1 << 53 else -1
    return number, kind, json.dumps(payload, separators=(",", ":")).encode()


def parsed(data: bytes) -> dict[str, Any]:
    """The JSON object. Raises Malformed."""
    try:
        text = data.decode().strip()
        found, end = _scan(text)
    except RecursionError:
        raise Malformed("it is nested too deeply") from None
    except ValueError:
        raise Malformed("it is no JSON") from None
    if end != len(text):
        raise Malformed("something follows its JSON")
    if not isinstance(found, dict):
        raise Malformed("it is no object")
    return found


_scan = json.JSONDecoder().raw_decode


def _as_object(data: bytes) -> Json | None:
    try:
        return parsed(data)
    except Malformed:
        return None


class _Reading:
    """One file, line by line."""

    def __init__(self) -> None:
        self.meta: SessionMeta | None = None
        self.empty = True
        self._live: list[tuple[int, bytes]] = []  # items since the history was replaced: lines' numbers and payloads
        self._live_bytes = 0
        self._replaced: tuple[Item, ...] = ()
        self._events: list[bytes] = []
        self._approvals: list[bytes] = []
        self._context: tuple[int, bytes] | None = None
        self._open_turn: str | None = None
        self._next_ordinal = 0
        self._bad: list[BadLine] = []
        self._bad_count = 0

    def take(self, number: int, line: bytes | None) -> None:
        """The next line; None for one that is too long. Raises TranscriptUnreadable."""
        if line is None:
            self.empty = False
            self._pass_over(number, f"it is longer than {LINE_BYTES_MAX} bytes")
        elif line and not line.isspace():
            self.empty = False
            try:
                self._take(number, line)
            except Malformed as problem:
                self._pass_over(number, str(problem))

    def _take(self, number: int, line: bytes) -> None:
        ordinal, kind, payload = parts(line)
        if ordinal >= self._next_ordinal:
            self._next_ordinal = ordinal + 1
        if kind == RESPONSE_ITEM:
            self._hold(len(payload))
            self._live.append((number, payload))
        elif kind == EVENT_MSG:
            self._hold(len(payload))
            self._event(payload)
        elif kind == TURN_CONTEXT:
            self._context = (number, payload)
        elif kind == APPROVAL_AUDIT and payload.startswith(_APPROVAL):
            self._hold(len(payload))
            self._approvals.append(payload)
        elif kind == COMPACTED:
            self._compacted(payload)
        elif kind == SESSION_META and self.meta is None:
            meta = as_line(kind, parsed(payload))
            self.meta = meta if isinstance(meta, SessionMeta) else None

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
        line = as_line(COMPACTED, parsed(payload))
        if not isinstance(line, CompactedLine):
            return
        if line.replacement is None:
            self._replaced = rebuilt(self._items(), line.message)  # a file of another program
        else:
            self._replaced = line.replacement
        self._live_bytes -= sum(len(raw) for _, raw in self._live)
        self._live = []

    def _items(self) -> tuple[Item, ...]:
        found = list(self._replaced)
        for number, payload in self._live:
            try:
                line = as_line(RESPONSE_ITEM, parsed(payload))
            except Malformed as problem:
                self._pass_over(number, str(problem))
                continue
            if isinstance(line, ItemLine):
                found.append(line.item)
        return tuple(found)

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
        items = self._items()
        context = None
        if self._context is not None:
            try:
                context = parsed(self._context[1])
            except Malformed as problem:
                self._pass_over(self._context[0], str(problem))
        return Transcript(
            path, meta, items, context, self._open_turn, self._next_ordinal, torn,
            tuple(self._bad), self._bad_count, tuple(self._events), tuple(self._approvals),
        )  # fmt: skip


def _is_torn(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    return size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"


def _unreadable(path: str, why: str, hint: str = "") -> TranscriptUnreadable:
    return TranscriptUnreadable(f"cannot read the transcript `{visible(path)}`", why=why, hint=hint)

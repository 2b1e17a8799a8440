"""A new session that begins with what was said in another one, up to some point.

The lines of the one are copied, not its history: what was replaced by a summary after that point is as it was before.
Who allowed what stays where it was allowed. What was approved for the session up to that point goes along only as far
as `carry` makes it the new session's own: a line is worth nothing in a session it was not sealed for.
"""

from __future__ import annotations

import os

from sandgate.errors import UserMessageOutOfRange
from sandgate.protocol.items import Message
from sandgate.record import Record
from sandgate.session.transcript_access import opened_to_read
from sandgate.session.transcript_bytes import json_object, lines, parts
from sandgate.session.transcript_lines import (
    SESSION_META,
    TASK_STARTED,
    TURN_ENDS,
    AuditLine,
    EventLine,
    ItemLine,
    Malformed,
    as_line,
)
from sandgate.session.transcript_reader import read_transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from sandgate.session.transcript_lines import Line
    from sandgate.session.transcript_reader import Transcript
    from sandgate.session.transcript_writer import TranscriptWriter

    IsPrefix = Callable[[Message], bool]
    Carry = Callable[[Mapping[str, Any]], Mapping[str, Any] | None]


class BeforeUserMessage(Record):
    """Everything strictly before the `number`-th message of the person, counted from 0.

    What the session itself said on behalf of the person does not count.
    """

    number: int
    allow_empty: bool = False  # begin with nothing where there is no such message, instead of failing


class Interrupted(Record):
    """Everything so far; a turn that runs there is interrupted here, and `marker` tells the model so."""

    marker: Message


def _nothing(_record: Mapping[str, Any]) -> None:
    """No approval goes along."""


def fork(
    source: str,
    writer: TranscriptWriter,
    at: BeforeUserMessage | Interrupted,
    *,
    is_prefix: IsPrefix,
    carry: Carry = _nothing,
) -> Transcript | None:
    """Copies the transcript `source` into a new one, and gives what that holds; None where there is nothing to copy.

    `source` may be in use. Raises UserMessageOutOfRange, TranscriptUnreadable, SessionNotFound, StorageError; then
    `writer` may have written a part, and the caller, who made it, removes it.
    """
    read_transcript(source)  # refuses what cannot be gone on from
    wrote = False
    for line in forked_lines(source, at, is_prefix=is_prefix):
        if isinstance(line, AuditLine):
            approval = carry(line.record)
            if approval is not None:
                writer.write(AuditLine(approval))
            continue
        writer.write(line)
        wrote = True
    if not wrote:
        return None
    writer.flush()
    return read_transcript(writer.path)


def forked_lines(source: str, at: BeforeUserMessage | Interrupted, *, is_prefix: IsPrefix) -> Iterator[Line]:
    """The lines that the new session begins with."""
    match at:
        case BeforeUserMessage():
            return iter(_before(source, at, is_prefix))
        case Interrupted():
            return _interrupted(source, at.marker)


def _before(source: str, at: BeforeUserMessage, is_prefix: IsPrefix) -> list[Line]:
    taken: list[Line] = []
    counted = 0
    for line in _copied(source):
        if _is_said(line, is_prefix):
            if counted == at.number:
                return _without_opening(taken, is_prefix)
            counted += 1
        taken.append(line)
    if at.allow_empty:
        return []
    raise UserMessageOutOfRange(
        f"there is no message {at.number} to fork before",
        why=f"the session has {counted} message{'s' * (counted != 1)} of the person, and the first is number 0",
        hint="`sandgate sessions show SESSION` has them in their order",
    )


def _without_opening(taken: list[Line], is_prefix: IsPrefix) -> list[Line]:
    """Without the beginning of the turn that the message opened; a message within a turn opened none."""
    for place in range(len(taken) - 1, -1, -1):
        line = taken[place]
        if isinstance(line, EventLine):
            kind = line.event["type"]
            if kind == TASK_STARTED:
                return taken[:place]
            if kind in TURN_ENDS:
                break
        if isinstance(line, ItemLine) and not (isinstance(line.item, Message) and is_prefix(line.item)):
            break
    return taken


def _interrupted(source: str, marker: Message) -> Iterator[Line]:
    turn: str | None = None
    for line in _copied(source):
        if isinstance(line, EventLine):
            kind = line.event["type"]
            if kind == TASK_STARTED:
                turn = str(line.event.get("turn_id", ""))
            elif kind in TURN_ENDS:
                turn = None
        yield line
    if turn is not None:
        yield ItemLine(marker)
        yield EventLine({"type": "turn_aborted", "turn_id": turn, "reason": "interrupted"})


def _is_said(line: Line, is_prefix: IsPrefix) -> bool:
    item = line.item if isinstance(line, ItemLine) else None
    return isinstance(item, Message) and item.role == "user" and not is_prefix(item)


def _copied(source: str) -> Iterator[Line]:
    """Every line that a new session may begin with, in order; what is not understood is passed over."""
    descriptor = opened_to_read(source)
    try:
        for data in lines(descriptor):
            if data is None or not data or data.isspace():
                continue
            try:
                _, kind, payload = parts(data)
                line = None if kind == SESSION_META else as_line(kind, json_object(payload))
            except Malformed:
                continue
            if line is not None:
                yield line
    finally:
        os.close(descriptor)

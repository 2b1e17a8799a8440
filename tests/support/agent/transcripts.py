"""Transcripts for tests: small ones of known content, as the writer makes them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from sandgate.protocol.items import user_message
from sandgate.session.transcript_files import new_path
from sandgate.session.transcript_lines import EventLine, ItemLine, SessionMeta
from sandgate.session.transcript_writer import TranscriptWriter

if TYPE_CHECKING:
    from pathlib import Path

    from sandgate.session.transcript_lines import Line

BEGAN = 1_767_225_600  # seconds since 1970: 2026-01-01, when session 0 begins
HOUR_S = 3600


def session_id(number: int) -> str:
    """A UUID of version 7 whose first part grows with the number."""
    return f"{number:08x}-0000-7000-8000-{number:012x}"


def meta(number: int = 0, **fields: object) -> SessionMeta:
    """Of session `number`; they begin an hour apart."""
    began = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(BEGAN + number * HOUR_S))
    return SessionMeta(session_id(number), began, "/work").but(**fields)


def said(text: str) -> tuple[Line, Line]:
    """Something a person said, as a session keeps it."""
    return (
        ItemLine(user_message(text)),
        EventLine({"type": "user_message", "message": text, "images": []}),
    )


def turn(text: str, *more: Line, turn_id: str = "turn", ended: bool = True) -> tuple[Line, ...]:
    """A turn in which that was said."""
    end = (EventLine({"type": "task_complete", "turn_id": turn_id}),) if ended else ()
    return (EventLine({"type": "task_started", "turn_id": turn_id}), *said(text), *more, *end)


def kept(home: Path, *lines: Line, number: int = 0, **fields: object) -> Path:
    """A whole transcript of session `number`."""
    from pathlib import Path

    path = new_path(str(home), session_id(number), BEGAN + number * HOUR_S)
    writer = TranscriptWriter(path, str(home), meta(number, **fields))
    for line in lines:
        assert writer.write(line)
    writer.close()
    return Path(path)

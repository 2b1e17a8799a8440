"""What there is of past sessions: listed, shown, put away, deleted. Works on the files; nothing is opened that runs."""

from __future__ import annotations

import os

from sandgate.agent.undo import KeptUndo
from sandgate.config.state_directory import ensured_state
from sandgate.display import one_line
from sandgate.errors import RequestError
from sandgate.protocol.items import InputImage, Message
from sandgate.record import Record
from sandgate.session import session_listing, transcript_files
from sandgate.session.session_index import SessionIndex
from sandgate.session.session_listing import SUBAGENT as SUBAGENT
from sandgate.session.session_listing import WantedSessions
from sandgate.session.session_summary import read_head
from sandgate.session.session_tail import read_tail
from sandgate.session.transcript_reader import read_transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from sandgate.config.prices import Price
    from sandgate.protocol.items import Item
    from sandgate.session.session_summary import SessionSummary
    from sandgate.session.session_tail import SessionTail

NAME_CHARS_MAX = 60
INDENT = "    "


class ListedSession(Record):
    """One session of a list."""

    id: str
    created_at: str  # RFC 3339, UTC
    updated_at: str
    cwd: str
    model: str
    source: str
    preview: str  # the first thing the person said
    parent_id: str | None  # the session it worked for; "" when it does not say which
    provider: str = ""  # of the model; "" when it does not say
    state: str = ""  # "open": a program works in it; else how its last turn ended; "unknown"
    tokens: int | None = None  # that it has used, input and output; None: not known
    cost: float | None = None  # of these, about; None: not known, or of more than one model
    currency: str = ""


class SessionList(Record):
    """A page of them, newest first."""

    items: tuple[ListedSession, ...]
    next_cursor: str | None


class ReadSession(Record):
    """One session, read."""

    id: str
    path: str
    created_at: str  # RFC 3339, UTC
    updated_at_s: int  # since 1970
    cwd: str
    model: str | None
    provider: str
    source: str
    forked_from_id: str | None
    preview: str  # the first thing the person said
    events: tuple[Mapping[str, Any], ...]  # that its transcript keeps, as JSON


def list_sessions(
    environ: Mapping[str, str],
    *,
    limit: int,
    cursor: str | None = None,
    archived: bool = False,
    subagents: bool = False,
    prices: Mapping[str, Price] | None = None,
) -> SessionList:
    """`prices` by model. Raises RequestError for a cursor that is none, StorageError, ConfigError."""
    wanted = WantedSessions(archived=archived, subagents=subagents)
    page = session_listing.sessions_page(ensured_state(environ), wanted, page_size=limit, cursor=cursor)
    return SessionList(tuple(_listed(each, prices or {}) for each in page.sessions), page.next_cursor)


def show_session(environ: Mapping[str, str], wanted: str) -> Iterator[str]:
    """What was said and done, line by line. Raises SessionNotFound, TranscriptUnreadable."""
    found = transcript_files.find_transcript(ensured_state(environ), wanted)
    transcript = read_transcript(found.path)
    yield f"session {transcript.meta.id} in {transcript.meta.cwd}"
    for item in transcript.items:
        yield from _lines(item)
    if transcript.bad_count:
        yield f"({transcript.bad_count} damaged lines were passed over)"


def read_session(environ: Mapping[str, str], wanted: str) -> ReadSession:
    """Read as a whole, without opening it. Raises SessionNotFound, TranscriptUnreadable."""
    found = transcript_files.find_transcript(ensured_state(environ), wanted)
    transcript, summary = read_transcript(found.path), read_head(found.path)
    meta = transcript.meta
    return ReadSession(
        meta.id,
        found.path,
        meta.timestamp,
        int(os.stat(found.path).st_mtime),
        meta.cwd,
        None if summary is None else summary.model,
        meta.model_provider or "",
        meta.source if isinstance(meta.source, str) else SUBAGENT,
        meta.forked_from_id,
        "" if summary is None else summary.preview,
        transcript.initial_messages(),
    )


def archive_session(environ: Mapping[str, str], wanted: str) -> None:
    """Puts it away; it can still be shown. Raises SessionNotFound, SessionBusy, StorageError."""
    home = ensured_state(environ)
    found = transcript_files.find_transcript(home, wanted)
    if found.archived:
        raise RequestError("this session is put away already")
    transcript_files.archive(home, found)


def unarchive_session(environ: Mapping[str, str], wanted: str) -> None:
    """Lists it again. Raises SessionNotFound, SessionBusy, StorageError."""
    home = ensured_state(environ)
    found = transcript_files.find_transcript(home, wanted)
    if not found.archived:
        raise RequestError("this session is not put away")
    transcript_files.unarchive(home, found)


def delete_session(environ: Mapping[str, str], wanted: str) -> None:
    """For good. Raises SessionNotFound, SessionBusy, StorageError."""
    home = ensured_state(environ)
    found = transcript_files.find_transcript(home, wanted)
    transcript_files.delete(home, found)
    KeptUndo(home, found.id).forget()
    index = SessionIndex(home)
    try:
        index.forget(found.name, archived=found.archived)
    finally:
        index.close()


def _listed(session: SessionSummary, prices: Mapping[str, Price]) -> ListedSession:
    head = session.head
    source = SUBAGENT if head.is_subagent else str(head.source)
    parent = (head.parent_id or "") if head.is_subagent else None
    tail = read_tail(session.path)
    price = prices.get(tail.model) if tail.model == head.model else None
    return ListedSession(
        head.id,
        head.created_at,
        session.updated_at,
        head.cwd,
        tail.model or head.model or "",
        source,
        head.preview,
        parent,
        head.provider or "",
        tail.state,
        tail.tokens,
        cost := None if price is None else _cost(tail, price),
        "" if price is None or cost is None else price.currency,
    )


def _cost(tail: SessionTail, price: Price) -> float | None:
    if tail.input_tokens is None or tail.output_tokens is None:
        return None
    cached = tail.cached_tokens or 0
    return price.cost(input_tokens=tail.input_tokens, cached_tokens=cached, output_tokens=tail.output_tokens)


def _lines(item: Item) -> Iterator[str]:
    if isinstance(item, Message):
        yield f"{item.role}:"
        for part in item.content:
            text = "[a picture]" if isinstance(part, InputImage) else part.text
            yield from (f"{INDENT}{line}" for line in text.split("\n"))
        return
    name = one_line(getattr(item, "name", "") or type(item).__name__, limit=NAME_CHARS_MAX)
    yield f"{name}:"
    said = getattr(item, "arguments", None) or getattr(item, "input", None) or getattr(item, "output", None) or ""
    yield from (f"{INDENT}{line}" for line in str(said).split("\n"))

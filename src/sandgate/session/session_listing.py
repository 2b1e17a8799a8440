"""Pages of sessions, newest first.

A page begins strictly behind the last session of the one before it, by time and id, so new sessions never shift it.
"""

from __future__ import annotations

import re
from itertools import islice

from sandgate.display import visible
from sandgate.errors import RequestError
from sandgate.record import Record
from sandgate.session.session_index import AFTER_ALL, SessionIndex
from sandgate.session.transcript_files import ID, transcript_name, transcripts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from sandgate.session.session_summary import SessionHead, SessionSummary
    from sandgate.session.transcript_files import FoundTranscript

    Place = tuple[str, str]  # stamp and id

PAGE_SIZE = 25
PAGE_SIZE_MAX = 1_000
SCANNED_MAX = 10_000  # files looked at for one page
STEP_MIN = 100  # files looked at together
SUBAGENT = "subagent"
_CURSOR = re.compile(rf"(\d{{4}}-\d\d-\d\dT\d\d-\d\d-\d\d)\|({ID})", re.ASCII)


class WantedSessions(Record):
    """Which sessions a list is about."""

    sources: tuple[str, ...] = ()  # empty: all. A delegate's is "subagent"
    providers: tuple[str, ...] = ()  # empty: all
    default_provider: str = ""  # what a session without a provider counts as
    archived: bool = False
    subagents: bool = True  # those that worked for another session, too


EVERYTHING = WantedSessions()


class SessionPage(Record):
    """Some sessions."""

    sessions: tuple[SessionSummary, ...]
    next_cursor: str | None  # for what follows; None: nothing does
    scanned: int  # files looked at
    reached_scan_cap: bool  # there may be more, and it was too much to look for them now


def sessions_page(
    home: str, wanted: WantedSessions = EVERYTHING, *, page_size: int = PAGE_SIZE, cursor: str | None = None
) -> SessionPage:
    """One page. Raises RequestError for a cursor that is none, and a page of no or too many sessions."""
    if not 0 < page_size <= PAGE_SIZE_MAX:
        raise RequestError(f"a page has 1 to {PAGE_SIZE_MAX} sessions", why=f"{page_size} were asked for")
    index = SessionIndex(home)
    try:
        place = None if cursor is None else _place(cursor)
        return _Page(index, wanted, page_size).filled(_behind(home, wanted.archived, place), place)
    finally:
        index.close()


def _place(cursor: str) -> Place:
    named = _CURSOR.fullmatch(cursor)
    if named is None:
        raise RequestError(
            f"`{visible(cursor, limit=80)}` is no place in a list of sessions", hint="use `next_cursor` of a page"
        )
    return named[1], named[2]


def _behind(home: str, archived: bool, place: Place | None) -> Iterator[FoundTranscript]:
    if place is None:
        return transcripts(home, archived=archived)
    older = transcripts(home, archived=archived, upto=place[0])
    return (each for each in older if (each.stamp, each.id) < place)


class _Page:
    """In the making."""

    def __init__(self, index: SessionIndex, wanted: WantedSessions, size: int) -> None:
        self._index = index
        self._wanted = wanted
        self._size = size

    def filled(self, found: Iterator[FoundTranscript], behind: Place | None) -> SessionPage:
        """As many as there is room for, and where the next page begins."""
        sessions: list[SessionSummary] = []
        scanned, before = 0, AFTER_ALL if behind is None else transcript_name(*behind)
        shown = looked_at = ""
        while scanned < SCANNED_MAX:
            room = min(max(self._size + 1, STEP_MIN), SCANNED_MAX - scanned)
            step = list(islice(found, room))
            ended = len(step) < room
            heads = self._index.summaries(step, archived=self._wanted.archived, before=before, last=ended)
            for each, known in zip(step, heads, strict=True):
                if known is not None and self._is_wanted(known.head):
                    if len(sessions) == self._size:
                        return SessionPage(tuple(sessions), shown, scanned, False)
                    sessions.append(known)
                    shown = f"{each.stamp}|{each.id}"
                scanned += 1
                looked_at, before = f"{each.stamp}|{each.id}", each.name
            if ended:
                return SessionPage(tuple(sessions), None, scanned, False)
        more = next(found, None) is not None
        return SessionPage(tuple(sessions), looked_at if more else None, scanned, more)

    def _is_wanted(self, head: SessionHead) -> bool:
        wanted = self._wanted
        source = SUBAGENT if head.is_subagent else str(head.source)
        return (
            (wanted.subagents or not head.is_subagent)
            and _among(wanted.sources, source)
            and _among(wanted.providers, head.provider or wanted.default_provider)
        )


def _among(allowed: Collection[str], value: str) -> bool:
    return not allowed or value in allowed

"""Remembers the heads of transcripts, so that listing them does not read them again.

Only a memory: the files are the truth, and which there are is always looked up among them. A damaged index is made
anew, a busy or unwritable one is done without. A head is read again until there is all of it; that of a file which is
gone, or another one by now, is forgotten.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing, suppress

from sandgate.approvals.private_files import FILE_MODE
from sandgate.record import Record
from sandgate.session.session_summary import SessionHead, SessionSummary, read_head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.session.transcript_files import FoundTranscript

INDEX_NAME = "session_index.sqlite"
INDEX_VERSION = 1  # of the table; another one is thrown away
BUSY_MS = 200  # for another process that writes the index
PASSING = frozenset(
    {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}
    | {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM}
)
BESIDE = ("", "-wal", "-shm", "-journal")
AFTER_ALL = "~"  # sorts behind every name
_TABLE = """
CREATE TABLE heads (
    name TEXT PRIMARY KEY, archived INTEGER, inode INTEGER, size INTEGER, head TEXT, complete INTEGER
) WITHOUT ROWID
"""
_SELECT = "SELECT name, inode, size, head, complete FROM heads WHERE archived = ? AND name >= ? AND name < ?"
_KEEP = "INSERT OR REPLACE INTO heads VALUES (?, ?, ?, ?, ?, ?)"
_FORGET = "DELETE FROM heads WHERE name = ? AND archived = ?"


class _Known(Record):
    """What is remembered of one file."""

    inode: int
    size: int
    head: SessionHead | None
    complete: bool

    def fits(self, found: os.stat_result, session_id: str) -> bool:
        """The file is the same one, and nothing can have changed what is known of it."""
        if found.st_ino != self.inode or (self.head is not None and self.head.id != session_id):
            return False
        return found.st_size >= self.size if self.complete else found.st_size == self.size


class SessionIndex:
    """The memory that lies in one directory, `home`. Processes may share it; a value of it belongs to one thread."""

    def __init__(self, home: str) -> None:
        self._path = os.path.join(home, INDEX_NAME)
        self._connection = self._opened()

    def close(self) -> None:
        """May be repeated."""
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def add(self, path: str, head: SessionHead) -> None:
        """Remembers the whole head of a transcript that is not archived, so that no listing has to read it again."""
        try:
            state = os.lstat(path)
        except OSError:
            return
        row = (os.path.basename(path), False, state.st_ino, state.st_size, _as_text(head), True)
        self._remember([row], [])

    def forget(self, name: str, *, archived: bool) -> None:
        """Nothing is left here of the transcript of that name."""
        self._remember([], [(name, archived)])

    def summaries(
        self, found: Sequence[FoundTranscript], *, archived: bool = False, before: str = AFTER_ALL, last: bool = False
    ) -> list[SessionSummary | None]:
        """One each, in their order; None for what is no session to show.

        `found`: transcripts one behind the other, the newest first. What the index has of files between `before`, which
        is exclusive, and the last of them (or the end, if `last`) that are not among them, is forgotten.
        """
        first = found[-1].name if found and not last else ""
        known = self._recalled(archived, first, before) if found or last else {}
        gone = known.keys() - {each.name for each in found}
        made: list[SessionSummary | None] = []
        news: list[tuple[object, ...]] = []
        for each in found:
            try:
                state = os.lstat(each.path)
            except OSError:
                made.append(None)
                continue
            remembered = known.get(each.name)
            if remembered is not None and remembered.fits(state, each.id):
                head = remembered.head
            else:
                head = read_head(each.path)
                complete = head is not None and head.complete
                news.append((each.name, archived, state.st_ino, state.st_size, _as_text(head), complete))
            if head is None or head.id != each.id:
                made.append(None)
            else:
                made.append(SessionSummary(each.path, archived, state.st_mtime_ns, head))
        self._remember(news, [(name, archived) for name in gone])
        return made

    def _recalled(self, archived: bool, first: str, before: str) -> dict[str, _Known]:
        rows = self._asked(_SELECT, (archived, first, before))
        try:
            heads = json.loads(f"[{','.join(row[3] for row in rows)}]")
            return {
                name: _Known(inode, size, None if head is None else SessionHead(*head), bool(complete))
                for (name, inode, size, _, complete), head in zip(rows, heads, strict=True)
            }
        except (ValueError, TypeError, RecursionError):
            self._start_anew()
            return {}

    def _asked(self, question: str, values: tuple[object, ...]) -> list[tuple[str, int, int, str, int]]:
        if self._connection is None:
            return []
        try:
            return self._connection.execute(question, values).fetchall()
        except sqlite3.Error as problem:
            self._fell(problem)
        return []

    def _remember(self, news: list[tuple[object, ...]], gone: list[tuple[str, bool]]) -> None:
        if self._connection is None or not (news or gone):
            return
        try:
            with self._connection:
                self._connection.executemany(_FORGET, gone)
                self._connection.executemany(_KEEP, news)
        except sqlite3.Error as problem:
            self._fell(problem)

    def _fell(self, problem: sqlite3.Error) -> None:
        if _passes(problem):
            self.close()
        else:
            self._start_anew()

    def _start_anew(self) -> None:
        self.close()
        for ending in BESIDE:
            with suppress(OSError):
                os.unlink(self._path + ending)
        with suppress(sqlite3.Error):
            self._connection = _connected(self._path)

    def _opened(self) -> sqlite3.Connection | None:
        try:
            return _connected(self._path)
        except sqlite3.Error as problem:
            self._connection = None
            if not _passes(problem):
                self._start_anew()
            return self._connection


def _passes(problem: sqlite3.Error) -> bool:
    """The index is in use, or out of reach: this time it goes without. Anything else is damage."""
    return getattr(problem, "sqlite_errorcode", 0) & 0xFF in PASSING


def _connected(path: str) -> sqlite3.Connection | None:
    """None where nothing can be kept. Raises sqlite3.Error."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE))
    except OSError:
        return None
    connection = sqlite3.connect(path, timeout=BUSY_MS / 1000)
    try:
        _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    # The end of a session waits for this. What a power failure damages is made anew, and no row is believed that does
    # not fit its file.
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA secure_delete = ON")  # what was said in a session that is gone is gone from here, too
    if connection.execute("PRAGMA user_version").fetchone()[0] == INDEX_VERSION:
        return
    connection.execute("PRAGMA journal_mode = WAL")
    with closing(connection.cursor()) as cursor:
        cursor.execute("BEGIN IMMEDIATE")
        if cursor.execute("PRAGMA user_version").fetchone()[0] != INDEX_VERSION:
            cursor.execute("DROP TABLE IF EXISTS heads")
            cursor.execute(_TABLE)
            cursor.execute(f"PRAGMA user_version = {INDEX_VERSION}")
        cursor.execute("COMMIT")


def _as_text(head: SessionHead | None) -> str:
    return json.dumps(None if head is None else list(head.fields().values()))

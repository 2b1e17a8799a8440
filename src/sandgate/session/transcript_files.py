"""Where transcripts lie and what they are called.

`sessions/YYYY/MM/DD/rollout-YYYY-MM-DDTHH-MM-SS-<id>.jsonl`, in local time; archived ones in one flat directory.
Names sort by time and id, and are the truth about which sessions there are: everything else can be made again.
"""

from __future__ import annotations

import os
import re

from sandgate.display import visible
from sandgate.errors import SessionNotFound, StorageError
from sandgate.record import Record
from sandgate.session.transcript_access import made_directories, opened_alone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SESSIONS, ARCHIVED = "sessions", "archived_sessions"
PREFIX_CHARS_MIN = 4  # of an id
CANDIDATES_SHOWN = 8
ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_NAME = re.compile(rf"rollout-(\d{{4}}-\d\d-\d\dT\d\d-\d\d-\d\d)-({ID})\.jsonl", re.ASCII)
_ID_START = re.compile(r"[0-9a-f-]{1,36}")
_DIGITS = {4: re.compile(r"\d{4}", re.ASCII), 2: re.compile(r"\d\d", re.ASCII)}


class FoundTranscript(Record):
    """A file that is called like a transcript, and lies where one of its name belongs."""

    path: str
    stamp: str  # local time: "2026-11-22T11-20-09"
    id: str
    archived: bool = False

    @property
    def name(self) -> str:
        """Without the directory. Sorts by time, then by id."""
        return transcript_name(self.stamp, self.id)


def new_path(home: str, session_id: str, began: float | None = None) -> str:
    """Where a session that began then (seconds since 1970; None: now) is kept. Nothing is made."""
    from time import localtime, strftime

    stamp = strftime("%Y-%m-%dT%H-%M-%S", localtime(began))
    name = transcript_name(stamp, session_id)
    if not _NAME.fullmatch(name):
        raise StorageError(f"`{visible(session_id)}` is no id of a session", why="it is not written like a UUID")
    return os.path.join(home, _day(stamp), name)


def transcript_name(stamp: str, session_id: str) -> str:
    """What the file of that session is called."""
    return f"rollout-{stamp}-{session_id}.jsonl"


def transcripts(home: str, *, archived: bool = False, upto: str = "~") -> Iterator[FoundTranscript]:
    """All of them, newest first; `upto` passes over those whose stamp is greater. Links are not followed."""
    if archived:
        yield from _in_directory(os.path.join(home, ARCHIVED), "", upto, archived=True)
        return
    sessions = os.path.join(home, SESSIONS)
    for year in _numbered(sessions, 4, upto[:4]):
        for month in _numbered(os.path.join(sessions, year), 2, upto[5:7] if year == upto[:4] else "~"):
            above = os.path.join(sessions, year, month)
            last = upto[8:10] if f"{year}-{month}" == upto[:7] else "~"
            for day in _numbered(above, 2, last):
                yield from _in_directory(f"{above}/{day}", f"{year}-{month}-{day}", upto)


def find_transcript(home: str, wanted: str) -> FoundTranscript:
    """The one whose id is `wanted`, or begins like it, archived or not. Raises SessionNotFound for none and several."""
    start = wanted.lower()
    if len(start) < PREFIX_CHARS_MIN or not _ID_START.fullmatch(start):
        raise SessionNotFound(
            f"`{visible(wanted, limit=40)}` is no id of a session",
            hint=f"`sandgate sessions list` has them; {PREFIX_CHARS_MIN} characters or more of the beginning will do",
        )
    found: dict[str, FoundTranscript] = {}
    for archived in (False, True):
        for each in transcripts(home, archived=archived):
            if each.id.startswith(start):
                found.setdefault(each.id, each)
    if not found:
        raise SessionNotFound(f"there is no session `{start}`", hint="`sandgate sessions list` has them")
    if len(found) > 1:
        shown = ", ".join(sorted(found, reverse=True)[:CANDIDATES_SHOWN])
        more = " and more" if len(found) > CANDIDATES_SHOWN else ""
        raise SessionNotFound(f"`{start}` is the beginning of {len(found)} ids", hint=f"{shown}{more}")
    return next(iter(found.values()))


def archive(home: str, transcript: FoundTranscript) -> FoundTranscript:
    """Out of the way of listings, and kept. Raises SessionBusy, SessionNotFound, StorageError."""
    return _moved(home, transcript, ARCHIVED, archived=True)


def unarchive(home: str, transcript: FoundTranscript) -> FoundTranscript:
    """Back where it was. Raises as `archive`."""
    return _moved(home, transcript, _day(transcript.stamp), archived=False)


def delete(home: str, transcript: FoundTranscript) -> None:
    """Gone for good. Raises as `archive`."""
    descriptor = opened_alone(_expected(home, transcript))
    try:
        os.unlink(transcript.path)
        _sync(os.path.dirname(transcript.path))
    except OSError as problem:
        raise _failed("remove", transcript, problem) from problem
    finally:
        os.close(descriptor)


def _moved(home: str, transcript: FoundTranscript, below: str, *, archived: bool) -> FoundTranscript:
    descriptor = opened_alone(_expected(home, transcript))
    target = os.path.join(home, below, transcript.name)
    try:
        for made in made_directories(home, below):
            os.close(made)
        if os.path.lexists(target):
            raise StorageError(f"cannot move the session `{transcript.id}`", why=f"`{visible(target)}` is there")
        os.rename(transcript.path, target)
        _sync(os.path.dirname(target))
        _sync(os.path.dirname(transcript.path))
    except OSError as problem:
        raise _failed("move", transcript, problem) from problem
    finally:
        os.close(descriptor)
    return FoundTranscript(target, transcript.stamp, transcript.id, archived)


def _expected(home: str, transcript: FoundTranscript) -> str:
    """Its path; names may come from outside, and must not lead anywhere else."""
    below = ARCHIVED if transcript.archived else _day(transcript.stamp)
    if transcript.path != os.path.join(home, below, transcript_name(transcript.stamp, transcript.id)):
        raise SessionNotFound(f"`{visible(transcript.path)}` is not where a session is kept")
    return transcript.path


def _day(stamp: str) -> str:
    return "/".join((SESSIONS, stamp[:4], stamp[5:7], stamp[8:10]))


def _numbered(directory: str, digits: int, last: str) -> list[str]:
    """Directories called by that many digits, up to `last`, the greatest first."""
    try:
        with os.scandir(directory) as entries:
            names = [
                each.name
                for each in entries
                if _DIGITS[digits].fullmatch(each.name) and each.name <= last and each.is_dir(follow_symlinks=False)
            ]
    except OSError:
        return []
    return sorted(names, reverse=True)


def _in_directory(directory: str, day: str, upto: str, *, archived: bool = False) -> list[FoundTranscript]:
    """What began on that day; "" for any."""
    found = []
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                named = _NAME.fullmatch(entry.name)
                if named is None or not entry.is_file(follow_symlinks=False):
                    continue
                stamp = named[1]
                if stamp <= upto and stamp.startswith(day):
                    found.append(FoundTranscript(entry.path, stamp, named[2], archived))
    except OSError:
        return []
    if len(found) > 1:
        found.sort(key=lambda each: (each.stamp, each.id), reverse=True)
    return found


def _sync(directory: str) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _failed(deed: str, transcript: FoundTranscript, problem: OSError) -> StorageError:
    return StorageError(f"cannot {deed} the session `{transcript.id}`", why=str(problem.strerror))

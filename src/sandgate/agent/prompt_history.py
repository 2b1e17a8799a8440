"""What the person typed in earlier sessions, for clients that let them have it again: one file, the oldest first.

A line is a JSON object with the session's id, the moment in seconds since 1970, and the text. Several processes add to
it, one at a time (flock(2)); what is over the limit is cut off by writing what stays to another file, so no reader sees
half of one. Whoever noted where an entry stands before that is told that there is none. No confined command sees it.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
from contextlib import contextmanager
from time import sleep, time

from sandgate.config.schema import default_of
from sandgate.config.state_directory import ensured_state
from sandgate.display import visible
from sandgate.errors import RequestError, SandgateError, StorageError
from sandgate.protocol.events import HistoryEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

NAME = "history.jsonl"
DRAFT = f"{NAME}.new"  # held by whoever has the lock
TEXT_CHARS_MAX = 100_000  # of one entry
KEPT_OF_TEN = 8  # tenths of the limit that stay when it is passed
LOCK_TRIES, LOCK_WAIT_S = 100, 0.01
LOG_ID_BYTES = 6  # a number that every JSON reader holds exactly
_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class PromptHistory:
    """Blocks on the disk. Raises StorageError for a file that is not ours alone, ConfigError without a place."""

    def __init__(self, environ: Mapping[str, str], values: Mapping[str, Any]) -> None:
        """`values`: the merged settings."""
        self._environ = environ
        self._keeps = values.get("history.persistence", default_of("history.persistence")) == "save-all"
        self._bytes_max: int = values.get("history.max_bytes", default_of("history.max_bytes"))

    def add(self, text: str, session_id: str) -> None:
        """One more entry. Raises RequestError for one that is too long."""
        if not self._keeps or not text.strip():
            return
        if len(text) > TEXT_CHARS_MAX:
            raise RequestError("this is too long for the history", why=f"at most {TEXT_CHARS_MAX} characters are kept")
        line = json.dumps({"session_id": session_id, "ts": int(time()), "text": text}).encode() + b"\n"
        state = ensured_state(self._environ)
        with _locked(os.path.join(state, NAME)) as descriptor:
            if os.fstat(descriptor).st_size + len(line) > self._bytes_max:
                _cut(state, _whole(descriptor) + line, self._bytes_max * KEPT_OF_TEN // 10)
            else:
                _write(descriptor, line)

    def entry(self, log_id: int, offset: int) -> HistoryEntry | None:
        """Where the file was `log_id`, the entry of that number from 0; None where it is not, or is damaged."""
        lines = self._lines()
        if not 0 <= offset < len(lines) or _log_id(lines) != log_id:
            return None
        try:
            found = json.loads(lines[offset])
            return HistoryEntry(str(found["session_id"]), int(found["ts"]), str(found["text"]))
        except (ValueError, TypeError, KeyError, RecursionError):
            return None

    def standing(self) -> tuple[int | None, int | None]:
        """The id of the file as it is, and how many entries it has; 0 and 0 where there is none, None for what is no
        such file."""
        try:
            lines = self._lines()
        except SandgateError:  # told to who adds to it
            return None, None
        return (_log_id(lines), len(lines)) if lines else (0, 0)

    def _lines(self) -> list[bytes]:
        try:
            descriptor = _opened(os.path.join(ensured_state(self._environ), NAME), os.O_RDONLY)
        except FileNotFoundError:
            return []
        try:
            return _whole(descriptor).splitlines()
        finally:
            os.close(descriptor)


def _log_id(lines: list[bytes]) -> int:
    """Stays as entries are added, and changes when the first one goes."""
    from hashlib import sha256

    return int.from_bytes(sha256(lines[0]).digest()[:LOG_ID_BYTES], "big")


@contextmanager
def _locked(path: str) -> Iterator[int]:
    """A descriptor to add to, which no other process has meanwhile, of the file that has the name by then."""
    for _ in range(LOCK_TRIES):
        descriptor = _opened(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        try:
            if _is_alone(descriptor, path):
                yield descriptor
                return
        finally:
            os.close(descriptor)
        sleep(LOCK_WAIT_S)
    raise StorageError(f"cannot add to `{visible(path)}`", why="another process holds it")


def _is_alone(descriptor: int, path: str) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except (BlockingIOError, FileNotFoundError):
        return False


def _cut(state: str, data: bytes, kept_bytes: int) -> None:
    """The newest entries alone, and the last one however long it is."""
    kept: list[bytes] = []
    for line in reversed(data.splitlines(keepends=True)):
        kept_bytes -= len(line)
        if kept and kept_bytes < 0:
            break
        kept.append(line)
    draft = os.path.join(state, DRAFT)
    descriptor = _opened(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        _write(descriptor, b"".join(reversed(kept)))
    finally:
        os.close(descriptor)
    os.replace(draft, os.path.join(state, NAME))


def _opened(path: str, how: int) -> int:
    try:
        descriptor = os.open(path, how | _FLAGS, 0o600)
    except FileNotFoundError:
        raise
    except OSError as problem:
        raise StorageError(f"cannot open `{visible(path)}`", why=str(problem.strerror)) from problem
    found = os.fstat(descriptor)
    ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077
    if not ours:
        os.close(descriptor)
        raise StorageError(
            f"`{visible(path)}` is not to be believed",
            why="it is no plain file of yours alone",
            hint="take its rights away from others, or move it",
        )
    return descriptor


def _whole(descriptor: int) -> bytes:
    with os.fdopen(os.dup(descriptor), "rb") as file:
        file.seek(0)
        return file.read()


def _write(descriptor: int, data: bytes) -> None:
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(descriptor, left) :]
    except OSError as problem:
        raise StorageError("cannot add to the history", why=str(problem.strerror)) from problem

"""Opening transcripts, and the directories they lie in: ours alone, never through a link.

Transcripts hold whatever was said and printed, and what a session goes on from; one that others could have written is
not believed.
"""

from __future__ import annotations

import errno
import os
import stat

from sandgate.approvals.private_files import FILE_MODE, OTHERS_WRITE, made_directory, opened_directory
from sandgate.display import visible
from sandgate.errors import ConfigError, SessionNotFound, StorageError
from sandgate.session.transcript_lock import take

_COMMON = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | _COMMON


def opened_to_read(path: str) -> int:
    """A descriptor of a transcript, which another process may be writing. Raises SessionNotFound, StorageError."""
    return _opened(path, os.O_RDONLY)


def opened_alone(path: str) -> int:
    """The same to go on writing: no other process does until it is closed. Raises SessionBusy, too."""
    descriptor = _opened(path, os.O_RDWR | os.O_APPEND)
    try:
        take(descriptor, path)
        if not _is_still_there(descriptor, path):
            raise _gone(path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def made_alone(directory: int, path: str) -> int:
    """A new transcript, in the directory of that descriptor, and ours to write. Raises OSError, SandgateError."""
    descriptor = os.open(os.path.basename(path), _NEW, FILE_MODE, dir_fd=directory)
    try:
        take(descriptor, path)
    except BaseException:
        os.close(descriptor)
        os.unlink(os.path.basename(path), dir_fd=directory)
        raise
    return descriptor


def made_directories(home: str, below: str) -> list[int]:
    """Descriptors of `home` and of every directory on the way to `below` it, made if need be. Raises StorageError."""
    path, made = home, [held_directory(home)]
    try:
        for name in below.split("/"):
            path = os.path.join(path, name)
            made.append(made_directory(path))
    except ConfigError as problem:
        for descriptor in made:
            os.close(descriptor)
        raise _unusable(path, problem) from problem
    return made


def held_directory(path: str) -> int:
    """A descriptor of one that is ours alone to write. Raises StorageError."""
    try:
        return opened_directory(path)
    except ConfigError as problem:
        raise _unusable(path, problem) from problem


def _opened(path: str, how: int) -> int:
    try:
        descriptor = os.open(path, how | _COMMON)
    except FileNotFoundError:
        raise _gone(path) from None
    except OSError as problem:
        why = "it is a link" if problem.errno == errno.ELOOP else str(problem.strerror)
        raise StorageError(f"cannot open the transcript `{visible(path)}`", why=why) from problem
    why = _strangeness(os.fstat(descriptor))
    if why:
        os.close(descriptor)
        raise StorageError(f"the transcript `{visible(path)}` is not to be believed", why=why)
    return descriptor


def _strangeness(found: os.stat_result) -> str:
    if not stat.S_ISREG(found.st_mode):
        return "it is no plain file"
    if found.st_uid != os.geteuid():
        return f"it belongs to user {found.st_uid}"
    return "other users can write to it" if found.st_mode & OTHERS_WRITE else ""


def _is_still_there(descriptor: int, path: str) -> bool:
    """False when it was moved or removed between opening and locking it."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except FileNotFoundError:
        return False


def _gone(path: str) -> SessionNotFound:
    return SessionNotFound(f"there is no transcript `{visible(path)}`")


def _unusable(path: str, problem: ConfigError) -> StorageError:
    return StorageError(f"cannot keep sessions in `{visible(path)}`", why=problem.why, hint=problem.hint)

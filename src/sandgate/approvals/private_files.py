"""Small files in one directory that is ours alone: whole or not there, written once, and never through a link.

Each record is complete under another name before link(2) gives it its own, which fails when that is taken: so the first
writer wins, across processes, and no process ever sees half a record. Files are addressed by name and the descriptor of
their directory. One that is a link, another user's, open to others' writing, too long or no plain file is refused.
"""

from __future__ import annotations

import errno
import os
import stat

from sandgate.display import visible
from sandgate.errors import ApprovalsUnusable, ConfigError

FILE_BYTES_MAX = 1 << 20
FILE_MODE, DIRECTORY_MODE = 0o600, 0o700
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
UNFINISHED = "new-"  # and a random number: what a killed writer leaves behind is told by it
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def made_directory(path: str, *, within: int | None = None) -> int:
    """A descriptor of a directory that is ours alone to write, made if need be. Raises ConfigError.

    `within`: the descriptor of the directory that a plain name is looked up in.
    """
    try:
        os.mkdir(path, DIRECTORY_MODE, dir_fd=within)
    except FileExistsError:
        pass
    except OSError as problem:
        raise _unusable_directory(path, problem.strerror or "it cannot be made") from problem
    return opened_directory(path, within=within)


def opened_directory(path: str, *, within: int | None = None) -> int:
    """As `made_directory`, of one that is there already."""
    try:
        directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=within)
    except OSError as problem:
        is_link = problem.errno in (errno.ELOOP, errno.ENOTDIR)
        raise _unusable_directory(
            path, "it is a link, or no directory" if is_link else str(problem.strerror)
        ) from problem
    found = os.fstat(directory)
    if found.st_uid == os.geteuid() and not found.st_mode & OTHERS_WRITE:
        return directory
    os.close(directory)
    if found.st_uid != os.geteuid():
        raise _unusable_directory(path, f"it belongs to user {found.st_uid}")
    raise _unusable_directory(path, "other users can write to it", f"chmod go-w {path}")


def content(directory: int, name: str) -> bytes | None:
    """What the file holds; None when there is none. Raises ApprovalsUnusable for one that is not to be believed."""
    try:
        descriptor = os.open(name, _READ, dir_fd=directory)
    except FileNotFoundError:
        return None
    except OSError as problem:
        why = "it is a link" if problem.errno == errno.ELOOP else str(problem.strerror)
        raise _not_believed(name, why) from problem
    try:
        _refuse_strange(name, os.fstat(descriptor))
        return _drained(descriptor, name)
    except OSError as problem:
        raise _not_believed(name, str(problem.strerror)) from problem
    finally:
        os.close(descriptor)


def written_once(directory: int, name: str, data: bytes) -> bool:
    """Whether the file is now there with `data`, for good; False when the name was taken. Raises ApprovalsUnusable."""
    draft = UNFINISHED + os.urandom(8).hex()
    try:
        try:
            _write(directory, draft, data)
            first = _linked(directory, draft, name)
        finally:
            removed(directory, draft)
        os.fsync(directory)  # also for the second of two writers: the first may not have got this far yet
    except OSError as problem:
        raise ApprovalsUnusable(f"cannot keep the record `{name}`", why=str(problem.strerror)) from problem
    return first


def _linked(directory: int, draft: str, name: str) -> bool:
    try:
        os.link(draft, name, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
    except FileExistsError:
        return False
    return True


def marked_once(directory: int, name: str) -> bool:
    """True for the one caller who made the mark, and only once it would survive a crash. Raises ApprovalsUnusable."""
    try:
        _write(directory, name, b"")
        os.fsync(directory)
    except FileExistsError:
        return False
    except OSError as problem:
        raise ApprovalsUnusable(f"cannot keep the mark `{name}`", why=str(problem.strerror)) from problem
    return True


def removed(directory: int, name: str) -> None:
    """Removes the name; no matter if another process did so before."""
    try:
        os.unlink(name, dir_fd=directory)
    except FileNotFoundError:
        return


def changed_at(directory: int, name: str) -> float | None:
    """When the file was last written, in seconds since the epoch; None when there is none."""
    try:
        return os.stat(name, dir_fd=directory, follow_symlinks=False).st_mtime
    except FileNotFoundError:
        return None


def _write(directory: int, name: str, data: bytes) -> None:
    descriptor = os.open(name, _MAKE, FILE_MODE, dir_fd=directory)
    try:
        while data:
            data = data[os.write(descriptor, data) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refuse_strange(name: str, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise _not_believed(name, "it is no plain file")
    if found.st_uid != os.geteuid():
        raise _not_believed(name, f"it belongs to user {found.st_uid}")
    if found.st_mode & OTHERS_WRITE:
        raise _not_believed(name, "other users can write to it")
    if found.st_size > FILE_BYTES_MAX:
        raise _not_believed(name, f"it is longer than {FILE_BYTES_MAX} bytes")


def _drained(descriptor: int, name: str) -> bytes:
    data = b""
    while more := os.read(descriptor, FILE_BYTES_MAX):
        data += more
        if len(data) > FILE_BYTES_MAX:
            raise _not_believed(name, f"it is longer than {FILE_BYTES_MAX} bytes")
    return data


def _not_believed(name: str, why: str) -> ApprovalsUnusable:
    return ApprovalsUnusable(f"the record `{visible(name)}` cannot be used and does not count", why=why)


def _unusable_directory(path: str, why: str, hint: str = "") -> ConfigError:
    return ConfigError(f"cannot keep approvals in `{visible(path)}`", why=why, hint=hint)

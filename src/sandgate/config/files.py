"""Reading the files that decide what commands may do.

Such a file is believed only when no other user of the machine could have written it: the user's and the system's
files must belong to root or to us and be writable by no other user. Ignoring a file that fails this could drop
a restriction, so it stops the program instead. A project's files are other people's input anyway, may only
tighten, and are not held to this.
"""

from __future__ import annotations

import os
import stat

from sandgate.config.plain_toml import plain_table
from sandgate.display import visible
from sandgate.errors import ConfigError
from sandgate.record import Record

FILE_BYTES_MAX = 1024 * 1024
OVERFLOW_UID = 65534  # /proc/sys/kernel/overflowuid: what owners from outside our user namespace look like


class TomlFile(Record):
    """A file that was there: its text for messages, its table for use."""

    path: str
    text: str
    table: dict[str, object]


def read_toml(path: str, *, guarded: bool) -> TomlFile | None:
    """The parsed file, or None when there is none. `guarded` files must be ours alone to write."""
    text = read_text(path, guarded=guarded)
    if text is None:
        return None
    table = plain_table(text)
    return TomlFile(path, text, _parsed(path, text) if table is None else table)


def read_text(path: str, *, guarded: bool) -> str | None:
    """What the file says, or None when there is none. `guarded` files must be ours alone to write."""
    found = _read(path, guarded=guarded)
    if found is None:
        return None
    try:
        return found.decode()
    except UnicodeDecodeError as wrong:
        line = found.count(b"\n", 0, wrong.start) + 1
        raise _unusable(path, f"it is not UTF-8 (line {line})") from wrong


def _parsed(path: str, text: str) -> dict[str, object]:
    from tomllib import TOMLDecodeError, loads

    try:
        return loads(text)
    except TOMLDecodeError as wrong:
        raise _unusable(path, f"it is not valid TOML: {wrong}") from wrong
    except RecursionError as wrong:
        raise _unusable(path, "its values are nested too deeply") from wrong


def _read(path: str, *, guarded: bool) -> bytes | None:
    try:
        # Without O_NONBLOCK a named pipe in the file's place would hold us here.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as wrong:
        why = f"it cannot be opened ({wrong.strerror})"
        raise _unusable(path, why, "it may hold restrictions, so nothing runs without it") from wrong
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise _unusable(path, "it is not a regular file")
        if status.st_size > FILE_BYTES_MAX:
            raise _unusable(path, f"it is larger than {FILE_BYTES_MAX} bytes")
        if guarded:
            _require_private(path, status)
            _require_private(os.path.dirname(os.path.realpath(path)), None)
        return _drain(descriptor, path)
    finally:
        os.close(descriptor)


def _drain(descriptor: int, path: str) -> bytes:
    content = b""
    while len(content) <= FILE_BYTES_MAX:
        try:
            more = os.read(descriptor, FILE_BYTES_MAX)
        except OSError as wrong:
            raise _unusable(path, f"it cannot be read ({wrong.strerror})") from wrong
        if not more:
            return content
        content += more
    raise _unusable(path, f"it is larger than {FILE_BYTES_MAX} bytes")


def _require_private(path: str, status: os.stat_result | None) -> None:
    status = status or os.stat(path)
    if status.st_uid not in (0, os.geteuid()) and not _outside(status.st_uid):
        raise _unusable(path, f"it belongs to user {status.st_uid}, who is neither you nor root", f"chown it: {path}")
    # A group that has the number of its only member is that member (the user-private-group custom).
    shared = status.st_gid not in (0, os.geteuid())
    others = stat.S_IWOTH | (stat.S_IWGRP if shared else 0)
    if status.st_mode & others and not (stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX):
        raise _unusable(path, "other users can write to it", f"chmod go-w {path}")


def _outside(uid: int) -> bool:
    """Whether the owner has no number in our user namespace: the host's root, seen from inside a container."""
    if uid != OVERFLOW_UID:
        return False
    try:
        with open("/proc/self/uid_map") as mapping:
            ranges = [[int(number) for number in line.split()] for line in mapping]
    except OSError:
        return False
    return not any(first <= uid < first + count for first, _outer, count in ranges)


def _unusable(path: str, why: str, hint: str = "") -> ConfigError:
    return ConfigError(f"cannot use `{visible(path)}`", why=why, hint=hint)

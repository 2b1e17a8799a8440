"""Adds one rule to the user's own rule file, as accepted in a prompt, and takes one out of it.

The file decides what runs unasked, and a torn line in it would stop the next start. So writers take turns, the new
content is complete under another name before it takes the old one's place, and nothing is written through a link, into
a directory that others may write to, or over a file that is not ours.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from contextlib import suppress

from sandgate.approvals.private_files import DIRECTORY_MODE, FILE_MODE
from sandgate.config.paths import RULES_NAME
from sandgate.display import visible
from sandgate.errors import RuleError
from sandgate.policy.amendment_bans import why_banned
from sandgate.policy.amendments import rule_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import NoReturn

    from sandgate.protocol.decisions import Amendment

FILE_NAME = "default.rules"
FILE_BYTES_MAX = 1 << 20
LOCK_WAIT_MS = 2_000  # for another writer, which holds it for a few milliseconds
LOCK_LOOK_MS = 10
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def append_rule(directory: str, amendment: Amendment) -> str:
    """Adds the rule to `rules/default.rules` in `directory`, the user's configuration directory; the file's path.

    Does nothing where the very line is there already. Raises RuleError when it cannot be kept for good, or is one
    that no rule may be.
    """
    banned = why_banned(amendment.prefix)
    if banned:
        _fail(rules_file(directory), banned)
    return append_line(directory, rule_line(amendment))


def append_line(directory: str, line: str) -> str:
    """The same for a rule that is written already, as `policy.rules.written.rule_line` has it."""
    return _changed(directory, lambda rules, path: _add(rules, line, path))


def remove_lines(directory: str, lines: Collection[str]) -> str:
    """Takes these lines out of `rules/default.rules` in `directory`, wherever they stand; the file's path."""
    return _changed(directory, lambda rules, path: _drop(rules, frozenset(line.encode() for line in lines), path))


def _changed(directory: str, change: Callable[[int, str], None]) -> str:
    path = rules_file(directory)
    try:
        os.makedirs(os.path.dirname(directory), exist_ok=True)
        with _Locked(directory, path) as rules:
            change(rules, path)
    except OSError as problem:
        is_link = problem.errno in (errno.ELOOP, errno.ENOTDIR)
        why = "it, or a directory on the way to it, is a link" if is_link else str(problem.strerror)
        raise RuleError(f"cannot save the rule in `{visible(path)}`", why=why) from problem
    return path


def rules_file(directory: str) -> str:
    """Where accepted rules are kept, in the user's configuration directory."""
    return os.path.join(directory, RULES_NAME, FILE_NAME)


class _Locked:
    """The rules directory, made if need be and held by this writer alone. Yields its descriptor."""

    def __init__(self, directory: str, path: str) -> None:
        self._path = path
        self._directory = directory
        self._descriptor = -1

    def __enter__(self) -> int:
        above = _opened(self._directory, None, self._path)
        try:
            self._descriptor = _opened(RULES_NAME, above, self._path)
        finally:
            os.close(above)
        try:
            _lock(self._descriptor, self._path)
        except BaseException:
            os.close(self._descriptor)
            raise
        return self._descriptor

    def __exit__(self, *_error: object) -> None:
        os.close(self._descriptor)  # and the lock goes with it


def _opened(name: str, within: int | None, path: str) -> int:
    """A directory that is ours alone to write, made if need be."""
    with suppress(FileExistsError):
        os.mkdir(name, DIRECTORY_MODE, dir_fd=within)
    descriptor = os.open(name, _DIRECTORY, dir_fd=within)
    try:
        _refuse_shared(os.fstat(descriptor), name, path)
    except RuleError:
        os.close(descriptor)
        raise
    return descriptor


def _lock(descriptor: int, path: str) -> None:
    import fcntl

    end = time.monotonic_ns() + LOCK_WAIT_MS * 1_000_000
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic_ns() >= end:
                _fail(path, f"another program has been writing there for {LOCK_WAIT_MS} ms")
            time.sleep(LOCK_LOOK_MS / 1000)


def _add(rules: int, line: str, path: str) -> None:
    before, mode = _content(rules, path)
    if line.encode() in before.splitlines():
        return
    repaired = before if before[-1:] in (b"", b"\n") else before + b"\n"
    _replace(rules, repaired + line.encode() + b"\n", mode)


def _drop(rules: int, lines: frozenset[bytes], path: str) -> None:
    before, mode = _content(rules, path)
    kept = [line for line in before.splitlines(keepends=True) if line.rstrip(b"\r\n") not in lines]
    _replace(rules, b"".join(kept), mode)


def _replace(rules: int, content: bytes, mode: int) -> None:
    draft = f".{FILE_NAME}.{os.urandom(8).hex()}"
    descriptor = os.open(draft, _MAKE, mode, dir_fd=rules)
    try:
        try:
            _write_all(descriptor, content)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.rename(draft, FILE_NAME, src_dir_fd=rules, dst_dir_fd=rules)
    except BaseException:
        os.unlink(draft, dir_fd=rules)
        raise
    os.fsync(rules)


def _content(rules: int, path: str) -> tuple[bytes, int]:
    """What the file holds and its mode; nothing where there is none."""
    try:
        descriptor = os.open(FILE_NAME, _READ, dir_fd=rules)
    except FileNotFoundError:
        return b"", FILE_MODE
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            _fail(path, "it is no plain file")
        _refuse_shared(found, FILE_NAME, path)
        data = b""
        while more := os.read(descriptor, FILE_BYTES_MAX):
            data += more
            if len(data) > FILE_BYTES_MAX:
                _fail(path, f"it is longer than {FILE_BYTES_MAX} bytes")
        return data, stat.S_IMODE(found.st_mode)
    finally:
        os.close(descriptor)


def _refuse_shared(found: os.stat_result, name: str, path: str) -> None:
    if found.st_uid != os.geteuid():
        _fail(path, f"`{visible(name)}` belongs to user {found.st_uid}")
    if found.st_mode & _OTHERS_WRITE:
        _fail(path, f"other users can write to `{visible(name)}`", f"chmod go-w {visible(name)}")


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _fail(path: str, why: str, hint: str = "") -> NoReturn:
    raise RuleError(f"cannot save the rule in `{visible(path)}`", why=why, hint=hint)

"""What a file holds, read without waiting; and which errors are about us and not about the file.  open(2)"""

from __future__ import annotations

import errno
import os
import stat

from sandgate.errors import ConfinementError

READ_BYTES = 1 << 16  # at a time
_OUR_SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)


def refuse_if_ours(path: str, problem: OSError) -> None:
    """An error that tells of this process and not of the disk must not pass for "nothing there"."""
    if problem.errno in _OUR_SHORTAGES:
        raise ConfinementError(
            f"cannot look at `{path}`, so nothing can be confined",
            why=problem.strerror or "no resources",
            hint="raise the limit that this process has reached: `ulimit -n` for open files",
        ) from problem


def read_bytes(path: str, limit: int, *, follows: bool) -> bytes | None:
    """The first `limit` bytes of a file; None when there is nothing to read."""
    try:
        return first_bytes(path, limit, follows=follows)
    except ValueError:  # a zero byte
        return None
    except OSError as problem:
        refuse_if_ours(path, problem)
        return None


def whole_bytes(path: str | bytes, limit: int, *, follows: bool) -> bytes:
    """All that a file holds. Raises OSError or ValueError where it cannot be read, is no regular file or holds more."""
    content = first_bytes(path, limit + 1, follows=follows)
    if len(content) > limit:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
    return content


def first_bytes(path: str | bytes, limit: int, *, follows: bool) -> bytes:
    """The first `limit` bytes of a regular file. Raises OSError or ValueError where it cannot be read or is none.

    What a link of a command leads to may be our own terminal, or a pipe: reading there would take away what another
    process is to read.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC | (0 if follows else os.O_NOFOLLOW)
    descriptor = os.open(path, flags)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
        parts, size = [], 0
        while size < limit and (part := os.read(descriptor, min(limit - size, READ_BYTES))):
            parts.append(part)
            size += len(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)

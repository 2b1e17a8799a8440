"""When a file was made.  statx(2); Python's own `os.stat` does not say."""

from __future__ import annotations

import ctypes
import os

_AT_FDCWD = -100
_AT_SYMLINK_NOFOLLOW = 0x100
_STATX_BTIME = 0x800
_STATX_BYTES = 256  # sizeof(struct statx)
_BTIME_AT = 80  # of stx_btime in it: seconds as int64, nanoseconds as uint32
_NS = 1_000_000_000

_libc = ctypes.CDLL(None, use_errno=True)


def born_ns(path: str) -> int | None:
    """Nanoseconds since 1970 on the clock of files, of the object itself and not of what a link leads to.

    None where the file system does not keep it, the C library has no statx, or nothing is there.
    """
    statx = getattr(_libc, "statx", None)
    about = ctypes.create_string_buffer(_STATX_BYTES)
    if statx is None or statx(_AT_FDCWD, os.fsencode(path), _AT_SYMLINK_NOFOLLOW, _STATX_BTIME, about) != 0:
        return None
    given = int.from_bytes(about.raw[:4], "little")
    if not given & _STATX_BTIME:
        return None
    seconds = int.from_bytes(about.raw[_BTIME_AT : _BTIME_AT + 8], "little", signed=True)
    return seconds * _NS + int.from_bytes(about.raw[_BTIME_AT + 8 : _BTIME_AT + 12], "little")

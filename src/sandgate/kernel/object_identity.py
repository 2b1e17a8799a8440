"""Which object on disk lies under a name: its number may come back for another one, its birth does not.  statx(2)

The same as `struct identity` of native/deed.h.
"""

from __future__ import annotations

import os
import struct

from sandgate.kernel.syscalls import caller

TYPE_CHECKING = False
if TYPE_CHECKING:
    ObjectIdentity = tuple[int, int, int, int, int]  # device (two words), inode, seconds and nanoseconds of its birth

_SYMLINK_NOFOLLOW, _EMPTY_PATH, _DONT_SYNC = 0x100, 0x1000, 0x4000  # AT_*, <linux/fcntl.h>
_BASIC, _BIRTH = 0x7FF, 0x800  # STATX_BASIC_STATS, STATX_BTIME
_STATX = struct.Struct("=I24xH2xQ40xqI44xII112x")  # mask, mode, inode, birth, device: <linux/stat.h>


def identity_at(directory: int, name: str = "") -> tuple[ObjectIdentity, int]:
    """The object `name` in `directory`, not followed, or the descriptor itself, and its `st_mode`. OSError as lstat."""
    found = bytearray(_STATX.size)
    buffer = _writable(found)
    flags = _SYMLINK_NOFOLLOW | _DONT_SYNC | (0 if name else _EMPTY_PATH)
    caller().call("statx", directory, os.fsencode(name) + b"\0", flags, _BASIC | _BIRTH, buffer)
    mask, mode, inode, seconds, nanoseconds, major, minor = _STATX.unpack(found)
    born = (seconds, nanoseconds) if mask & _BIRTH else (0, 0)
    return (major, minor, inode, *born), mode


def _writable(buffer: bytearray) -> object:
    import ctypes

    return (ctypes.c_char * len(buffer)).from_buffer(buffer)

"""Gives names so that nothing is lost on the way.  renameat2(2), Linux 3.15

Two files exchange their names in one step: what was there is still there, under the other name, and can be looked at
before it goes. Not every file system can (EINVAL), and older kernels know no such call (ENOSYS).
"""

from __future__ import annotations

import errno
import os

from sandgate.kernel.syscalls import caller

_NOREPLACE, _EXCHANGE = 1, 2  # <linux/fs.h>, RENAME_*
UNSUPPORTED = frozenset({errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM})


def exchange(directory: int, one: str, other: str) -> None:
    """`one` and `other` change names. OSError with an errno in `UNSUPPORTED` where that cannot be done at all."""
    _rename(directory, one, directory, other, _EXCHANGE)


def rename_new(directory: int, old: str, new: str) -> None:
    """`old` becomes `new`. OSError EEXIST when there is a `new` already."""
    _rename(directory, old, directory, new, _NOREPLACE)


def rename_between(old_directory: int, old: str, new_directory: int, new: str, *, replaces: bool) -> None:
    """`old` becomes `new`. Without `replaces`, OSError EEXIST when there is a `new` already."""
    _rename(old_directory, old, new_directory, new, 0 if replaces else _NOREPLACE)


def _rename(old_directory: int, old: str, new_directory: int, new: str, flags: int) -> None:
    names = (os.fsencode(old) + b"\0", os.fsencode(new) + b"\0")
    caller().call("renameat2", old_directory, names[0], new_directory, names[1], flags)

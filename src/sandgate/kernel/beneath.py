"""Opens a path that must lie below a directory we hold, with no link on the way.  openat2(2), Linux 5.6

The text of a path says where something was when it was looked at. Between that look and the open, a process that can
write on the way may swap a directory for a link. Here the kernel itself refuses: no `..` above the start, no symbolic
link, no magic link of /proc. Without the call (ENOSYS) there is no such promise, and the caller must not go on.
"""

from __future__ import annotations

import os
import struct

from sandgate.kernel.syscalls import caller

_NO_MAGIC_LINKS, _NO_SYMLINKS, _BENEATH = 0x02, 0x04, 0x08  # <linux/openat2.h>, RESOLVE_*


def open_beneath(directory: int, path: str, flags: int) -> int:
    """A descriptor of `path`, relative to `directory`. OSError ELOOP for a link on the way, EXDEV for a way out."""
    how = struct.pack("=QQQ", flags | os.O_CLOEXEC, 0, _NO_MAGIC_LINKS | _NO_SYMLINKS | _BENEATH)
    return caller().call("openat2", directory, os.fsencode(path or ".") + b"\0", how, len(how))


def open_canonical(path: str, flags: int) -> int:
    """A descriptor of an absolute path that holds no link, from the root on."""
    top = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return open_beneath(top, path.lstrip("/"), flags)
    finally:
        os.close(top)

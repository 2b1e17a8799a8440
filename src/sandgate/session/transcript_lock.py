"""One process writes a transcript at a time: an flock(2) on the file itself, held for as long as it is written.

The kernel gives the lock back however its holder ends, and knows who holds it (`/proc/locks`): there is no file beside
the transcript that could lie about either.
"""

from __future__ import annotations

import fcntl
import os

from sandgate.display import visible
from sandgate.errors import SessionBusy, StorageError

LOCKS_BYTES_MAX = 4 << 20  # of the kernel's table that are looked at


def take(descriptor: int, path: str) -> None:
    """The lock is ours until the last copy of `descriptor` is closed. Raises SessionBusy, StorageError."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pid = holder(descriptor)
        raise SessionBusy(
            "this session is in use",
            pid=pid,
            why=f"process {pid} writes its transcript" if pid else "another process writes its transcript",
            hint="end it there first, or fork the session",
        ) from None
    except OSError as problem:
        raise StorageError(f"cannot lock the transcript `{visible(path)}`", why=str(problem.strerror)) from problem


def holder(descriptor: int) -> int:
    """The process that holds the lock on that file; 0 when it cannot be told, as across process namespaces."""
    found = os.fstat(descriptor)
    wanted = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    try:
        with open("/proc/locks", encoding="ascii", errors="replace") as file:
            table = file.read(LOCKS_BYTES_MAX)
    except OSError:
        return 0
    held = [fields for fields in map(str.split, table.splitlines()) if len(fields) >= 6 and fields[1] == "FLOCK"]
    # Some file systems show another device there than in stat(2); the number of the file is the better half.
    same = [fields for fields in held if fields[5] == wanted] or [
        fields for fields in held if fields[5].rpartition(":")[2] == str(found.st_ino)
    ]
    pids = {fields[4] for fields in same}
    pid = pids.pop() if len(pids) == 1 else ""
    return int(pid) if pid.isdecimal() else 0

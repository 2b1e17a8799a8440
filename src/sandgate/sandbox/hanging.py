"""File systems that may not answer: over a network, or served by a program. Who asks one that hangs, hangs.

What the kernel itself keeps answers at once, and is asked straight. Of the others each is asked once by a thread
before anything else is: whoever waits for it waits LOOK_LIMIT_S at most. While that thread has no answer, nobody waits.
"""

from __future__ import annotations

import os
from _thread import allocate_lock, start_new_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable

LOOK_LIMIT_S = 0.5  # for one of them; a network that is slower than that is slow for every command
ASKED_MAX = 64  # that have not answered yet; what is beyond is taken for one of them

_asked: dict[str, LockType] = {}  # by mount point; free when it has answered


def may_hang(filesystem: str) -> bool:
    """Whether a file system of this type, as proc_pid_mountinfo(5) names it, waits for somebody else."""
    return filesystem.partition(".")[0] in _OF_OTHERS


_OF_OTHERS = frozenset(("9p", "afs", "ceph", "cifs", "coda", "fuse", "fuseblk", "lustre", "nfs", "nfs4", "smb3"))


def hangs(mount: str, ask: Callable[[str], object] = os.lstat) -> bool:
    """Whether what is mounted at `mount` gives no answer in time."""
    asked = _asked.get(mount)
    if asked is not None and asked.locked():
        return True
    if asked is None and len(_asked) >= ASKED_MAX:
        return True
    answered = _asked[mount] = allocate_lock()
    answered.acquire()
    start_new_thread(_ask, (mount, answered, ask))
    if not answered.acquire(timeout=LOOK_LIMIT_S):
        return True
    answered.release()
    _asked.pop(mount, None)
    return False


def is_directory(path: str) -> bool:
    """Or a mount that gives no answer, which is one in any case."""
    asked = _asked.get(path)
    return (asked is not None and asked.locked()) or os.path.isdir(path)


def _ask(mount: str, answered: LockType, ask: Callable[[str], object]) -> None:
    try:
        ask(mount)
    except OSError:
        pass  # an answer, too
    finally:
        answered.release()

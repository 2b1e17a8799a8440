"""Be told when the names in a directory change.  inotify(7) (Linux 2.6.27 for inotify_init1)

For a caller that waits for a file that another process makes: one descriptor to poll instead of looking again and
again. What changed is not read: events can be lost in a full queue, a second look at the directory cannot. A host
without it, or a user who has used up its instances and watches, gets OSError, and looks again from time to time.
"""

from __future__ import annotations

import errno
import os

from sandgate.kernel.syscalls import NUMBERS, caller, machine

IN_CREATE, IN_DELETE, IN_MOVED_FROM, IN_MOVED_TO = 0x100, 0x200, 0x40, 0x80  # <linux/inotify.h>; link(2) is a creation
IN_ONLYDIR = 0x01000000
NAMES_CHANGE = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO
DRAIN_BYTES = 65_536  # at a time; some two thousand events
DRAINS_MAX = 64  # at once; what is left makes the descriptor readable again


class DirectoryWatch:
    """Readable whenever a name was made, removed or renamed in `path` since the last `drain`.

    Raises OSError: ENOSYS without inotify, EMFILE or ENOSPC over a limit, ENOTDIR, ENOENT, EACCES for the directory.
    """

    def __init__(self, path: str) -> None:
        if machine() not in NUMBERS:
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
        self._fd = caller().call("inotify_init1", os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            caller().call("inotify_add_watch", self._fd, os.fsencode(path), NAMES_CHANGE | IN_ONLYDIR)
        except BaseException:
            self.close()
            raise

    def fileno(self) -> int:
        """To be polled for input; -1 once closed."""
        return self._fd

    def drain(self) -> None:
        """Forget what has happened so far; look at the directory afterwards, not before."""
        for _ in range(DRAINS_MAX):
            try:
                os.read(self._fd, DRAIN_BYTES)
            except BlockingIOError:
                return

    def close(self) -> None:
        """May be repeated."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

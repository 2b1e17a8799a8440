"""Other processes by descriptor, not by number.  pidfd_open(2) (Linux 5.3), pidfd_getfd(2) (5.6)

A number may name another process a moment later; a descriptor never does.
"""

from __future__ import annotations

import os

from sandgate.kernel.syscalls import caller

WAIT_STATUS_LOST = 255 << 8  # wait(2) status reported when another part of this process reaped our child


def copy_descriptor(pid: int, fd: int) -> int:
    """Our own descriptor of a file another process has open as `fd`; close-on-exec.

    OSError EBADF when it is not open there, ESRCH when the process is gone, EPERM when we may not look into it.
    """
    pidfd = os.pidfd_open(pid)
    try:
        return caller().call("pidfd_getfd", pidfd, fd, 0)
    finally:
        os.close(pidfd)


def reap(pid: int) -> int:
    """Waits for our child `pid` to be gone and returns its wait(2) status."""
    try:
        return os.waitpid(pid, 0)[1]
    except ChildProcessError:
        return WAIT_STATUS_LOST

"""The helper as a process: how it is started, with nothing of ours but a socket, how its end is waited for, and in what
its plan comes."""

from __future__ import annotations

import fcntl
import os
from _socket import AF_UNIX, SOCK_SEQPACKET, socketpair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable

_SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
SLOTS = 4  # the helper finds the socket as 3, and as 0 to 2 where the streams will be: sandbox.h
# Python ignores some, and whoever started us may ignore others; programs expect the defaults. The C library keeps two
# for itself: see native/main.c.
_SIGNALS_TO_RESET = (*range(1, 32), *range(34, 65))


def start_helper(helper: str, order: Callable[[socket], None]) -> tuple[int, socket]:
    """Starts the helper with what `order` says already in its socket; its pid and our end. Raises OSError."""
    ours, its = socketpair(AF_UNIX, SOCK_SEQPACKET)
    try:
        order(ours)
        return spawn(helper, its), ours
    except BaseException:
        ours.close()
        raise
    finally:
        its.close()


def spawn(helper: str, status: socket) -> int:
    """Starts the program at the absolute path `helper`; its pid. Raises OSError."""
    # One source for all slots: whatever number it has, no dup2 overwrites it before its last use.
    actions = [(os.POSIX_SPAWN_DUP2, status.fileno(), slot) for slot in range(SLOTS)]
    return os.posix_spawn(helper, ("sandgate-exec",), {}, file_actions=actions, setsigdef=_SIGNALS_TO_RESET)


def reap(pid: int) -> int | None:
    """Waits for a helper that is about to end; its wait status, None when somebody else in this process reaped it."""
    try:
        return os.waitpid(pid, 0)[1]
    except ChildProcessError:
        return None


def sealed_plan(plan: bytes) -> int:
    """A memory file with it that nobody can change, as a descriptor. Raises OSError."""
    fd = os.memfd_create("sandgate-plan", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        rest = memoryview(plan)
        while rest:
            rest = rest[os.write(fd, rest) :]
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, _SEALS)
    except BaseException:
        os.close(fd)
        raise
    return fd

"""Facts about a command and everything it started: who they are, which ports they serve, what they use.  proc(5)

Parents are followed downwards, so a process that its parent left behind is found where a pid namespace's init or a
subreaper that is itself below the asked process took it over, and nowhere else. Answers are a moment's truth, summed up
process by process while they go on living; a process that goes meanwhile is left out.
"""

from __future__ import annotations

import os

from sandgate.kernel.process import Process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

DESCENDANTS_MAX = 1_024
DESCRIPTORS_MAX = 4_096  # of one process that are looked at for sockets
SOCKET_LIST_BYTES_MAX = 1_048_576  # of one list of a network namespace, 150 bytes a socket; listening ones come first

_LISTENING = b"0A"  # TCP_LISTEN, <net/tcp_states.h>
_MS_PER_S = 1_000


def descendants(pid: int) -> tuple[int, ...]:
    """Children of `pid`, their children, and so on, nearest first; at most `DESCENDANTS_MAX`, without `pid` itself."""
    found: dict[int, None] = {}
    waiting = [pid]
    while waiting and len(found) < DESCENDANTS_MAX:
        below: list[int] = []
        for parent in waiting:
            below += _children(parent)
        waiting = [child for child in dict.fromkeys(below) if child not in found and child != pid]
        found |= dict.fromkeys(waiting)
    return tuple(found)[:DESCENDANTS_MAX]


def listening_ports(pids: Iterable[int]) -> tuple[int, ...]:
    """TCP ports, in order, that one of `pids` listens on, each in its own network namespace."""
    held: dict[tuple[int, int], tuple[int, set[bytes]]] = {}  # network namespace: one of its processes, all sockets
    for pid in pids:
        try:
            with Process(pid) as process:
                namespace = os.stat(f"/proc/{pid}/ns/net")
                sockets = _sockets(process)
        except OSError:
            continue
        if sockets:
            held.setdefault((namespace.st_dev, namespace.st_ino), (pid, set()))[1].update(sockets)
    return tuple(sorted({port for pid, sockets in held.values() for port in _ports(pid, sockets)}))


def is_listened_on(port: int) -> bool:
    """Whether anybody listens on that TCP port in our own network namespace, at whatever address."""
    wanted = b":%04X" % port
    for name in ("tcp", "tcp6"):
        for line in _socket_list(os.getpid(), name).split(b"\n"):
            fields = line.split()
            if len(fields) > 9 and fields[3] == _LISTENING and fields[1].endswith(wanted):
                return True
    return False


def usage(pids: Iterable[int]) -> tuple[int, int]:
    """(milliseconds of processor time so far, bytes of memory in use now) of all of them together.

    Memory that several share counts several times. The time of those that have ended is not in it.
    """
    ticks = pages = 0
    for pid in pids:
        try:
            with Process(pid) as process:
                standing = process.standing()
        except OSError:
            continue
        ticks += standing.cpu_ticks
        pages += standing.resident_pages
    return ticks * _MS_PER_S // os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE")


def _children(pid: int) -> tuple[int, ...]:
    try:
        with Process(pid) as process:
            return process.children(process.threads(process.standing().threads))
    except OSError:
        return ()


def _sockets(process: Process) -> set[bytes]:
    """Inode numbers, as their digits, of its sockets of TCP: the lists of them cost milliseconds to read."""
    found = set()
    for fd in process.descriptors()[:DESCRIPTORS_MAX]:
        try:
            target = process.target_of(fd)
            if target.startswith("socket:[") and process.may_be_tcp(fd):
                found.add(target[len("socket:[") : -1].encode())
        except OSError:
            continue  # closed since
    return found


def _ports(pid: int, sockets: set[bytes]) -> set[int]:
    found = set()
    for name in ("tcp", "tcp6"):
        for line in _socket_list(pid, name).split(b"\n"):
            fields = line.split()
            if len(fields) > 9 and fields[3] == _LISTENING and fields[9] in sockets:
                found.add(int(fields[1].rpartition(b":")[2], 16))
    return found


def _socket_list(pid: int, name: str) -> bytes:
    try:
        with open(f"/proc/{pid}/net/{name}", "rb") as file:
            return file.read(SOCKET_LIST_BYTES_MAX)
    except OSError:
        return b""  # it has gone, or there is no IPv6

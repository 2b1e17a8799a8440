"""Finds and ends the processes of a session, where no pid namespace does it for us.  proc(5), setsid(2)

Every process we start leads a session of its own, and its descendants stay in it unless they call setsid
themselves. The kernel does not reuse a number while a session carries it, so as long as members are left,
the number of the leader names exactly them.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

SIGKILL = 9  # numbers of x86-64 and arm64; importing `signal` costs more than a command
PYTHON_IGNORES = (13, 25)  # SIGPIPE and SIGXFSZ: CPython's start-up ignores them; a command expects the default
ENVIRON_BYTES_MAX = 8 << 20  # looked at; the kernel's own bound is a quarter of the stack limit
KILL_PASSES_MAX = 32  # a pass kills every member it sees; forking members need more than one


def session_of(stat_line: bytes) -> int:
    """The session number in one line of /proc/<pid>/stat; the program's name before it may hold anything."""
    return int(stat_line.rpartition(b")")[2].split()[3])


def started(pid: int) -> int | None:
    """When the process was started, in clock ticks since boot; None when there is none of that number."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:
            return int(file.read(4096).rpartition(b")")[2].split()[19])
    except OSError:
        return None


def still_the_same(sessions: Mapping[int, int]) -> list[int]:
    """Those of `sessions` (leader, when started) whose number has not been given to another process since."""
    return [leader for leader, when in sessions.items() if started(leader) in (None, when)]


def living_sessions() -> set[int]:
    """Every session on this machine that has a living member."""
    return {session for _, session in _living()}


def members(sessions: Collection[int]) -> list[int]:
    """Pids of all living processes in `sessions`, zombies left out."""
    return [pid for pid, session in _living() if session in sessions]


def _living() -> Iterator[tuple[int, int]]:
    for entry in os.listdir("/proc"):
        if not entry.isdecimal():
            continue
        try:
            with open(f"/proc/{entry}/stat", "rb", buffering=0) as file:
                line = file.read(4096)
        except OSError:
            continue
        if line.rpartition(b")")[2].split()[:1] not in ([b"Z"], [b"X"]):
            yield int(entry), session_of(line)


def kill_sessions(sessions: Collection[int], *, passes_max: int = KILL_PASSES_MAX) -> bool:
    """SIGKILLs every member of `sessions`; False when some were still alive after `passes_max` passes.

    The numbers must still belong to the sessions: their leaders unreaped, or members left since.
    """
    for _ in range(passes_max):
        alive = members(sessions)
        if not alive:
            return True
        for pid in alive:
            kill(pid)
    return not members(sessions)


def kill_marked(variable: str, *, passes_max: int = KILL_PASSES_MAX) -> None:
    """SIGKILLs every process we may look into that was started with `variable` (`NAME=value`) in its environment.

    It finds descendants that left their session. One that cleared its environment is not found.
    """
    wanted = variable.encode()
    for _ in range(passes_max):
        alive = [pid for pid, _session in _living() if _was_started_with(pid, wanted)]
        if not alive:
            return
        for pid in alive:
            kill(pid)


def _was_started_with(pid: int, variable: bytes) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb", buffering=0) as file:
            return variable in file.read(ENVIRON_BYTES_MAX).split(b"\0")
    except OSError:
        return False


def kill(pid: int) -> None:
    """SIGKILL to one process (or, with a negative number, a group) that may be gone already."""
    try:
        os.kill(pid, SIGKILL)
    except (ProcessLookupError, PermissionError):
        return

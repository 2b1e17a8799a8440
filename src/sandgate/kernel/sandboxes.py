"""The sandboxed commands that run on this machine for this user, by whatever they were started, and what they serve.
proc(5)

Nothing is registered anywhere: every sandbox of namespaces has a supervisor, a process with the helper's name, this
user's id, and process numbers as we have them; what hangs on it, numbered once more and filtered, is the command. A
command can take the name, and neither leave its numbering nor its filter. The kernel says the rest. A look costs some
milliseconds.
"""

from __future__ import annotations

import os

from sandgate.kernel.process import STAT_BYTES_MAX, Process
from sandgate.kernel.process_tree import descendants, listening_ports
from sandgate.record import Record

SUPERVISOR = b"sandgate-exec"  # of build.PROGRAM; no longer than the kernel keeps (TASK_COMM_LEN)
LISTED_MAX = 256  # sandboxes in one look
COMMAND_LINE_BYTES_MAX = 4_096
STATUS_BYTES_MAX = 16_384  # groups, processors and memory nodes are lists in it

_FILTERED = b"2"  # SECCOMP_MODE_FILTER
_INIT = b"1"  # of a sandbox: the helper itself


class Sandbox(Record):
    """One sandbox, as it was at the moment of looking."""

    supervisor: int  # pid; it ends with the command
    inside: int  # pid of the command, or of the first of its processes that is left
    argv: tuple[str, ...]  # of that one
    starter: int  # pid of the program of ours that runs it
    starter_argv: tuple[str, ...]
    own_network: bool  # else the host's
    ports: tuple[int, ...]  # TCP ports that it listens on


def sandboxes() -> tuple[Sandbox, ...]:
    """Those whose command runs, in the order of their numbers."""
    named = [pid for pid in _of_this_user() if _name(pid) == SUPERVISOR]
    outside = len(_status(os.getpid()).numbers)
    ours = {pid: status.parent for pid in named if len((status := _status(pid)).numbers) == outside}
    tops = sorted(pid for pid, parent in ours.items() if parent not in ours)
    found = [_sandbox(pid, ours[pid], outside) for pid in tops[:LISTED_MAX]]
    return tuple([each for each in found if each is not None])


def _sandbox(supervisor: int, starter: int, outside: int) -> Sandbox | None:
    below = descendants(supervisor)
    inside = next((pid for pid in below if _is_confined(pid, outside)), None)
    if inside is None:
        return None  # it makes a network, or shows a port, or is not that far
    try:
        own = os.stat(f"/proc/{inside}/ns/net").st_ino != os.stat("/proc/self/ns/net").st_ino
    except OSError:
        return None  # it has just ended
    return Sandbox(
        supervisor, inside, _command_line(inside), starter, _command_line(starter), own, listening_ports(below)
    )


def _is_confined(pid: int, outside: int) -> bool:
    status = _status(pid)
    return len(status.numbers) > outside and status.numbers[-1] != _INIT and status.seccomp == _FILTERED


def _of_this_user() -> list[int]:
    user, found = os.geteuid(), []
    with os.scandir("/proc") as entries:
        for entry in entries:
            try:
                if entry.name.isdigit() and entry.stat().st_uid == user:
                    found.append(int(entry.name))
            except OSError:
                continue  # it has ended
    return found


def _read(pid: int, name: str, size: int) -> bytes:
    try:
        with Process(pid) as process:
            return process.read(name, size)
    except OSError:
        return b""


def _name(pid: int) -> bytes:
    return _read(pid, "comm", STAT_BYTES_MAX).rstrip(b"\n")


class _Status(Record):
    """What /proc/<pid>/status says; of a process that has gone, nothing."""

    parent: int
    numbers: list[bytes]  # of the process, in our namespace and those below it
    seccomp: bytes


def _status(pid: int) -> _Status:
    lines = dict(line.partition(b":\t")[::2] for line in _read(pid, "status", STATUS_BYTES_MAX).split(b"\n"))
    return _Status(int(lines.get(b"PPid", 0)), lines.get(b"NSpid", b"").split(), lines.get(b"Seccomp", b""))


def _command_line(pid: int) -> tuple[str, ...]:
    words = _read(pid, "cmdline", COMMAND_LINE_BYTES_MAX).rstrip(b"\0").split(b"\0")
    return tuple(map(os.fsdecode, words))

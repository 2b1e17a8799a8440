"""Tells who uses a terminal right now and whether a process waits for what is typed.  ioctl_tty(2), tty_ioctl(4)

Asked with the master's descriptor alone, and answered by the kernel: the session and the foreground group, as numbers
of our own pid namespace also for processes in another one; the modes; what was typed and not yet read; and of each
member of the foreground group whether it is blocked on this very terminal. Prompts are not looked at. What cannot be
read counts as "does not wait".

The other side is opened for a moment (TIOCGPTPEER, Linux 4.13). That is without effect as long as the terminal has a
session: then another process has it open, so our closing it hangs nothing up.
"""

from __future__ import annotations

import fcntl
import os
import select
import stat
import termios

from sandgate.kernel.blocked import awaited
from sandgate.kernel.process import Process
from sandgate.record import Record

PROCESSES_MAX = 256  # of a session that are looked at for members of the foreground group
CHECKS_MAX = 1_024  # threads and descriptors of one look; who is behind them counts as not waiting

_TIOCGSID, _TIOCGPTPEER = 0x5429, 0x5441  # <asm-generic/ioctls.h>; `termios` names them in newer Pythons only
_CONTROLLING = os.makedev(5, 0)  # /dev/tty: whichever terminal the session of its opener has
_KEPT = 1 << 19 | 1 << 21  # SIGTSTP and SIGTTOU
_ASLEEP = "S"


class Member(Record):
    """A process of the foreground group."""

    pid: int
    state: str  # the letter of proc(5): R S D T t Z …
    waits_for_terminal: bool  # one of its threads is blocked, now, until something is typed here
    controls_jobs: bool  # it ignores SIGTSTP and SIGTTOU: every shell that runs jobs must, hardly anything else does


class Foreground(Record):
    """A terminal's users. `session` and `group` are 0 when it is no session's controlling terminal (any more)."""

    session: int
    group: int
    echo: bool
    canonical: bool
    pending_input: int = 0  # bytes that can be read there and were not; an unfinished line in canonical mode cannot
    members: tuple[Member, ...] = ()  # leader of the session first; one whose parent has gone may be missing


def look(master: int) -> Foreground:
    """The users of the terminal whose master is `master`.

    termios.error when that is no terminal, OSError when we have no descriptor left.
    """
    modes = termios.tcgetattr(master)[3]
    echo, canonical = bool(modes & termios.ECHO), bool(modes & termios.ICANON)
    try:
        session, group = _number(master, _TIOCGSID), _number(master, termios.TIOCGPGRP)
    except OSError:
        session = group = 0
    if not session:
        return Foreground(0, 0, echo, canonical)
    peer = fcntl.ioctl(master, _TIOCGPTPEER, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        # Input is handed on by another thread of the kernel; asking for readiness waits for that.
        waiting = select.poll()
        waiting.register(peer, select.POLLIN)
        waiting.poll(0)
        pending = _number(peer, termios.FIONREAD)
        found = os.fstat(peer)
    finally:
        os.close(peer)
    members = _Search(session, group, (found.st_dev, found.st_ino)).members()
    return Foreground(session, group, echo, canonical, pending, members)


class _Search:
    """Walks a session downwards from its leader. A program decides how large that is, we how long it takes."""

    __slots__ = ("_checks_left", "_found", "_group", "_session", "_terminal")

    def __init__(self, session: int, group: int, terminal: tuple[int, int]) -> None:
        self._session = session
        self._group = group
        self._terminal = terminal
        self._checks_left = CHECKS_MAX
        self._found: list[Member] = []

    def members(self) -> tuple[Member, ...]:
        waiting = [self._group, self._session]
        seen: set[int] = set()
        while waiting and len(seen) < PROCESSES_MAX:
            pid = waiting.pop()
            if pid in seen or pid <= 0:
                continue
            seen.add(pid)
            try:
                with Process(pid) as process:
                    waiting += self._visit(process)
            except OSError:
                continue  # it has gone since
        return tuple(self._found)

    def _visit(self, process: Process) -> tuple[int, ...]:
        """Adds the process if it is a member, and returns its children."""
        standing = process.standing()
        if standing.session != self._session:
            return ()  # its descendants left with it: no process can join a session
        threads = process.threads(standing.threads)
        if standing.group == self._group:
            # A stopped process keeps the registers of the call it was stopped in, and is not woken by input.
            waits = standing.state == _ASLEEP and any(self._waits(process, thread) for thread in threads)
            kept = standing.ignored & _KEPT == _KEPT
            self._found.append(Member(process.pid, standing.state, waits, kept))
        return process.children(threads)

    def _waits(self, process: Process, thread: int) -> bool:
        if not self._may_check():
            return False
        return any(self._may_check() and self._is_terminal(process, thread, fd) for fd in awaited(process, thread))

    def _may_check(self) -> bool:
        self._checks_left -= 1
        return self._checks_left >= 0

    def _is_terminal(self, process: Process, thread: int, fd: int) -> bool:
        try:
            file = process.file(thread, fd)
        except OSError:
            return False
        if not stat.S_ISCHR(file.st_mode):
            return False
        # Not its device number: two instances of devpts number their terminals alike.
        return (file.st_dev, file.st_ino) == self._terminal or file.st_rdev == _CONTROLLING


def _number(fd: int, request: int) -> int:
    return int.from_bytes(fcntl.ioctl(fd, request, bytes(4)), "little", signed=True)

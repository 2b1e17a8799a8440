"""One process as its directory in /proc shows it.  proc(5)

The directory is opened once and everything is read below it. A number may name another process a moment later; an open
directory never does: when its process is gone, every read says so. What is read here is a moment's truth, and it serves
to tell people and models, never to decide what is allowed.
"""

from __future__ import annotations

import errno
import os

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

THREADS_MAX = 64  # of one process that are looked at
STAT_BYTES_MAX = 2_048  # a stat line: 52 numbers and a name of at most 64 bytes
NAME_BYTES_MAX = 64  # of a name; TASK_COMM_LEN is 16 for programs
CHILDREN_BYTES_MAX = 16_384  # one thread's children, some two thousand numbers


class ProcessStatus(Record):
    """What the line of /proc/<pid>/stat says. Signals are bit masks in which signal n is bit n - 1."""

    state: str  # one letter: R running, S sleeping, D disk, T stopped, t traced, Z and X dead
    group: int
    session: int
    threads: int
    cpu_ticks: int  # user and system, of os.sysconf("SC_CLK_TCK") to a second
    resident_pages: int
    ignored: int


class Process:
    """A process of this machine, by number. OSError when there is none; close it, or use it as a block.

    Every method raises OSError when the process has gone or may not be looked into.
    """

    __slots__ = ("_directory", "pid")

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._directory = os.open(f"/proc/{pid}", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        os.close(self._directory)

    def read(self, name: str, size: int) -> bytes:
        """Up to `size` bytes of a file of this process, from its beginning, in one read."""
        fd = self._open(name)
        try:
            return os.read(fd, size)
        finally:
            os.close(fd)

    def standing(self) -> ProcessStatus:
        # The program's name comes first, in brackets, and may hold anything, brackets too.
        fields = self.read("stat", STAT_BYTES_MAX).rpartition(b")")[2].split()
        return ProcessStatus(
            chr(fields[0][0]),
            int(fields[2]),
            int(fields[3]),
            int(fields[17]),
            int(fields[11]) + int(fields[12]),
            int(fields[21]),
            int(fields[30]),
        )

    def threads(self, count: int) -> tuple[int, ...]:
        """Thread numbers, the first one first, at most `THREADS_MAX`. `count` is what `standing` said."""
        if count == 1:
            return (self.pid,)
        fd = self._open("task")
        try:
            # Numbers start again from the lowest one day, so the first thread need not have the least of them.
            numbers = sorted(map(int, os.listdir(fd)), key=lambda number: (number != self.pid, number))
            return tuple(numbers[:THREADS_MAX])
        finally:
            os.close(fd)

    def children(self, threads: tuple[int, ...]) -> tuple[int, ...]:
        """Numbers of the processes these threads started and that still have this parent."""
        if len(threads) == 1:
            return self._children_of(threads[0])
        return tuple(child for thread in threads for child in self._children_of(thread))

    def file(self, thread: int, fd: int) -> os.stat_result:
        """The file that is open as `fd` there."""
        return os.stat(f"task/{thread}/fd/{fd}", dir_fd=self._directory)

    def descriptors(self) -> tuple[int, ...]:
        """Numbers of all open descriptors of its first thread."""
        fd = self._open("fd")
        try:
            return tuple(int(name) for name in os.listdir(fd))
        finally:
            os.close(fd)

    def target_of(self, fd: int) -> str:
        """What the link of descriptor `fd` says, such as `socket:[4711]`."""
        return os.readlink(f"fd/{fd}", dir_fd=self._directory)

    def may_be_tcp(self, fd: int) -> bool:
        """Whether a socket among its descriptors is one of TCP, or the kernel does not say of what kind it is."""
        try:
            kind = os.getxattr(f"/proc/self/fd/{self._directory}/fd/{fd}", "system.sockprotoname")
        except OSError as problem:
            if problem.errno in (errno.EOPNOTSUPP, errno.ENODATA):
                return True
            raise
        return b"TCP" in kind  # TCP, TCPv6, MPTCP

    def name(self) -> str:
        """What it calls itself: up to 15 bytes, and its own choice."""
        return os.fsdecode(self.read("comm", NAME_BYTES_MAX).rstrip(b"\n"))

    def working_directory(self) -> str:
        """Where it is, as a path of ours; one of another mount namespace as it is called there."""
        return os.readlink("cwd", dir_fd=self._directory)

    def memory(self, address: int, size: int) -> bytes:
        """Up to `size` bytes of its memory; OSError EIO or EFAULT when there is nothing at `address`."""
        fd = self._open("mem")
        try:
            return os.pread(fd, size, address)
        except OverflowError:
            raise OSError(errno.EFAULT, os.strerror(errno.EFAULT)) from None
        finally:
            os.close(fd)

    def _children_of(self, thread: int) -> tuple[int, ...]:
        # Every number is followed by a space; one cut off at the end of the buffer would name another process.
        numbers, _, _ = self.read(f"task/{thread}/children", CHILDREN_BYTES_MAX).rpartition(b" ")
        return tuple(map(int, numbers.split()))

    def _open(self, name: str) -> int:
        return os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=self._directory)

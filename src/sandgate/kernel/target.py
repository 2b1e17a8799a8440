"""Looks into a process that waits for our answer: its memory, its directory, its open files.  proc(5)

Whatever is read here may change the next moment, and belongs to the waiting thread only if the notification is
still valid *after* reading. It serves to find objects and to tell people; it never decides by itself.
"""

from __future__ import annotations

import errno
import os

PATH_MAX_BYTES = 4096  # <linux/limits.h>, the terminating zero included
AT_FDCWD = -100


class Target:
    """One waiting thread."""

    def __init__(self, tid: int) -> None:
        self.tid = tid
        self._status: dict[str, str] | None = None

    def bytes_at(self, address: int, size: int) -> bytes:
        """Up to `size` bytes, fewer where its memory ends. OSError EFAULT for none, EACCES if it is closed to us."""
        try:
            with open(f"/proc/{self.tid}/mem", "rb", buffering=0) as memory:
                found = os.pread(memory.fileno(), size, address)
        except OverflowError:
            found = b""
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            found = b""
        if not found:
            raise OSError(errno.EFAULT, os.strerror(errno.EFAULT))
        return found

    def exactly(self, address: int, size: int) -> bytes:
        """`size` bytes, or OSError EFAULT."""
        found = self.bytes_at(address, size)
        if len(found) < size:
            raise OSError(errno.EFAULT, os.strerror(errno.EFAULT))
        return found

    def text_at(self, address: int) -> str:
        """A string up to its zero byte. OSError ENAMETOOLONG when there is none within a path's length."""
        text, zero, _ = self.bytes_at(address, PATH_MAX_BYTES).partition(b"\0")
        if not zero:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
        return os.fsdecode(text)

    def base(self, dirfd: int) -> str:
        """A path of ours that leads to the directory its relative paths start from."""
        return f"/proc/{self.tid}/cwd" if dirfd == AT_FDCWD else f"/proc/{self.tid}/fd/{dirfd}"

    @property
    def pid(self) -> int:
        """The process the thread belongs to."""
        return int(self._field("Tgid"))

    @property
    def umask(self) -> int:
        return int(self._field("Umask"), 8)

    @property
    def program(self) -> str:
        """The kernel's short name of the thread, its `comm`."""
        try:
            with open(f"/proc/{self.tid}/comm", "rb", buffering=0) as file:
                return os.fsdecode(file.read(64).rstrip(b"\n"))
        except OSError:
            return ""

    def _field(self, name: str) -> str:
        if self._status is None:
            with open(f"/proc/{self.tid}/status", "rb", buffering=0) as file:
                lines = os.fsdecode(file.read(4096)).splitlines()
            self._status = {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}
        return self._status[name]

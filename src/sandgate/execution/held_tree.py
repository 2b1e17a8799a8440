"""Files below a directory that we hold open, by relative path, with no link on the way: see `kernel/beneath.py`.

A process that may write in the tree can exchange a directory for a link between any two of our calls; the kernel then
refuses with ELOOP, and nothing is done elsewhere.
"""

from __future__ import annotations

import os
import stat

from sandgate.kernel.beneath import open_beneath

_FOUND = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC


class HeldTree:
    """`directory` is a descriptor of the caller's."""

    __slots__ = ("directory", "path")

    def __init__(self, directory: int, path: str) -> None:
        self.directory = directory
        self.path = path  # for sentences

    def about(self, path: str) -> os.stat_result | None:
        """As lstat(2) has it; None for what is not there or lies behind a link."""
        try:
            with _Parent(self.directory, path) as (parent, name):
                return os.lstat(name, dir_fd=parent)
        except OSError:
            return None

    def changed_ns(self, path: str) -> int:
        """0 for what is not there."""
        about = self.about(path)
        return 0 if about is None else about.st_ctime_ns

    def read(self, path: str, bytes_max: int) -> bytes | None:
        """A plain file; None where there is none. Raises OSError where it cannot be read, or is larger."""
        try:
            held = open_beneath(self.directory, path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        except FileNotFoundError:
            return None
        with open(held, "rb") as file:
            about = os.fstat(held)
            if not stat.S_ISREG(about.st_mode) or about.st_size > bytes_max:
                raise OSError(f"`{path}` is too large, or no file")
            return file.read(bytes_max)

    def write_new(self, path: str, content: bytes, mode: int, *, lasting: bool = False) -> None:
        """Raises FileExistsError where something is. Directories on the way are made. `lasting`: on the disk too."""
        self.make_directories(os.path.dirname(path))
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with _Parent(self.directory, path) as (parent, name):
            held = os.open(name, flags, mode & 0o666, dir_fd=parent)
        with open(held, "wb") as file:
            file.write(content)
            if lasting:
                file.flush()
                os.fsync(held)

    def make_directories(self, path: str) -> None:
        if not path or self.about(path) is not None:
            return
        self.make_directories(os.path.dirname(path))
        with _Parent(self.directory, path) as (parent, name):
            try:
                os.mkdir(name, dir_fd=parent)
            except FileExistsError:
                return

    def set_changed(self, path: str, changed_ns: int) -> None:
        with _Parent(self.directory, path) as (parent, name):
            os.utime(name, ns=(changed_ns, changed_ns), dir_fd=parent, follow_symlinks=False)

    def rename(self, path: str, name: str) -> None:
        """To another name in the same directory."""
        with _Parent(self.directory, path) as (parent, old):
            os.rename(old, name, src_dir_fd=parent, dst_dir_fd=parent)

    def unlink(self, path: str) -> None:
        """If it is there."""
        try:
            with _Parent(self.directory, path) as (parent, name):
                os.unlink(name, dir_fd=parent)
        except OSError:
            return

    def is_removed(self, path: str) -> bool:
        """Removes an empty directory; False where something is in it."""
        try:
            with _Parent(self.directory, path) as (parent, name):
                os.rmdir(name, dir_fd=parent)
        except OSError:
            return False
        return True


class _Parent:
    """The directory of a path, held, and the last part of the path."""

    __slots__ = ("_held", "_name")

    def __init__(self, directory: int, path: str) -> None:
        above, _, self._name = path.rpartition("/")
        self._held = open_beneath(directory, above, _FOUND)

    def __enter__(self) -> tuple[int, str]:
        return self._held, self._name

    def __exit__(self, *_: object) -> None:
        os.close(self._held)

"""What a command did to a git directory whose changes went into a draft: the upper layer of an overlay, read.

In such a layer a file is new or changed, a character device 0:0 says that a name is gone, and a mark on a directory
that all below it is: the kernel's Documentation/filesystems/overlayfs.rst. What is read was written by a command and
may be anything. It is told here by names alone; what the files say is for the part that carries them over.
"""

from __future__ import annotations

import os
import stat

from sandgate.places.git_draft import innermost, kind_of
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.places.git_draft import Kind
    from sandgate.protocol.denials import Operation

ENTRIES_MAX = 100_000  # in one draft, directories among them; of more nothing is carried over
DEPTH_MAX = 64
_OPAQUE, _REDIRECT, _METACOPY = "user.overlay.opaque", "user.overlay.redirect", "user.overlay.metacopy"
_KEPT = frozenset(("object", "pack", "scratch"))  # that these are gone means nothing: objects are never deleted
_NEVER_GONE = frozenset(("config", "index", "packed"))


class Written(Record):
    """A file that is new or changed. `path` is relative to the git directory."""

    path: str
    kind: Kind
    mode: int  # permission bits


class Unwanted(Record):
    """Something in a draft that is not carried over, whatever it says."""

    operation: Operation
    path: str


class Draft(Record):
    """All of it, in the order of names."""

    written: tuple[Written, ...] = ()
    gone: tuple[str, ...] = ()  # files of the real directory, relative to it
    left: tuple[str, ...] = ()  # directories there that are gone as well, the deepest first
    unwanted: tuple[Unwanted, ...] = ()
    is_overfull: bool = False


def read_draft(upper: str, real: str) -> Draft:
    """What `upper` would change of the git directory `real`."""
    return _Reading(upper, real).read()


class _Reading:
    def __init__(self, upper: str, real: str) -> None:
        self.upper = upper
        self.real = real
        self.room = ENTRIES_MAX
        self.written: list[Written] = []
        self.gone: dict[str, None] = {}
        self.left: dict[str, None] = {}
        self.unwanted: dict[str, Unwanted] = {}

    def read(self) -> Draft:
        pending = [""]
        while pending and self.room > 0:
            directory = pending.pop()
            try:
                pending += self._directory(directory)
            except OSError:  # the command has shut us out
                self._unwanted("write", directory)
        written = tuple(sorted(self.written, key=lambda each: each.path))
        left = tuple(sorted(self.left, reverse=True))
        return Draft(written, tuple(sorted(self.gone)), left, tuple(self.unwanted.values()), self.room <= 0)

    def _directory(self, directory: str) -> list[str]:
        """The directories in it that are to be read."""
        place = os.path.join(self.upper, directory) if directory else self.upper
        if directory.count("/") >= DEPTH_MAX or _has_mark(place, _REDIRECT):
            self._unwanted("create", directory)
            return []
        with os.scandir(place) as entries:
            found = {entry.name: entry for entry in entries}
        self.room -= len(found)
        if _has_mark(place, _OPAQUE):
            for name in _names(os.path.join(self.real, directory)) - found.keys():
                self._gone(_join(directory, name))
        return [path for name in sorted(found) if self._is_directory(path := _join(directory, name), found[name])]

    def _is_directory(self, path: str, entry: os.DirEntry[str]) -> bool:
        about = entry.stat(follow_symlinks=False)
        if stat.S_ISDIR(about.st_mode):
            if _is_file(os.path.join(self.real, path)):
                self._gone(path)
            return True
        if stat.S_ISCHR(about.st_mode) and about.st_rdev == 0:
            self._gone(path)
        else:
            self._file(path, about)
        return False

    def _file(self, path: str, about: os.stat_result) -> None:
        kind = kind_of(path)
        if kind == "scratch":
            return
        is_plain = stat.S_ISREG(about.st_mode) and not _has_mark(os.path.join(self.upper, path), _METACOPY)
        if kind is None or not is_plain:
            self._unwanted("write" if os.path.lexists(os.path.join(self.real, path)) else "create", path)
        else:
            self.written.append(Written(path, kind, stat.S_IMODE(about.st_mode)))

    def _gone(self, path: str) -> None:
        """A name of the real directory, with all that lies below it."""
        for file in self._files(path):
            kind = kind_of(file)
            if kind in _KEPT:
                continue
            if kind is None or kind in _NEVER_GONE or file == "HEAD":
                self._gone_for_nothing(path, file)
            else:
                self.gone[file] = None

    def _gone_for_nothing(self, path: str, file: str) -> None:
        """A linked worktree that is removed takes its index and settings along."""
        directory, _, is_linked = innermost(file)
        if is_linked and f"{directory}/".startswith(f"{path}/"):
            self.gone[file] = None
        else:
            self._unwanted("delete", path)

    def _files(self, path: str) -> Iterator[str]:
        place = os.path.join(self.real, path)
        if _is_file(place):
            yield path
            return
        for directory, directories, files in os.walk(place):
            self.room -= len(directories) + len(files)
            if self.room <= 0:
                return
            self.left[os.path.relpath(directory, self.real)] = None
            for name in files:
                yield os.path.relpath(os.path.join(directory, name), self.real)

    def _unwanted(self, operation: Operation, path: str) -> None:
        self.unwanted.setdefault(path, Unwanted(operation, path))


def _join(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory else name


def _is_file(path: str) -> bool:
    """Anything but a directory."""
    try:
        return not stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _names(directory: str) -> set[str]:
    try:
        return set(os.listdir(directory))
    except OSError:
        return set()


def _has_mark(path: str, name: str) -> bool:
    try:
        return bool(os.getxattr(path, name, follow_symlinks=False))
    except OSError:
        return False

"""Turns a path as another process wrote it into a directory we hold open and a name in it.  openat2(2), Linux 5.6

A call is carried out on behalf of another process with the directory found here, never with the text of the path:
the text may change, and so may every link on the way. Only the last name is looked up again by the kernel, and
always without following it.
"""

from __future__ import annotations

import errno
import os
import stat
import struct

from sandgate.kernel.syscalls import caller

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.kernel.target import Target

LINKS_MAX = 40  # as many symbolic links as the kernel follows in one path
AT_FDCWD = -100
_NO_MAGIC_LINKS = 0x02  # RESOLVE_NO_MAGICLINKS
_DELETED = " (deleted)"


class MagicLink(Exception):
    """The path leads through /proc in a way that only the process itself can follow."""


class OpenFile(Exception):
    """The path is /proc/self/fd/N: it names an open file, not a place."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class OpenPlace:
    """A name in a directory. Owns `parent`; use it in a `with`."""

    def __init__(self, parent: int, name: str, *, wants_directory: bool) -> None:
        self.parent = parent
        self.name = name  # "" when the path is the directory `parent` itself
        self.wants_directory = wants_directory  # written with a slash at the end
        self.directory = path_of(parent)
        self.status = _lstat(parent, name)

    @property
    def path(self) -> str:
        """Canonical and absolute, in our view, which is the command's."""
        if not self.name:
            return self.directory
        return f"{self.directory.rstrip('/')}/{self.name}"

    @property
    def exists(self) -> bool:
        return self.status is not None

    def is_kind(self, kind: int) -> bool:
        """Whether something of this `stat.S_IF...` kind is there."""
        return self.status is not None and stat.S_IFMT(self.status.st_mode) == kind

    def __enter__(self) -> OpenPlace:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.parent)


def has_entries(place: OpenPlace) -> bool:
    """Whether it is a directory with something in it, as far as that can be read."""
    try:
        fd = os.open(
            place.name or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place.parent
        )
    except OSError:
        return False
    try:
        return bool(os.listdir(fd))
    finally:
        os.close(fd)


def path_of(fd: int) -> str:
    """Where an open file lies. OSError ENOENT when it has been deleted or never had a path."""
    path = os.readlink(f"/proc/self/fd/{fd}")
    # A file may be *named* so: only without links is it really gone.
    if not path.startswith("/") or (path.endswith(_DELETED) and os.fstat(fd).st_nlink == 0):
        raise OSError(errno.ENOENT, "no longer anywhere")
    return path


def find_place(target: Target, dirfd: int, path: str, *, follow: bool) -> OpenPlace:
    """The place `path` names for `target`; with `follow`, where a symbolic link in last position leads.

    Raises the OSError the kernel would give on the way there, `MagicLink` or `OpenFile`.
    """
    if not path:
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
    held = AT_FDCWD if path.startswith("/") else _open_directory(AT_FDCWD, target.base(dirfd), magic=True)
    for _ in range(LINKS_MAX):
        try:
            place = _step(target, held, path)
        finally:
            if held != AT_FDCWD:
                os.close(held)
        link = _link_to_follow(place, follow=follow or place.wants_directory)
        if link is None:
            return place
        path = link + "/" if place.wants_directory else link
        held = place.parent
    if held != AT_FDCWD:
        os.close(held)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _step(target: Target, held: int, path: str) -> OpenPlace:
    path = _in_its_own_proc(target, path)
    bare = path.rstrip("/")
    name = bare.rpartition("/")[2]
    if name in ("", ".", ".."):
        return OpenPlace(_open_directory(held, path), "", wants_directory=True)
    before = bare[: len(bare) - len(name)]
    parent = _open_directory(held, before or ".")
    try:
        place = OpenPlace(parent, name, wants_directory=bare != path)
        _stop_at_open_file(target, place)
    except BaseException:
        os.close(parent)
        raise
    return place


def _in_its_own_proc(target: Target, path: str) -> str:
    if path.startswith("/dev/fd/"):
        path = "/proc/self/fd/" + path[8:]
    for own in ("/proc/self", "/proc/thread-self"):
        if path == own or path.startswith(own + "/"):
            return f"/proc/{target.pid}{path[len(own) :]}"
    return path


def _stop_at_open_file(target: Target, place: OpenPlace) -> None:
    if not place.directory.startswith("/proc") or not place.is_kind(stat.S_IFLNK):
        return
    match place.directory.split("/"):
        case ["", "proc", owner, "fd"] | ["", "proc", owner, "task", _, "fd"]:
            own = owner in (str(target.pid), str(target.tid))
        case _:
            own = False
    if own and place.name.isdecimal():
        raise OpenFile(int(place.name))
    raise MagicLink


def _link_to_follow(place: OpenPlace, *, follow: bool) -> str | None:
    if not follow or not place.is_kind(stat.S_IFLNK):
        return None
    try:
        return os.readlink(place.name, dir_fd=place.parent)
    except OSError:
        os.close(place.parent)
        raise


def _open_directory(held: int, path: str, *, magic: bool = False) -> int:
    if magic:
        return os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    how = struct.pack("=QQQ", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC, 0, _NO_MAGIC_LINKS)
    try:
        return caller().call("openat2", held, os.fsencode(path) + b"\0", how, len(how))
    except OSError as error:
        if error.errno == errno.ELOOP and "/proc" in path:
            raise MagicLink from error
        raise


def _lstat(parent: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False) if name else os.fstat(parent)
    except FileNotFoundError:
        return None

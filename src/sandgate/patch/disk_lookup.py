"""What lies at a path now: the one way in which a patch looks at the disk before it changes anything.

A *place* is an entry of a directory by its canonical name: links on the way are resolved, the last name is not.
With permissions, what a confined command may not read cannot be read through a patch either: its text would show up
in a diff, in a moved copy, or in the difference between "fits" and "does not fit".
"""

from __future__ import annotations

import errno
import os
import stat

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.kernel.path_access import PathAccess
    from sandgate.protocol.permissions import EffectivePermissions

    Attributes = tuple[tuple[str, bytes], ...]

FILE_BYTES_MAX = 256 << 20
TOTAL_BYTES_MAX = 512 << 20  # of all files of one patch, as they are before it
DEFAULT_MODE = 0o666  # of a new file; the umask takes its part
MODE_BITS = 0o1777  # set-user-id and set-group-id do not survive a change, as with any write
NOT_COPIED = ("security.capability",)  # it speaks of the old content
READ_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_READ_BYTES = 1 << 20


KERNEL_AREAS = ("/proc/", "/sys/", "/dev/")


class FileState(Record):
    """A file as a value. For a symbolic link `link` is where it leads, and there is no content."""

    content: bytes
    mode: int | None = None  # permission bits; None: a new file's
    link: str | None = None
    links: int = 1  # names the file has; more than one means that a change shows elsewhere
    attributes: Attributes = ()  # extended attributes

    def is_same(self, other: FileState | None) -> bool:
        """Whether both hold the same; modes and names do not count."""
        return other is not None and (self.content, self.link) == (other.content, other.link)


def absolute(cwd: str, path: str) -> str:
    """`path` as seen from `cwd`, normalised without touching the disk."""
    return "/" + os.path.normpath(os.path.join(cwd, path)).lstrip("/")


class Tree:
    """The disk, or the part of it that `permissions` leave readable. Unconfined permissions restrict nothing."""

    def __init__(self, permissions: EffectivePermissions | None = None) -> None:
        self._access = path_access_of(permissions)
        self._tmp = permissions.private_tmp if permissions is not None and permissions.confined else None
        self._directories: dict[str, str] = {}
        self._left_bytes = TOTAL_BYTES_MAX

    def place(self, path: str) -> str:
        """The entry that absolute, normalised `path` names; a link in last position is the entry itself.

        A path in a /tmp of the project's own means what its commands find there.
        """
        directory, name = os.path.split(path if self._tmp is None else self._tmp.on_host(path))
        real = self._directories.get(directory)
        if real is None:
            real = self._directories[directory] = os.path.realpath(directory)
        return os.path.join(real, name)

    def followed(self, place: str) -> str:
        """Where a write to `place` ends up: itself, or where the link that lies there leads."""
        return os.path.realpath(place) if os.path.islink(place) else place

    def state(self, place: str) -> FileState | None:
        """What lies at `place` itself; None for nothing. OSError for what is neither file nor link, or not readable.

        What the kernel makes up on the spot is no file to be patched, and may never end.
        """
        if place.startswith(KERNEL_AREAS):
            raise OSError(errno.EINVAL, "not a regular file")
        try:
            about = os.lstat(place)
        except FileNotFoundError:
            return None
        if stat.S_ISLNK(about.st_mode):
            return FileState(b"", link=os.readlink(place))
        if stat.S_ISDIR(about.st_mode):
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(about.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        if about.st_size > self._left_bytes:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        descriptor = self._open(place)
        try:
            state = file_state(descriptor)
        finally:
            os.close(descriptor)
        self._left_bytes -= len(state.content)
        return state

    def identity(self, place: str) -> tuple[int, int] | None:
        """Device and inode of what lies at `place`, links followed; None for nothing."""
        try:
            about = os.stat(place)
        except OSError:
            return None
        return (about.st_dev, about.st_ino)

    def is_one_entry(self, one: str, other: str) -> bool:
        """Whether two places are one entry of one directory, spelled or reached in two ways.

        Two names of one file (hard links) are two entries; two spellings that a file system without case takes for
        one are not, and neither are the two ways to a directory that is mounted twice.
        """
        identity = self.identity(one)
        if identity is None or identity != self.identity(other):
            return False
        if one == other or os.stat(one).st_nlink == 1:
            return True
        (above, name), (other_above, other_name) = os.path.split(one), os.path.split(other)
        if self.identity(above) != self.identity(other_above):
            return False
        return name == other_name or not {name, other_name} <= _entries(above)

    def leads_to_directory(self, place: str) -> bool:
        """Whether `place` is a directory or a link to one."""
        return os.path.isdir(place)

    def _open(self, place: str) -> int:
        if self._access is None:
            return os.open(place, READ_FLAGS)
        if not self._access.readable(place):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        from sandgate.kernel.beneath import open_canonical

        return open_canonical(place, READ_FLAGS)


def _entries(directory: str) -> frozenset[str]:
    try:
        return frozenset(os.listdir(directory))
    except OSError:  # it cannot be told: taken for one, which removes nothing
        return frozenset()


def path_access_of(permissions: EffectivePermissions | None) -> PathAccess | None:
    """What is allowed at each path; None when nothing is confined."""
    if permissions is None or not permissions.confined:
        return None
    from sandgate.kernel.path_access import PathAccess  # not on the way of a patch inside a sandbox

    global _last_access
    last = _last_access
    if last is None or last[0] is not permissions:
        last = _last_access = (permissions, PathAccess(permissions.on_host(), {}, {}))
    return last[1]


_last_access: tuple[EffectivePermissions, PathAccess] | None = None  # one patch asks several times


def file_state(descriptor: int) -> FileState:
    """The state of an open regular file. OSError EFBIG beyond a limit."""
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
    if about.st_size > FILE_BYTES_MAX:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    content = bytearray()
    while piece := os.read(descriptor, _READ_BYTES):
        content += piece
        if len(content) > FILE_BYTES_MAX:  # some files are longer than they say
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    mode = stat.S_IMODE(about.st_mode) & MODE_BITS
    return FileState(bytes(content), mode, links=about.st_nlink, attributes=_attributes(descriptor))


def _attributes(descriptor: int) -> Attributes:
    try:
        names = [name for name in os.listxattr(descriptor) if name not in NOT_COPIED]
        return tuple((name, os.getxattr(descriptor, name)) for name in names)
    except OSError:  # the file system has none, or keeps them to itself
        return ()

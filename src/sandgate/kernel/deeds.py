"""What a refused call asks for, copied whole: nothing of it is read again once somebody has decided.

The same as native/deed.h. How each is carried out is said by `performing`.
"""

from __future__ import annotations

import os
import stat

from sandgate.kernel.beneath import open_canonical
from sandgate.kernel.call_rules import O_TMPFILE_BIT
from sandgate.kernel.object_identity import identity_at
from sandgate.protocol.permissions import Grant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from sandgate.kernel.object_identity import ObjectIdentity
    from sandgate.kernel.places import OpenPlace
    from sandgate.kernel.socket_address import SocketAddress

    Wish = Literal["create", "temporary", "write", "remove", "metadata"]  # temporary: a new file or link, and no other
    DeedKind = Literal[
        "open", "directory", "node", "symlink", "bind", "link", "rename", "remove", "truncate", "metadata"
    ]

# What an open file may be asked to be; the rest is not ours to give, or is taken care of here.
_LARGE_FILE = 0o100000  # O_LARGEFILE as 64-bit kernels take it
OPEN_FLAGS = os.O_ACCMODE | os.O_CREAT | os.O_EXCL | os.O_TRUNC | os.O_APPEND | os.O_NONBLOCK | os.O_SYNC
OPEN_FLAGS |= os.O_DIRECT | os.O_NOATIME
OPEN_IGNORED = os.O_CLOEXEC | os.O_NOCTTY | os.O_NOFOLLOW | _LARGE_FILE
_KERNEL_AREAS = ("/proc", "/dev", "/sys")


class Spot:
    """One name that a call works on, and the directory it was in when the call was read."""

    __slots__ = ("exists", "kind", "meant", "parent", "path")

    def __init__(self, path: str, kind: int, parent: ObjectIdentity, meant: ObjectIdentity | None = None) -> None:
        self.path = path  # canonical; its last name is never followed
        self.kind = kind  # S_IFMT of what exists: it must still be that when the call is carried out
        self.exists = kind != 0
        self.parent = parent
        self.meant = meant  # it must be this very one; None: of the same kind


class Deed:
    """One call."""

    __slots__ = ("at", "change", "flags", "kind", "link_text", "make", "mode", "to", "umask")

    def __init__(self, kind: DeedKind, at: Spot, to: Spot | None = None) -> None:
        self.kind = kind
        self.at = at
        self.to = to  # the new name of a link or a rename
        self.flags = 0  # of open, unlink and rename, those we know
        self.mode = 0  # with S_IFMT for a node
        self.umask = 0
        self.link_text = ""  # what a symbolic link says
        self.change: Callable[[int], None] | None = None  # given the object as a mere place (O_PATH)
        self.make: Callable[[int, str], None] | None = None  # of bind: given the directory, and the name in it

    @property
    def wish(self) -> Wish:
        """What is wanted of the (first) name."""
        match self.kind:
            case "open":
                if self.at.exists:
                    return "write"
                return "temporary" if self.flags & os.O_EXCL else "create"
            case "directory" | "node" | "bind":
                return "create"
            case "symlink":
                return "temporary"  # a link is always a new one
            case "rename" | "remove":
                return "remove"
            case "link" | "truncate":
                return "write"
            case _:
                return "metadata"

    @property
    def new_mode(self) -> int:
        """The mode of what it makes."""
        return self.mode & 0o1777 & ~self.umask


class WantedConnection:
    """A connect: by address, or to a socket file."""

    __slots__ = ("address", "at", "inode", "number", "pid")

    def __init__(self, pid: int, number: int, inode: int, address: SocketAddress, at: Spot | None) -> None:
        self.pid = pid
        self.number = number
        self.inode = inode  # the caller's socket, whatever its number means by then
        self.address = address
        self.at = at  # the very socket file that is meant; None: a host

    @property
    def text(self) -> str:
        return f"unix:{self.at.path}" if self.at is not None else str(self.address)

    @property
    def grant(self) -> Grant:
        """The one that lets it be made."""
        return Grant("unix_socket", self.at.path) if self.at is not None else Grant("host", self.text)


def spot_of(place: OpenPlace, *, of: int = -1) -> Spot | None:
    """None for what lies where only the kernel has anything, and for the root. OSError when it cannot be looked at.

    `of`: the open file that is meant, whatever has its name by then.
    """
    path = place.path
    if path == "/" or any(path == area or path.startswith(area + "/") for area in _KERNEL_AREAS):
        return None
    meant = identity_at(of)[0] if of >= 0 else None
    kind = stat.S_IFMT(place.status.st_mode) if place.status is not None else 0
    if place.name:
        return Spot(path, kind, identity_at(place.parent)[0], meant)
    return Spot(path, kind, _parent_of(path), meant)


def _parent_of(path: str) -> ObjectIdentity:
    above = open_canonical(os.path.dirname(path), os.O_PATH | os.O_DIRECTORY)
    try:
        return identity_at(above)[0]
    finally:
        os.close(above)


def open_deed(place: OpenPlace, flags: int, mode: int, umask: int) -> Deed | None:
    """None for what is never carried out: another kind of file, an unnamed one, flags that we do not know."""
    spot = spot_of(place)
    if spot is None or flags & ~(OPEN_FLAGS | OPEN_IGNORED) or flags & O_TMPFILE_BIT == O_TMPFILE_BIT:
        return None
    if flags & os.O_ACCMODE == os.O_ACCMODE or (spot.exists and spot.kind != stat.S_IFREG):
        return None
    if not spot.exists and not flags & os.O_CREAT:
        return None
    deed = Deed("open", spot)
    deed.flags, deed.mode, deed.umask = flags & (OPEN_FLAGS | os.O_CLOEXEC), mode & 0o1777, umask
    return deed


def make_deed(kind: DeedKind, place: OpenPlace, mode: int = 0, umask: int = 0, link_text: str = "") -> Deed | None:
    """mkdir, mknod, symlink and bind: only what is not there."""
    spot = spot_of(place)
    if spot is None or spot.exists:
        return None
    deed = Deed(kind, spot)
    deed.mode, deed.umask, deed.link_text = mode, umask, link_text
    return deed


def remove_deed(place: OpenPlace, *, directory: bool) -> Deed | None:
    """unlink, and rmdir of a `directory`."""
    spot = spot_of(place)
    if spot is None or not spot.exists:
        return None
    deed = Deed("remove", spot)
    deed.flags = os.O_DIRECTORY if directory else 0
    return deed


def two_names_deed(kind: DeedKind, old: OpenPlace, new: OpenPlace, flags: int = 0) -> Deed | None:
    """rename, with none of its flags but RENAME_NOREPLACE, and link of a plain file to what is not there."""
    old_spot, new_spot = spot_of(old), spot_of(new)
    if old_spot is None or new_spot is None or not old_spot.exists:
        return None
    if kind == "link" and (old_spot.kind != stat.S_IFREG or new_spot.exists):
        return None
    deed = Deed(kind, old_spot, new_spot)
    deed.flags = flags
    return deed


def change_deed(kind: DeedKind, spot: Spot | None, change: Callable[[int], None]) -> Deed | None:
    """What is done to an object: its length, mode, times, attributes."""
    if spot is None or not spot.exists:
        return None
    deed = Deed(kind, spot)
    deed.change = change
    return deed

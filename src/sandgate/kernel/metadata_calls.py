"""chmod, chown, utimes and xattr of a confined command: what no Landlock rule can judge.

Never left to the kernel: it would obey whatever the arguments say by then. On writable ground we carry the call
out on the object we opened; elsewhere it is refused. An object without a path (a pipe, a deleted file, shared
memory) belongs to the process that holds it open.
"""

from __future__ import annotations

import errno
import os
import stat
import struct

from sandgate.kernel.call_rules import SET_ID
from sandgate.kernel.deeds import change_deed, spot_of
from sandgate.kernel.name_calls import AT_EMPTY_PATH
from sandgate.kernel.open_calls import SHARED_MEMORY
from sandgate.kernel.places import MagicLink, OpenFile, find_place, path_of
from sandgate.kernel.syscalls import caller
from sandgate.kernel.target import AT_FDCWD
from sandgate.kernel.waiting import CallFails, Returned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.kernel.deeds import Deed
    from sandgate.kernel.places import OpenPlace
    from sandgate.kernel.waiting import Answer, WaitingCall

    Change = Callable[[str], None]  # carries the call out on a path that leads to the object and nowhere else
    ChangePlace = Callable[[int], None]  # the same of an object opened as a mere place, links among them

AT_SYMLINK_NOFOLLOW = 0x100
XATTR_NAME_MAX, XATTR_SIZE_MAX = 256, 65536  # bytes, <linux/limits.h>; the name with its zero
# Those that mean nothing to the system, and access lists, which say no more than a mode; of the others some make a
# program run with more rights.
_OFFERED_ATTRIBUTES = (b"user.", b"system.posix_acl_")
_TIMESPECS_BYTES = 32  # two struct timespec
_NANOSECONDS_IN_MICROSECOND = 1000


class AllowedChange:
    """What is done where an answer allows it, and of which objects one may."""

    def __init__(self, change: ChangePlace, may: Callable[[os.stat_result], bool]) -> None:
        self.change = change
        self.may = may


class MetadataSubject:
    """What a metadata call is about: a path, or an open file of the caller's."""

    def __init__(self, dirfd: int, path: str | None, *, follow: bool = True) -> None:
        self.dirfd = dirfd
        self.path = path
        self.follow = follow


def chmod_call(call: WaitingCall) -> Answer:
    """chmod, fchmod, fchmodat and fchmodat2."""
    subject, rest = _subject(call, at_form=("fchmodat", "fchmodat2"), fd_form="fchmod", flags_at=3)
    mode = rest[0] & 0o7777
    if mode & SET_ID:
        return _no_set_id(call, subject)
    return _carry_out(call, subject, lambda path: os.chmod(path, mode), on_link=None)


def _no_set_id(call: WaitingCall, subject: MetadataSubject) -> Answer:
    """A program that runs as another user would do so on the host too, long after the sandbox."""
    if subject.path is None:
        path = os.readlink(call.target.base(subject.dirfd))
    else:
        with find_place(call.target, subject.dirfd, subject.path, follow=subject.follow) as place:
            path = place.path
    call.confirm()
    return call.deny("other", path=path, code=errno.EPERM, layer="seccomp")


def chown_call(call: WaitingCall) -> Answer:
    """chown, lchown, fchown and fchownat."""
    subject, rest = _subject(call, at_form=("fchownat",), fd_form="fchown", flags_at=4, link_form="lchown")
    owner, group = (_identity(word) for word in rest[:2])
    return _carry_out(
        call,
        subject,
        lambda path: os.chown(path, owner, group),
        on_link=lambda path: os.chown(path, owner, group, follow_symlinks=False),
        offer=AllowedChange(lambda place: _keep_owner(place, owner, group), lambda about: _keeps(about, owner, group)),
    )


def _keep_owner(place: int, owner: int, group: int) -> None:
    """Whoever copies with everything says once more to whom it belongs. No other owner is ever given."""
    if not _keeps(os.fstat(place), owner, group):
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))


def _keeps(about: os.stat_result, owner: int, group: int) -> bool:
    return owner in (-1, about.st_uid) and group in (-1, about.st_gid)


def utimes_call(call: WaitingCall) -> Answer:
    """utime, utimes, futimesat and utimensat, all carried out as utimensat."""
    words = call.arguments
    if call.name in ("utime", "utimes"):
        subject, times_at = MetadataSubject(AT_FDCWD, call.target.text_at(words[0])), words[1]
    else:
        path = call.target.text_at(words[1]) if words[1] else None
        no_follow = call.name == "utimensat" and words[3] & AT_SYMLINK_NOFOLLOW
        subject, times_at = MetadataSubject(call.int32(0), path or None, follow=not no_follow), words[2]
    times = _timespecs(call, times_at)

    def change(path: str) -> None:
        caller().call("utimensat", AT_FDCWD, os.fsencode(path), times, 0)

    def on_link(path: str) -> None:
        caller().call("utimensat", AT_FDCWD, os.fsencode(path), times, AT_SYMLINK_NOFOLLOW)

    def of_place(place: int) -> None:
        caller().call("utimensat", place, b"\0", times, AT_EMPTY_PATH)

    return _carry_out(call, subject, change, on_link=on_link, offer=AllowedChange(of_place, lambda _about: True))


def xattr_call(call: WaitingCall) -> Answer:
    """setxattr and removexattr, each by path, by link and by descriptor."""
    words = call.arguments
    if call.name in ("fsetxattr", "fremovexattr"):
        subject = MetadataSubject(call.int32(0), None)
    else:
        subject = MetadataSubject(AT_FDCWD, call.target.text_at(words[0]), follow=not call.name.startswith("l"))
    name = call.target.bytes_at(words[1], XATTR_NAME_MAX).partition(b"\0")[0]
    if "remove" in call.name:
        return _change_attribute(call, subject, name, lambda path: os.removexattr(path, name))
    if words[3] > XATTR_SIZE_MAX:
        return CallFails(errno.E2BIG)
    value = call.target.exactly(words[2], words[3]) if words[3] else b""
    flags = words[4] & 0xFFFFFFFF
    if flags & ~(os.XATTR_CREATE | os.XATTR_REPLACE):
        return CallFails(errno.EINVAL)
    return _change_attribute(call, subject, name, lambda path: os.setxattr(path, name, value, flags))


def _change_attribute(call: WaitingCall, subject: MetadataSubject, name: bytes, change: Change) -> Answer:
    offer = None if name.startswith(_OFFERED_ATTRIBUTES) else AllowedChange(_of_place(change), lambda _about: False)
    return _carry_out(call, subject, change, on_link=None, offer=offer)


def _subject(
    call: WaitingCall, *, at_form: tuple[str, ...], fd_form: str, flags_at: int, link_form: str = ""
) -> tuple[MetadataSubject, tuple[int, ...]]:
    """What the call is about, and its further arguments."""
    words = call.arguments
    if call.name == fd_form:
        return MetadataSubject(call.int32(0), None), words[1:]
    if call.name not in at_form:
        return MetadataSubject(AT_FDCWD, call.target.text_at(words[0]), follow=call.name != link_form), words[1:]
    flags = 0 if call.name == "fchmodat" else words[flags_at]
    path = call.target.text_at(words[1])
    if not path and flags & AT_EMPTY_PATH:
        return MetadataSubject(call.int32(0), None), words[2:]
    return MetadataSubject(call.int32(0), path, follow=not flags & AT_SYMLINK_NOFOLLOW), words[2:]


def _carry_out(
    call: WaitingCall,
    subject: MetadataSubject,
    change: Change,
    *,
    on_link: Change | None,
    offer: AllowedChange | None = None,
) -> Answer:
    """`offer` None: an answer may allow the same `change`, of what is no link."""
    if offer is None:
        offer = AllowedChange(_of_place(change), lambda about: not stat.S_ISLNK(about.st_mode))
    if subject.path is None:
        return _on_open_file(call, subject.dirfd, change, offer)
    try:
        place = find_place(call.target, subject.dirfd, subject.path, follow=subject.follow)
    except OpenFile as own:
        return _on_open_file(call, own.number, change, offer)
    except MagicLink:
        return CallFails(errno.EPERM)
    with place:
        held = os.open(place.name or ".", os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place.parent)
        try:
            call.confirm()
            if not _may_change(call, place.path, os.fstat(held)):
                return _denied(call, place, offer)
            if not stat.S_ISLNK(os.fstat(held).st_mode):
                change(f"/proc/self/fd/{held}")
            elif on_link is None or subject.follow:
                return CallFails(errno.EOPNOTSUPP)
            else:
                on_link(f"/proc/self/fd/{place.parent}/{place.name}")
            return Returned()
        finally:
            os.close(held)


def _of_place(change: Change) -> ChangePlace:
    return lambda place: change(f"/proc/self/fd/{place}")


def _on_open_file(call: WaitingCall, number: int, change: Change, offer: AllowedChange) -> Answer:
    try:
        held = os.open(call.target.base(number), os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return CallFails(errno.EBADF)
    try:
        call.confirm()
        status = os.fstat(held)
        try:
            path = path_of(held)
        except OSError:
            nowhere = stat.S_ISFIFO(status.st_mode) or stat.S_ISSOCK(status.st_mode) or status.st_nlink == 0
            if not nowhere:
                return CallFails(errno.EPERM)
        else:
            if not _may_change(call, path, status):
                with find_place(call.target, AT_FDCWD, path, follow=False) as place:
                    return _denied(call, place, offer, of=held)
        change(f"/proc/self/fd/{held}")
        return Returned()
    finally:
        os.close(held)


def _may_change(call: WaitingCall, path: str, status: os.stat_result) -> bool:
    if call.access.writable(path):
        return True
    directory, _, name = path.rpartition("/")
    return directory == SHARED_MEMORY and call.observed.shared.get(name) == (status.st_dev, status.st_ino)


def _denied(call: WaitingCall, place: OpenPlace, offer: AllowedChange, *, of: int = -1) -> Answer:
    """`of`: it is about this open file, and not about whatever else has its name by then."""

    def deed() -> Deed | None:
        if place.status is None or not offer.may(place.status):
            return None
        return change_deed("metadata", spot_of(place, of=of), offer.change)

    owner = place.status.st_uid if place.status is not None else -1
    host_allows = os.geteuid() in (0, owner)
    return call.deny("metadata", path=place.path, code=errno.EPERM, layer="seccomp", host_allows=host_allows, deed=deed)


def _identity(word: int) -> int:
    low = word & 0xFFFFFFFF
    return -1 if low == 0xFFFFFFFF else low


def _timespecs(call: WaitingCall, address: int) -> bytes | int:
    """The times as utimensat takes them, whatever the call's own form; 0 for "now"."""
    if not address:
        return 0
    if call.name == "utime":
        seconds = struct.unpack("=2q", call.target.exactly(address, 16))
        return struct.pack("=4q", seconds[0], 0, seconds[1], 0)
    times = call.target.exactly(address, _TIMESPECS_BYTES)
    if call.name == "utimensat":
        return times
    first, micro, second, micro2 = struct.unpack("=4q", times)
    return struct.pack("=4q", first, micro * _NANOSECONDS_IN_MICROSECOND, second, micro2 * _NANOSECONDS_IN_MICROSECOND)

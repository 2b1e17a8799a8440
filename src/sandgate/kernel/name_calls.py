"""Calls that make, remove and move names: mkdir, unlink, rename, link and their like.

Where a Landlock rule covers the place the kernel does it; on writable ground without a rule we do it, in the
directory we resolved; a closed name is refused. Landlock could not tell `.git` from its neighbours: both are
entries of the same directory.
"""

from __future__ import annotations

import errno
import os
import stat

from sandgate.kernel.deeds import change_deed, make_deed, remove_deed, spot_of, two_names_deed
from sandgate.kernel.open_calls import SHARED_MEMORY
from sandgate.kernel.places import MagicLink, OpenFile, OpenPlace, find_place, has_entries
from sandgate.kernel.syscalls import caller
from sandgate.kernel.target import AT_FDCWD
from sandgate.kernel.waiting import (
    RESUME,
    SHARED_MAX,
    CallFails,
    Returned,
    may_change_entry,
    may_enter_names,
    may_write,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.kernel.deeds import Deed
    from sandgate.kernel.waiting import Answer, WaitingCall

AT_REMOVEDIR, AT_SYMLINK_FOLLOW, AT_EMPTY_PATH = 0x200, 0x400, 0x1000  # <linux/fcntl.h>
RENAME_NOREPLACE, RENAME_EXCHANGE, RENAME_WHITEOUT = 1, 2, 4
_PLAIN_KINDS = (0, stat.S_IFREG, stat.S_IFIFO, stat.S_IFSOCK)


def mkdir_call(call: WaitingCall) -> Answer:
    """mkdir and mkdirat."""
    dirfd, path_at, mode = _at(call, "mkdirat")

    def deed(place: OpenPlace) -> Deed | None:
        return make_deed("directory", place, mode, call.target.umask)

    return _create(call, dirfd, path_at, lambda place: _mkdir(call, place, mode), deed, directory=True)


def mknod_call(call: WaitingCall) -> Answer:
    """mknod and mknodat: files, fifos and sockets; of devices `refused_modes` tells."""
    dirfd, path_at, mode = _at(call, "mknodat")
    if stat.S_IFMT(mode) not in _PLAIN_KINDS:
        return CallFails(errno.EPERM)

    def deed(place: OpenPlace) -> Deed | None:
        return make_deed("node", place, mode if stat.S_IFMT(mode) else mode | stat.S_IFREG, call.target.umask)

    return _create(call, dirfd, path_at, lambda place: _mknod(call, place, mode), deed)


def symlink_call(call: WaitingCall) -> Answer:
    """symlink and symlinkat. What the link says is free, where it stands is not."""
    content = call.target.text_at(call.arguments[0])
    dirfd, path_at = (call.int32(1), call.arguments[2]) if call.name == "symlinkat" else (AT_FDCWD, call.arguments[1])

    def make(place: OpenPlace) -> None:
        os.symlink(content, place.name, dir_fd=place.parent)

    def deed(place: OpenPlace) -> Deed | None:
        return make_deed("symlink", place, link_text=content) if content else None

    return _create(call, dirfd, path_at, make, deed, brings=True)


def unlink_call(call: WaitingCall) -> Answer:
    """unlink, unlinkat and rmdir."""
    dirfd, path_at, flags = _at(call, "unlinkat")
    directory = call.name == "rmdir" or (call.name == "unlinkat" and bool(flags & AT_REMOVEDIR))
    place = _find(call, dirfd, call.target.text_at(path_at))
    if place is None:
        return RESUME
    with place:
        call.confirm()
        if call.access.by_kernel(place.path):
            return RESUME
        if _removal_fails_anyway(place, directory=directory):
            other_kind = place.name and place.exists and call.takes_over and may_change_entry(place)
            return CallFails(errno.ENOTDIR if directory else errno.EISDIR) if other_kind else RESUME
        if not call.access.movable(place.path) and not _own_shared(call, place):
            enters = may_change_entry(place)
            if enters and directory and _is_known_full(call, place):
                return CallFails(errno.ENOTEMPTY)
            return call.deny(
                "delete", path=place.path, host_allows=enters, deed=lambda: remove_deed(place, directory=directory)
            )
        (os.rmdir if directory else os.unlink)(place.name, dir_fd=place.parent)
        if place.directory == SHARED_MEMORY:
            call.observed.shared.pop(place.name, None)
        return Returned()


def rename_call(call: WaitingCall) -> Answer:
    """rename, renameat and renameat2: both ends must be free, and nothing closed may move along."""
    words = call.arguments
    flags = words[4] if call.name == "renameat2" else 0
    if call.name == "rename":
        ends = ((AT_FDCWD, words[0]), (AT_FDCWD, words[1]))
    else:
        ends = ((call.int32(0), words[1]), (call.int32(2), words[3]))
    old, new = (_find(call, dirfd, call.target.text_at(at)) for dirfd, at in ends)
    try:
        if old is None or new is None:
            return RESUME
        call.confirm()
        return _rename(call, old, new, flags & 0xFFFFFFFF)
    finally:
        for place in (old, new):
            if place is not None:
                os.close(place.parent)


def link_call(call: WaitingCall) -> Answer:
    """link and linkat, also of a file opened with O_TMPFILE."""
    words = call.arguments
    flags = words[4] if call.name == "linkat" else 0
    old_at, new_at = ((AT_FDCWD, words[0]), (AT_FDCWD, words[1]))
    if call.name == "linkat":
        old_at, new_at = (call.int32(0), words[1]), (call.int32(2), words[3])
    old_path = call.target.text_at(old_at[1])
    if not old_path and flags & AT_EMPTY_PATH:
        return _create(call, *new_at, lambda place: _link_open_file(call, old_at[0], place))
    try:
        old = find_place(call.target, old_at[0], old_path, follow=bool(flags & AT_SYMLINK_FOLLOW))
    except MagicLink:
        return RESUME
    except OpenFile as own:
        number = own.number
        return _create(call, *new_at, lambda place: _link_open_file(call, number, place))
    with old:
        return _link(call, old, new_at)


def truncate_call(call: WaitingCall) -> Answer:
    """truncate by path; by descriptor it needs no leave."""
    length = call.arguments[1]
    try:
        place = find_place(call.target, AT_FDCWD, call.target.text_at(call.arguments[0]), follow=True)
    except (MagicLink, OpenFile):
        return RESUME
    with place:
        call.confirm()
        if call.access.by_kernel(place.path) or not place.is_kind(stat.S_IFREG):
            return RESUME
        if not call.access.writable(place.path):
            return call.deny(
                "write",
                path=place.path,
                host_allows=may_write(place.path),
                deed=lambda: change_deed("truncate", spot_of(place), lambda fd: _truncate(fd, length)),
            )
        fd = os.open(place.name, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=place.parent)
        try:
            os.ftruncate(fd, length)
        finally:
            os.close(fd)
        return Returned()


def _truncate(place: int, length: int) -> None:
    fd = os.open(f"/proc/self/fd/{place}", os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        os.ftruncate(fd, length)
    finally:
        os.close(fd)


def _at(call: WaitingCall, at_form: str) -> tuple[int, int, int]:
    """(dirfd, address of the path, third argument) of a call and its -at form."""
    words = call.arguments
    if call.name == at_form:
        return call.int32(0), words[1], words[2] & 0xFFFFFFFF
    return AT_FDCWD, words[0], words[1] & 0xFFFFFFFF


def _find(call: WaitingCall, dirfd: int, path: str) -> OpenPlace | None:
    try:
        return find_place(call.target, dirfd, path, follow=False)
    except (MagicLink, OpenFile):
        return None


def _create(
    call: WaitingCall,
    dirfd: int,
    path_at: int,
    make: Callable[[OpenPlace], None],
    deed: Callable[[OpenPlace], Deed | None] | None = None,
    *,
    directory: bool = False,
    brings: bool = False,
) -> Answer:
    """`brings`: what is made may lead to names of its own."""
    path = call.target.text_at(path_at)
    place = _find(call, dirfd, path.rstrip("/") or path if directory else path)
    if place is None:
        return RESUME
    with place:
        call.confirm()
        if place.exists or place.wants_directory or call.access.by_kernel(place.path):
            return RESUME
        shared = place.directory == SHARED_MEMORY and not directory and len(call.observed.shared) < SHARED_MAX
        free = call.access.may_receive(place.path) if brings else call.access.writable(place.path)
        if not free and not shared:
            enters = may_enter_names(place.directory)
            wanted = None if deed is None else lambda: deed(place)
            return call.deny("create", path=place.path, host_allows=enters, deed=wanted)
        make(place)
        if shared:
            status = os.stat(place.name, dir_fd=place.parent, follow_symlinks=False)
            call.observed.shared[place.name] = (status.st_dev, status.st_ino)
        return Returned()


def _mkdir(call: WaitingCall, place: OpenPlace, mode: int) -> None:
    wanted = mode & 0o1777 & ~call.target.umask
    os.mkdir(place.name, wanted, dir_fd=place.parent)
    if wanted & call.observed.umask:
        _widen(place, wanted, os.O_DIRECTORY)


def _mknod(call: WaitingCall, place: OpenPlace, mode: int) -> None:
    wanted = mode & 0o7777 & ~call.target.umask
    os.mknod(place.name, stat.S_IFMT(mode) | wanted, dir_fd=place.parent)
    if wanted & call.observed.umask:
        _widen(place, wanted, 0)


def _widen(place: OpenPlace, mode: int, kind: int) -> None:
    # Our own umask took bits the command's umask leaves. The set-group-id bit was inherited and stays.
    fd = os.open(place.name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC | kind, dir_fd=place.parent)
    try:
        inherited = os.fstat(fd).st_mode & stat.S_ISGID
        os.chmod(f"/proc/self/fd/{fd}", mode | inherited)
    finally:
        os.close(fd)


def _removal_fails_anyway(place: OpenPlace, *, directory: bool) -> bool:
    if not place.name or not place.exists:
        return True
    return place.is_kind(stat.S_IFDIR) != directory or (place.wants_directory and not directory)


def _own_shared(call: WaitingCall, place: OpenPlace) -> bool:
    status = place.status
    return (
        place.directory == SHARED_MEMORY
        and status is not None
        and call.observed.shared.get(place.name) == (status.st_dev, status.st_ino)
    )


def _rename(call: WaitingCall, old: OpenPlace, new: OpenPlace, flags: int) -> Answer:
    access = call.access
    if not (old.name and new.name and old.exists) or (flags & RENAME_NOREPLACE and new.exists):
        return RESUME
    if flags & RENAME_EXCHANGE and not new.exists:
        return RESUME
    if access.by_kernel(old.path) and access.by_kernel(new.path):
        return RESUME
    for place, free in ((old, access.movable(old.path)), (new, _may_receive(call, new))):
        if not free:
            return _refused_rename(call, old, new, flags, place)
    if flags & RENAME_WHITEOUT:
        return CallFails(errno.EPERM)  # makes a device
    _require_directory(old, new)
    names = (os.fsencode(place.name) for place in (old, new))
    old_name, new_name = names
    caller().call("renameat2", old.parent, old_name, new.parent, new_name, flags)
    return Returned()


def _refused_rename(call: WaitingCall, old: OpenPlace, new: OpenPlace, flags: int, refused: OpenPlace) -> Answer:
    """Where somebody may answer, whoever moves a file from a free place to a closed one is heard when it copies."""
    enters = may_change_entry(old) and may_change_entry(new)
    if not call.takes_over or flags & ~RENAME_NOREPLACE:
        return call.deny("rename", path=refused.path, host_allows=may_enter_names(refused.directory))
    if call.access.writable(old.directory) != call.access.writable(new.directory):
        return CallFails(errno.EXDEV)
    if enters and new.exists and (code := _replacing_fails(call, old, new)):
        return CallFails(code)
    return call.deny(
        "rename", path=refused.path, host_allows=enters, deed=lambda: two_names_deed("rename", old, new, flags)
    )


def _is_known_full(call: WaitingCall, place: OpenPlace) -> bool:
    """Whether the host would say that a directory is not empty, to somebody who can read it."""
    return call.takes_over and call.access.readable(place.path) and has_entries(place)


def _replacing_fails(call: WaitingCall, old: OpenPlace, new: OpenPlace) -> int:
    """The host's errno where `old` cannot become `new`, whatever anybody says."""
    from_directory, to_directory = old.is_kind(stat.S_IFDIR), new.is_kind(stat.S_IFDIR)
    if from_directory != to_directory:
        return errno.EISDIR if to_directory else errno.ENOTDIR
    return errno.ENOTEMPTY if to_directory and old.path != new.path and _is_known_full(call, new) else 0


def _may_receive(call: WaitingCall, new: OpenPlace) -> bool:
    return call.access.may_receive(new.path) and (not new.exists or call.access.movable(new.path))


def _require_directory(old: OpenPlace, new: OpenPlace) -> None:
    if (old.wants_directory or new.wants_directory) and not old.is_kind(stat.S_IFDIR):
        raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))


def _link(call: WaitingCall, old: OpenPlace, new_at: tuple[int, int]) -> Answer:
    call.confirm()
    if not old.exists or not old.name or old.is_kind(stat.S_IFDIR):
        return RESUME
    if not call.access.writable(old.path) and not _own_shared(call, old):
        # A second name for a closed file would be a way to write it.
        return _refused_link(call, old, new_at)
    return _create(
        call,
        *new_at,
        lambda place: os.link(
            old.name, place.name, src_dir_fd=old.parent, dst_dir_fd=place.parent, follow_symlinks=False
        ),
    )


def _refused_link(call: WaitingCall, old: OpenPlace, new_at: tuple[int, int]) -> Answer:
    allowed = may_write(old.path)
    new = _find(call, new_at[0], call.target.text_at(new_at[1])) if call.takes_over else None
    if new is None:
        return call.deny("create", path=old.path, code=errno.EPERM, host_allows=allowed)
    with new:
        if new.exists:
            return CallFails(errno.EEXIST)
        return call.deny(
            "create",
            path=old.path,
            code=errno.EPERM,
            host_allows=allowed and may_enter_names(new.directory),
            deed=lambda: two_names_deed("link", old, new),
        )


def _link_open_file(call: WaitingCall, number: int, place: OpenPlace) -> None:
    """Gives a name to a file opened with O_TMPFILE: one that has none yet."""
    held = os.open(call.target.base(number), os.O_PATH | os.O_CLOEXEC)
    try:
        call.confirm()
        if os.fstat(held).st_nlink:
            raise OSError(errno.EPERM, "the file has a name, link that")
        os.link(f"/proc/self/fd/{held}", place.name, dst_dir_fd=place.parent, follow_symlinks=True)
    finally:
        os.close(held)

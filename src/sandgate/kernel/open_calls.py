"""open, openat and creat of a confined command.  open(2)

Below a Landlock rule the kernel does it. Where the ground is writable but carries no rule, we open the file and
hand it over. Everything else is refused here, unless the kernel has a better reason of its own to fail.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat

from sandgate.kernel.call_rules import O_TMPFILE_BIT, TIOCGPTPEER, WRITE_INTENT, seen_of_opens
from sandgate.kernel.deeds import open_deed
from sandgate.kernel.pidfd import copy_descriptor
from sandgate.kernel.places import MagicLink, OpenFile, OpenPlace, find_place, path_of
from sandgate.kernel.target import AT_FDCWD
from sandgate.kernel.waiting import RESUME, SHARED_MAX, AnswerLater, CallFails, Opened, may_enter_names, may_write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.kernel.deeds import Deed
    from sandgate.kernel.waiting import Answer, WaitingCall

SHARED_MEMORY = "/dev/shm"  # POSIX shared memory and semaphores; a command owns what it makes there, no more
_STATUS_FLAGS = os.O_APPEND | os.O_NONBLOCK | os.O_ASYNC | os.O_DIRECT | os.O_NOATIME  # what F_SETFL changes


class OpenRequest:
    """The three spellings of open, in one form."""

    def __init__(self, call: WaitingCall) -> None:
        first = call.arguments
        self.dirfd, path_at, rest = AT_FDCWD, first[0], first[1:]
        if call.name == "openat":
            self.dirfd, path_at, rest = call.int32(0), first[1], first[2:]
        if call.name == "creat":
            self.flags, self.mode = os.O_CREAT | os.O_WRONLY | os.O_TRUNC, rest[0]
        else:
            self.flags, self.mode = rest[0] & 0xFFFFFFFF, rest[1]
        self.path = call.target.text_at(path_at)

    @property
    def follow(self) -> bool:
        return not self.flags & os.O_NOFOLLOW and not self.exclusive

    @property
    def exclusive(self) -> bool:
        both = os.O_CREAT | os.O_EXCL
        return self.flags & both == both

    @property
    def writes(self) -> bool:
        return bool(self.flags & WRITE_INTENT)

    @property
    def unnamed(self) -> bool:
        return bool(self.flags & O_TMPFILE_BIT)


def open_call(call: WaitingCall) -> Answer:
    """The answer to any call of the family."""
    if _is_for_the_rules(call):
        return RESUME
    request = OpenRequest(call)
    if request.flags & os.O_PATH:
        return RESUME  # no access at all
    try:
        place = find_place(call.target, request.dirfd, request.path, follow=request.follow)
    except MagicLink:
        return RESUME
    except OpenFile as own:
        return _open_again(call, request, own.number)
    with place:
        call.confirm()
        return _decide(call, request, place)


def _is_for_the_rules(call: WaitingCall) -> bool:
    """Seen only because of what may yet be made for the command, of which Landlock's rules do not know."""
    held_calls = call.observed.held_calls
    if held_calls is None or held_calls.has_made or call.name == "creat":
        return False
    seen = seen_of_opens(call.observed.reads)
    return seen >= 0 and not call.arguments[2 if call.name == "openat" else 1] & seen


def open_peer_call(call: WaitingCall) -> Answer:
    """ioctl(TIOCGPTPEER): the terminal end of a pseudo-terminal the caller has made, through its own descriptor.

    By name it stays closed, like every terminal: /dev/pts holds the user's own as well.
    """
    flags = call.arguments[2] & 0xFFFFFFFF
    master = copy_descriptor(call.target.pid, call.int32(0))
    try:
        call.confirm()
        peer = fcntl.ioctl(master, TIOCGPTPEER, flags & os.O_ACCMODE | os.O_NOCTTY | os.O_CLOEXEC)
    finally:
        os.close(master)
    return Opened(peer, cloexec=bool(flags & os.O_CLOEXEC))


def _decide(call: WaitingCall, request: OpenRequest, place: OpenPlace) -> Answer:
    path, access = place.path, call.access
    if access.by_kernel(path) or access.has_rule(path) or _fails_anyway(request, place):
        return RESUME
    device = place.is_kind(stat.S_IFCHR) or place.is_kind(stat.S_IFBLK)
    if not request.writes:
        if device or access.shown_by_kernel(path) or _is_anothers_memory(call, place):
            return RESUME
        if not access.readable(path):
            return call.deny("read", path=path, host_allows=os.access(path, os.R_OK, effective_ids=True))
        return _open(call, request, place) if place.exists else RESUME
    if not device and (access.writable(path) or _own_shared_memory(call, place)):
        return _open(call, request, place)

    def deed() -> Deed | None:
        return open_deed(place, request.flags, request.mode, call.target.umask)

    if place.exists and not request.unnamed:
        return call.deny("write", path=path, host_allows=may_write(path), deed=deed)
    enters = may_enter_names(place.directory)
    return call.deny("create", path=path, host_allows=enters, exclusive=request.exclusive, deed=deed)


def _fails_anyway(request: OpenRequest, place: OpenPlace) -> bool:
    """Whether the kernel has a reason to fail that comes before any question of permission."""
    creates = bool(request.flags & os.O_CREAT)
    if not place.exists:
        return not creates or place.wants_directory
    if creates and request.flags & os.O_EXCL:
        return True
    if place.is_kind(stat.S_IFDIR):
        return request.writes and not request.unnamed
    return place.is_kind(stat.S_IFLNK) or place.wants_directory or request.unnamed


def _open(call: WaitingCall, request: OpenRequest, place: OpenPlace) -> Answer:
    # Nonblocking, whatever was asked: a fifo without a reader would hold us, and with us every other call.
    flags = request.flags & ~os.O_NONBLOCK | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC
    wanted = request.mode & 0o7777 & ~call.target.umask if request.writes else 0
    created = not place.exists or request.unnamed
    try:
        fd = os.open(place.name or ".", flags, wanted, dir_fd=place.parent)
    except OSError as error:
        waits = error.errno == errno.ENXIO and place.is_kind(stat.S_IFIFO) and not request.flags & os.O_NONBLOCK
        return AnswerLater(lambda: open_call(call)) if waits else CallFails(error.errno or errno.EIO)
    try:
        _finish(call, request, place, fd, wanted if created else None)
    except OSError as error:
        os.close(fd)
        return CallFails(error.errno or errno.EIO)
    return Opened(fd, cloexec=bool(request.flags & os.O_CLOEXEC))


def _finish(call: WaitingCall, request: OpenRequest, place: OpenPlace, fd: int, created_mode: int | None) -> None:
    status = os.fstat(fd)
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode) or stat.S_ISFIFO(status.st_mode)):
        raise OSError(errno.EACCES, "a device has no business in a workspace")
    if created_mode is not None and created_mode & call.observed.umask:
        os.fchmod(fd, created_mode)  # our own umask took bits the command's umask leaves
    if place.directory == SHARED_MEMORY and not call.access.writable(place.path):
        call.observed.shared[place.name] = (status.st_dev, status.st_ino)
    fcntl.fcntl(fd, fcntl.F_SETFL, request.flags & _STATUS_FLAGS)


def _own_shared_memory(call: WaitingCall, place: OpenPlace) -> bool:
    if place.directory != SHARED_MEMORY or not place.name:
        return False
    if place.status is None:
        return len(call.observed.shared) < SHARED_MAX
    return call.observed.shared.get(place.name) == (place.status.st_dev, place.status.st_ino)


def _is_anothers_memory(call: WaitingCall, place: OpenPlace) -> bool:
    """Nothing below /dev has a rule that is no device; so what is there is another process's, or the command's own."""
    if not place.path.startswith("/dev/") or place.is_kind(stat.S_IFDIR):
        return False
    return not _own_shared_memory(call, place)


def _open_again(call: WaitingCall, request: OpenRequest, number: int) -> Answer:
    """open("/proc/self/fd/N"): by the file it is, if that file lies somewhere."""
    held = os.open(f"{call.target.base(number)}", os.O_PATH | os.O_CLOEXEC)
    try:
        call.confirm()
        path = path_of(held)
        if not request.writes or call.access.by_kernel(path) or call.access.has_rule(path):
            return RESUME
        if not call.access.writable(path) or not stat.S_ISREG(os.fstat(held).st_mode):
            return call.deny("write", path=path, host_allows=may_write(path))
        fd = os.open(f"/proc/self/fd/{held}", request.flags & ~os.O_CREAT | os.O_CLOEXEC)
        return Opened(fd, cloexec=bool(request.flags & os.O_CLOEXEC))
    except OSError as error:
        return RESUME if error.errno == errno.ENOENT else CallFails(error.errno or errno.EIO)
    finally:
        os.close(held)

"""Answers a confined command's held calls, and sees its whole tree to its end.  seccomp_unotify(2)

It runs on a thread of its own, not on the caller's poll loop: the caller may be blocked writing the command's
output to a process that waits for a file that this very command is about to make, and a held call would then hang
all three. The thread needs nothing but the kernel and the GIL. If it fails on one call, that call gets the safe
answer; if it dies, the listener closes and every held call fails with ENOSYS.

There is no pid namespace here. Descendants are found by their session: `setsid` is a held call, so every session
the tree has ever opened is known. That no process is left is the kernel's own word: the listener hangs up when no
process carries the filter any more.
"""

from __future__ import annotations

import errno
import os
import select
import stat
import time
from _thread import allocate_lock

from sandgate.kernel import metadata_calls, name_calls, open_calls, socket_calls
from sandgate.kernel.call_groups import refused_groups
from sandgate.kernel.call_rules import MISSED, TIOCGPTPEER, TOLD
from sandgate.kernel.notify import Listener
from sandgate.kernel.refused_modes import has_refused_mode, refused_mode_call
from sandgate.kernel.session_tree import kill, members, still_the_same
from sandgate.kernel.syscalls import NUMBERS, machine
from sandgate.kernel.waiting import (
    LOCKED_MAX,
    RESUME,
    AnswerLater,
    CallFails,
    Gone,
    Opened,
    Replaced,
    Resume,
    Returned,
    Unanswered,
    WaitingCall,
)
from sandgate.record import never_reached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.kernel.notify import Notification
    from sandgate.kernel.waiting import Answer, Keeper, Observed

RETRY_MS = 5  # how often a call that waits for another process is tried again
WAITING_MAX = 64  # calls that may wait so at once; a further one fails with EAGAIN
LAST_BREATH_MS = 2  # how long descendants may take to exit by themselves once the command is over
TREE_END_MS = 2000  # how long we go on killing before we give up and say so
KILL_PAUSE_MS = 1
LOCKS = 3  # LOCK_SH | LOCK_EX, flock(2)
LOCKABLE = (stat.S_IFREG, stat.S_IFDIR)


def setsid_call(call: WaitingCall) -> Answer:
    """Carried out by the kernel; noted, because the new session has to be found again at the end."""
    call.observed.add_session(call.target.pid)
    return RESUME


def flock_call(call: WaitingCall) -> Answer:
    """Carried out by the kernel: compilers lock what they read. Noted, since others outside may wait for it."""
    locked = call.observed.locked
    if call.int32(1) & LOCKS and len(locked) < LOCKED_MAX:
        through = call.target.base(call.int32(0))
        path, kind = os.readlink(through), stat.S_IFMT(os.stat(through).st_mode)
        call.confirm()
        if kind in LOCKABLE and path[:1] == "/" and path not in locked and not call.access.writable(path):
            locked.append(path)
    return RESUME


def ioctl_call(call: WaitingCall) -> Answer:
    """Opens the other end of the caller's own pseudo-terminal; every other request that is held is refused."""
    own_terminal = call.arguments[1] & 0xFFFFFFFF == TIOCGPTPEER
    return open_calls.open_peer_call(call) if own_terminal else socket_calls.refused_call(call)


def _handlers() -> dict[str, Callable[[WaitingCall], Answer]]:
    table: dict[str, Callable[[WaitingCall], Answer]] = {"setsid": setsid_call}
    groups: tuple[tuple[str, Callable[[WaitingCall], Answer]], ...] = (
        ("open openat creat", open_calls.open_call),
        ("ioctl", ioctl_call),
        ("mkdir mkdirat", name_calls.mkdir_call),
        ("mknod mknodat", name_calls.mknod_call),
        ("symlink symlinkat", name_calls.symlink_call),
        ("unlink unlinkat rmdir", name_calls.unlink_call),
        ("rename renameat renameat2", name_calls.rename_call),
        ("link linkat", name_calls.link_call),
        ("truncate", name_calls.truncate_call),
        ("chmod fchmod fchmodat fchmodat2", metadata_calls.chmod_call),
        ("chown lchown fchown fchownat", metadata_calls.chown_call),
        ("utime utimes futimesat utimensat", metadata_calls.utimes_call),
        ("setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr", metadata_calls.xattr_call),
        ("flock", flock_call),
        ("socket socketpair", socket_calls.socket_call),
        ("connect", socket_calls.connect_call),
        ("bind", socket_calls.bind_call),
        ("sendto", socket_calls.sendto_call),
        (TOLD, socket_calls.refused_call),
        (MISSED, socket_calls.missed_call),
    )
    for group in refused_groups(namespaces=False):
        if group.answer == "EPERM":
            table.update(dict.fromkeys(group.calls, socket_calls.refused_call))
    for names, handler in groups:
        table.update(dict.fromkeys(names.split(), handler))
    return table


HANDLERS = _handlers()
REFUSED_MODE = "a refused mode"  # stands for the name of a call with one, so that it is not taken for any other
AFTER_A_WAIT = ""  # stands for the name of a call that got its answer, and takes its time to be carried out
# Where Landlock has the last word, a call we cannot understand is the kernel's to judge. It has none over these.
NEVER_RESUMED = frozenset(
    name for name in HANDLERS if HANDLERS[name].__module__ in (metadata_calls.__name__, socket_calls.__name__)
) | {"ioctl", REFUSED_MODE, AFTER_A_WAIT}


class Supervisor:
    """Serves one command from before its first instruction until nothing of it is left."""

    def __init__(self, listener: int, observed: Observed, *, on_birth: Callable[[int], None]) -> None:
        self.observed = observed
        self.complete = True  # no call went by that we failed to understand
        self.tree_gone = False
        self._listener = Listener(listener)
        self._on_birth = on_birth
        self._born = False
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._guard = allocate_lock()
        self._killing = False
        self._stopping = False
        self._waiting: dict[int, tuple[str, Callable[[], Answer]]] = {}
        self._next_look = 0.0  # when callers of held calls are looked for again
        self._names = {number: name for name, number in NUMBERS[machine()].items()}

    def wake(self, *, kill_tree: bool = False, stop: bool = False) -> None:
        """From another thread: kill everything, or stop serving, at once."""
        self._killing = self._killing or kill_tree
        self._stopping = self._stopping or stop
        with self._guard:  # once closed, the number may be any file's
            if self._wake >= 0:
                os.eventfd_write(self._wake, 1)

    def serve_until(self, fd: int) -> None:
        """Answers calls until `fd` polls readable, or `wake(stop=True)`."""
        poller = self._poller()
        poller.register(fd, select.POLLIN)
        while not self._stopping:
            ready = dict(poller.poll(self._wait_ms()))
            self._work(ready)
            if fd in ready:
                return

    def end_tree(self) -> None:
        """Serves and kills until no process carries the filter, within `TREE_END_MS`."""
        if self.observed.held_calls is not None:
            self.observed.held_calls.refuse_all(self._send)
        poller = self._poller()
        start = time.monotonic()
        pause_ms = LAST_BREATH_MS
        while (time.monotonic() - start) * 1000 < TREE_END_MS:
            ready = dict(poller.poll(pause_ms))
            if ready.get(self._listener.fd, 0) & select.POLLHUP:
                self.tree_gone = True
                return
            self._work(ready)
            if not ready:
                self._kill_all()
                pause_ms = KILL_PAUSE_MS

    def close(self) -> None:
        """Every held and later call fails from here on."""
        os.close(self._listener.fd)
        with self._guard:
            os.close(self._wake)
            self._wake = -1

    def _poller(self) -> select.poll:
        poller = select.poll()
        poller.register(self._listener.fd, select.POLLIN)
        poller.register(self._wake, select.POLLIN)
        return poller

    def _work(self, ready: dict[int, int]) -> None:
        if self._wake in ready:
            os.eventfd_read(self._wake)
        if self._killing:
            self._kill_all()
            self._killing = False
        if ready.get(self._listener.fd, 0) & select.POLLIN:
            notification = self._listener.receive()
            if notification is not None:
                self._serve(notification)
        if self._waiting:
            self._try_again()
        if self.observed.held_calls is not None:
            self._mind_held(self.observed.held_calls)

    def _mind_held(self, held_calls: Keeper) -> None:
        held_calls.obey(self._send)
        now = time.monotonic()
        if held_calls.look_ms and now >= self._next_look:
            self._next_look = now + held_calls.look_ms / 1000
            held_calls.look()

    def _wait_ms(self) -> int | None:
        if self._waiting:
            return RETRY_MS
        return None if self.observed.held_calls is None else self.observed.held_calls.look_ms

    def _kill_all(self) -> None:
        for pid in members(still_the_same(self.observed.sessions)):
            kill(pid)

    def _serve(self, notification: Notification) -> None:
        name = self._names.get(notification.number, "")
        if name == "setsid" and not self._born:
            self._born = True
            self._on_birth(notification.tid)
        call = WaitingCall(name, notification, self._listener, self.observed)
        if has_refused_mode(name, notification.arguments):
            self._answer(REFUSED_MODE, notification.id, lambda: refused_mode_call(call))
        else:
            self._answer(name, notification.id, lambda: HANDLERS[name](call))

    def _answer(self, name: str, identity: int, work: Callable[[], Answer]) -> None:
        try:
            answer = work()
        except Gone:
            return
        except OSError as error:
            answer = CallFails(error.errno or errno.EIO)
        except Exception:  # a bug of ours must neither hang the command nor give it anything
            self.complete = False
            answer = CallFails(errno.EPERM) if name in NEVER_RESUMED else RESUME
        self._send(identity, answer, name)

    def _send(self, identity: int, answer: Answer, name: str = AFTER_A_WAIT) -> None:
        match answer:
            case Resume():
                self._listener.resume(identity)
            case Returned(value):
                self._listener.answer(identity, value)
            case CallFails(code):
                self._listener.refuse(identity, code)
            case Opened(fd, cloexec):
                try:
                    self._listener.inject(identity, fd, cloexec=cloexec)
                finally:
                    os.close(fd)
            case Replaced(fd, number, cloexec):
                try:
                    self._listener.replace(identity, fd, number, cloexec=cloexec)
                finally:
                    os.close(fd)
            case AnswerLater(retry):
                if len(self._waiting) < WAITING_MAX:
                    self._waiting[identity] = (name, retry)
                else:
                    self._listener.refuse(identity, errno.EAGAIN)
            case Unanswered():
                return
            case _:
                never_reached(answer)

    def _try_again(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for identity, (name, retry) in waiting.items():
            if self._listener.valid(identity):
                self._answer(name, identity, retry)

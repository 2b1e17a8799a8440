"""One call that waits for us, everything known about it, and the answers it can get."""

from __future__ import annotations

import errno
import os
import stat

from sandgate.kernel.session_tree import living_sessions, started
from sandgate.kernel.target import Target
from sandgate.protocol.denials import Refused
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from sandgate.kernel.call_rules import Reads
    from sandgate.kernel.deeds import Deed, WantedConnection
    from sandgate.kernel.notify import Listener, Notification
    from sandgate.kernel.path_access import Identity, PathAccess
    from sandgate.kernel.places import OpenPlace
    from sandgate.protocol.denials import Layer, Operation

    class Keeper(Protocol):
        """What refused calls are shown to: `held_calls.CallKeeper`."""

        has_made: bool  # something that no rule of Landlock knows

        @property
        def takes_over(self) -> bool: ...

        @property
        def look_ms(self) -> int | None: ...

        def take_over(self, call: WaitingCall, deed: Deed | WantedConnection, refused: Refused, /) -> Answer | None: ...

        def obey(self, send: Callable[[int, Answer], None], /) -> None: ...

        def look(self) -> None: ...

        def refuse_all(self, send: Callable[[int, Answer], None], /) -> None: ...

        def close(self) -> None: ...


SOCKETS_MAX = 256  # socket files one command may bind; each costs us a descriptor
SHARED_MAX = 4096  # names one command may have in /dev/shm
SESSIONS_KEPT = 1024  # sessions remembered before we look which of them are still alive
LOCKED_MAX = 64  # names of locked files kept of one command
REFUSED_MAX = 256  # records kept of one command; further ones are counted


class Resume(Record):
    """The kernel carries the call out; only where Landlock has the last word."""


class Returned(Record):
    """The call was carried out on its behalf, this is its result."""

    value: int = 0


class CallFails(Record):
    """The call fails with this errno."""

    errno: int


class Opened(Record):
    """The caller gets this file as a new descriptor. We close ours."""

    fd: int
    cloexec: bool


class Replaced(Record):
    """The call was carried out on this file, which becomes the caller's descriptor `number`. We close ours."""

    fd: int
    number: int
    cloexec: bool


class AnswerLater(Record):
    """No answer yet; `retry` is called again soon."""

    retry: Callable[[], Answer]


class Unanswered(Record):
    """No answer yet: somebody is asked. See `held_calls`."""


Answer = Resume | Returned | CallFails | Opened | Replaced | AnswerLater | Unanswered
RESUME = Resume()


class Gone(Exception):
    """The caller died while we looked: no caller waits for an answer."""


class Observed:
    """What the supervisor knows of one command beside its rules."""

    def __init__(
        self, access: PathAccess, *, network: bool, sockets: tuple[str, ...] = (), hosts: tuple[str, ...] = ()
    ) -> None:
        self.access = access
        self.network = network
        self.granted_sockets = frozenset(sockets)
        self.granted_hosts = frozenset(hosts)  # address and port, with the network off
        self.umask = own_umask()
        self.reads: Reads = "all"  # which opens for reading may need more than Landlock's rules
        self.held_calls: Keeper | None = None  # None: what is refused neither waits nor is carried out
        self.refused: list[Refused] = []
        self.omitted = 0
        self.locked: list[str] = []  # files outside on which it took a lock, LOCKED_MAX at most
        self._recorded: set[tuple[str | None, ...]] = set()
        self._sessions_bound = SESSIONS_KEPT
        self.sockets: dict[Identity, int] = {}  # socket files the command bound, each held open: its number stays taken
        self.abstract: dict[bytes, int] = {}  # abstract socket names it bound, each with the inode of the socket
        self.shared: dict[str, Identity] = {}  # what it made in /dev/shm
        self.sessions: dict[int, int] = {}  # every session the tree has opened: its leader and when that was started

    def close(self) -> None:
        """Lets go of what was held open."""
        if self.held_calls is not None:
            self.held_calls.close()
        for fd in self.sockets.values():
            os.close(fd)
        self.sockets.clear()

    def add(self, refused: Refused) -> None:
        """Records a refusal once, whichever process meets it again; past the limit it is only counted."""
        key = (refused.operation, refused.syscall, refused.path, refused.address, refused.errno)
        if key in self._recorded:
            return
        if len(self.refused) < REFUSED_MAX:
            self._recorded.add(key)
            self.refused.append(refused)
        else:
            self.omitted += 1

    def add_session(self, leader: int) -> None:
        """Remembers a session; those without a living member are forgotten from time to time."""
        if len(self.sessions) >= self._sessions_bound:
            alive = living_sessions()
            self.sessions = {known: when for known, when in self.sessions.items() if known in alive}
            self._sessions_bound = max(SESSIONS_KEPT, 2 * len(self.sessions))
        self.sessions[leader] = started(leader) or 0


class WaitingCall:
    """A notification together with its target and what has been observed so far."""

    def __init__(self, name: str, notification: Notification, listener: Listener, observed: Observed) -> None:
        self.name = name
        self.notification = notification
        self.arguments = notification.arguments
        self.target = Target(notification.tid)
        self.observed = observed
        self.access = observed.access
        self._listener = listener

    def int32(self, index: int) -> int:
        return self.notification.int32(index)

    def still_waits(self) -> bool:
        return self._listener.valid(self.notification.id)

    def confirm(self) -> None:
        """Raises `Gone` unless everything read so far really belonged to the caller."""
        if not self.still_waits():
            raise Gone

    def deny(
        self,
        operation: Operation,
        *,
        path: str | None = None,
        address: str | None = None,
        code: int = errno.EACCES,
        layer: Layer = "landlock",
        host_allows: bool = True,
        exclusive: bool = False,
        deed: Callable[[], Deed | WantedConnection | None] | None = None,
    ) -> Answer:
        """Records a refusal; the answer that goes with it. `deed`: what it asks for, where an answer may allow it."""
        target = self.target
        refused = Refused(
            operation=operation,
            syscall=self.name,
            path=path,
            address=address,
            errno=errno.errorcode[code],
            layer=layer,
            pid=target.pid,
            program=target.program,
            host_allows=host_allows,
            exclusive=exclusive,
        )
        answer = self._taken_over(deed, refused) if deed is not None and self.takes_over else None
        if answer is not None:
            return answer
        self.observed.add(refused)
        return CallFails(code)

    @property
    def takes_over(self) -> bool:
        """Whether what is refused may wait, or be carried out."""
        return self.observed.held_calls is not None and self.observed.held_calls.takes_over

    def _taken_over(self, deed: Callable[[], Deed | WantedConnection | None], refused: Refused) -> Answer | None:
        try:
            wanted = deed()
        except OSError:  # memory that is not there, a place that is gone: nothing that could be carried out
            return None
        held_calls = self.observed.held_calls
        return held_calls.take_over(self, wanted, refused) if wanted is not None and held_calls is not None else None


def own_umask() -> int:
    """Our umask, without the race of setting it to learn it."""
    return Target(os.getpid()).umask


def may_write(path: str) -> bool:
    """Whether permission bits let us change what is at `path`."""
    return os.access(path, os.W_OK, effective_ids=True)


def may_enter_names(directory: str) -> bool:
    """Whether permission bits let us make and remove names in `directory`."""
    return os.access(directory, os.W_OK | os.X_OK, effective_ids=True)


def may_change_entry(place: OpenPlace) -> bool:
    """Whether permission bits let us give away the name of `place`: in a sticky directory only owners may."""
    if not may_enter_names(place.directory):
        return False
    about = os.fstat(place.parent)
    if place.status is None or not about.st_mode & stat.S_ISVTX:
        return True
    return os.geteuid() in (0, about.st_uid, place.status.st_uid)

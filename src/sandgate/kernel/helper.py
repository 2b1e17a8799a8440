"""Starts commands through the C helper `sandgate-exec` and listens to it.

The helper gets the plan in a sealed memory file (descriptor 3), speaks through a socket (descriptor 4), and stays as
the supervisor until the command is over. It is started by posix_spawn, so the size of our own process does not
matter. When we die, by whatever means, the socket hangs up and it kills everything.
"""

from __future__ import annotations

import fcntl
import os
from _socket import AF_UNIX, MSG_DONTWAIT, MSG_NOSIGNAL, SOCK_SEQPACKET, socketpair

from sandgate.kernel.child import Ended
from sandgate.kernel.plan_codec import (
    KILL,
    PACKET_BYTES_MAX,
    SIGNAL,
    Finished,
    NotStarted,
    decode,
    encode,
    request,
)
from sandgate.protocol.confinement import ConfinedCommand, SetupFailure
from sandgate.protocol.denials import Refused
from sandgate.protocol.permissions import EffectivePermissions
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Iterable

    from sandgate.kernel.plan_codec import Switch
    from sandgate.protocol.confinement import ExecFailure

FIRST_FREE = 5  # 0, 1, 2, plan, status: what the helper finds open
PROBE_LIMIT_MS = 2000
_SIGKILL = 9  # the signal module costs an import of `enum`
_SIGNALS_TO_RESET = (13, 25)  # SIGPIPE, SIGXFSZ: Python ignores them


class HelperChild:
    """A command under a helper. See `kernel.child.Child` for the contract."""

    def __init__(self, pid: int, status: socket) -> None:
        self.pid = pid
        self.ended: Ended | None = None
        self.failure: SetupFailure | ExecFailure | None = None
        self.refused: list[Refused] = []
        self.refused_omitted = 0
        self.reported = False
        self.layers: tuple[str, ...] = ()
        self.created_protected: tuple[str, ...] = ()
        self._status: socket | None = status

    def descriptors(self) -> tuple[int, ...]:
        return () if self._status is None else (self._status.fileno(),)

    def handle(self, fd: int) -> None:
        if self._status is None or fd != self._status.fileno():
            return
        try:
            packet = self._status.recv(PACKET_BYTES_MAX, MSG_DONTWAIT)
        except BlockingIOError:
            return
        self._take(decode(packet) if packet else None)

    def signal_group(self, number: int) -> None:
        self._ask(request(SIGNAL, number))

    def kill_tree(self) -> None:
        self._ask(request(KILL))

    def close(self) -> None:
        if self._status is not None:
            self._status.close()  # the helper takes this as: kill everything
            self._status = None
            self._reap()
            if self.failure is None:
                self.ended = Ended(128 + _SIGKILL, _SIGKILL)

    def _ask(self, what: bytes) -> None:
        if self._status is None:
            return
        try:
            self._status.send(what, MSG_DONTWAIT | MSG_NOSIGNAL)
        except OSError:
            return  # it is over; its last packet is still to be read

    def _take(self, packet: Finished | NotStarted | Refused | None) -> None:
        match packet:
            case Refused():
                self.refused.append(packet)
                return
            case Finished():
                self.ended = packet.ended
                self.layers = packet.layers
                self.refused_omitted = packet.refused_omitted
                self.created_protected = packet.created_protected
                self.reported = "notify" in packet.layers
            case NotStarted():
                self.failure = packet.failure
                self.layers = packet.layers
            case None:  # the helper was killed; the kernel has killed the rest
                self.ended = Ended(128 + _SIGKILL, _SIGKILL)
        self._finish()

    def _finish(self) -> None:
        # The last packet, or the hang-up, is the last thing the helper does: it is reaped at once.
        self._reap()
        if self._status is not None:
            self._status.close()
            self._status = None

    def _reap(self) -> None:
        try:
            os.waitpid(self.pid, 0)
        except ChildProcessError:
            return  # somebody else in this process reaped it


def start(
    plan: ConfinedCommand, *, stdin: int, stdout: int, stderr: int, helper: str, without: Iterable[Switch] = ()
) -> HelperChild:
    """Starts `plan` with the three descriptors as its stdio; they stay the caller's to close.

    `helper` is the absolute path of the program. `without` switches layers off, for tests. Raises RequestError
    for a plan that cannot be encoded, OSError when the helper itself cannot be started.
    """
    return start_encoded(encode(plan, without=without), stdin=stdin, stdout=stdout, stderr=stderr, helper=helper)


def start_encoded(plan: bytes, *, stdin: int, stdout: int, stderr: int, helper: str) -> HelperChild:
    """As `start`, for a plan that is bytes already."""
    ours, its = socketpair(AF_UNIX, SOCK_SEQPACKET)
    opened: list[int] = []
    try:
        sources = [stdin, stdout, stderr, _sealed(plan, opened), its.fileno()]
        actions = [(os.POSIX_SPAWN_DUP2, _clear_of(slot, source, opened), slot) for slot, source in enumerate(sources)]
        pid = os.posix_spawn(helper, ("sandgate-exec",), {}, file_actions=actions, setsigdef=_SIGNALS_TO_RESET)
    except BaseException:
        ours.close()
        raise
    finally:
        its.close()
        for fd in opened:
            os.close(fd)
    return HelperChild(pid, ours)


def _sealed(plan: bytes, opened: list[int]) -> int:
    fd = os.memfd_create("sandgate-plan", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    opened.append(fd)
    rest = memoryview(plan)
    while rest:
        rest = rest[os.write(fd, rest) :]
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL)
    return fd


def _clear_of(slot: int, source: int, opened: list[int]) -> int:
    """A descriptor for the same file that no earlier dup2 has overwritten."""
    if source >= FIRST_FREE or source == slot:
        return source
    opened.append(fcntl.fcntl(source, fcntl.F_DUPFD_CLOEXEC, FIRST_FREE))
    return opened[-1]


class Probe(Record):
    """What a trial run of the helper found: the layers it could build, or why it could not."""

    layers: tuple[str, ...] = ()
    failure: SetupFailure | None = None


def probe(helper: str) -> Probe:
    """Builds one real sandbox around `true`, for at most PROBE_LIMIT_MS."""
    from select import POLLIN, poll

    plan = ConfinedCommand(
        backend="namespace", argv=("/bin/true",), cwd="/", env={}, permissions=EffectivePermissions(network="off")
    )
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    try:
        child = start(plan, stdin=null, stdout=null, stderr=null, helper=helper)
    except OSError as problem:
        return Probe(failure=SetupFailure("start the helper", problem.strerror or "unknown"))
    finally:
        os.close(null)
    try:
        waiting = poll()
        while child.descriptors():
            waiting.register(child.descriptors()[0], POLLIN)
            if not waiting.poll(PROBE_LIMIT_MS):
                return Probe(failure=SetupFailure("wait for a trial command", "ETIMEDOUT"))
            child.handle(child.descriptors()[0])
    finally:
        child.close()
    failure = child.failure if isinstance(child.failure, SetupFailure) else None
    return Probe(child.layers, failure)

"""Starts commands through the C helper `sandgate-exec` and listens to it.

All talk goes through one socket. The helper is started before its plan is known and builds its namespaces while we
still make that plan; then it gets the plan, in a sealed memory file, together with the command's streams, and stays
as the supervisor until the command is over. It is started by posix_spawn, so the size of our own process does not
matter. When we die, by whatever means and at whatever time, the socket hangs up and it kills everything.
"""

from __future__ import annotations

import os
from _socket import MSG_DONTWAIT, MSG_NOSIGNAL, SCM_RIGHTS, SOL_SOCKET

from sandgate.kernel.child import Ended
from sandgate.kernel.grant_codec import answers
from sandgate.kernel.helper_process import reap, sealed_plan, start_helper
from sandgate.kernel.number_rows import packed_descriptors
from sandgate.kernel.plan_codec import (
    BEGIN,
    EMPTY_NETWORK,
    KILL,
    LENT_LAYERS,
    LENT_NETWORK,
    PACKET_BYTES_MAX,
    PLAN,
    PREPARE,
    SIGNAL,
    STOP_HOLDING,
    WAITS,
    Finished,
    LetGo,
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

    from sandgate.kernel.layer_mounts import LayerLoan
    from sandgate.kernel.networks import EmptyNetworks, Network
    from sandgate.kernel.plan_codec import Packet, Switch
    from sandgate.protocol.confinement import ExecFailure
    from sandgate.protocol.held_calls import FoundHost, HeldCall, PerformedCall
    from sandgate.protocol.permissions import Grant, NetworkMode

PROBE_LIMIT_MS = 2000
_SIGKILL = 9  # the signal module costs an import of `enum`


class HelperChild:
    """A command under a helper. See `kernel.child.Child` for the contract."""

    def __init__(
        self, pid: int, status: socket, lent: Network | None = None, layers_lent: LayerLoan | None = None
    ) -> None:
        self.pid = pid
        self._lent = lent
        self._layers_lent = layers_lent
        self.ended: Ended | None = None
        self.failure: SetupFailure | ExecFailure | None = None
        self.refused: list[Refused] = []
        self.locked: list[str] = []
        self.unserved: list[str] = []
        self.may_listen = False
        self.held: list[HeldCall] = []
        self.let_go: list[int] = []
        self.performed_calls: list[PerformedCall] = []
        self.performed_omitted = 0
        self.refused_omitted = 0
        self.reported = False
        self.layers: tuple[str, ...] = ()
        self._status: socket | None = status
        self._reaped = False

    def descriptors(self) -> tuple[int, ...]:
        return () if self._status is None else (self._status.fileno(),)

    def handle(self, fd: int) -> None:
        if self._status is None or fd != self._status.fileno():
            return
        try:
            packet = self._status.recv(PACKET_BYTES_MAX, MSG_DONTWAIT)
        except BlockingIOError:
            return
        except ConnectionResetError:
            return  # it ended without reading all we said; told once, and its last packet is still to be read
        self._take(decode(packet) if packet else None)

    def signal_group(self, number: int) -> None:
        self._ask(request(SIGNAL, number))

    def kill_tree(self) -> None:
        self._ask(request(KILL))

    def begin(self) -> None:
        """The command may run: for a plan that was started with `waits`."""
        self._ask(request(BEGIN), flags=MSG_NOSIGNAL)

    def give_up(self, failure: SetupFailure) -> None:
        """The command must not run, and will not have: instead of `begin`."""
        self.failure = failure
        self.close()

    def answer(self, number: int, grants: tuple[Grant, ...], hosts: tuple[FoundHost, ...] = (), /) -> None:
        for message in answers(number, grants, hosts):
            self._ask(message, flags=MSG_NOSIGNAL)  # waits for room: an answer that is lost leaves its caller waiting

    def stop_holding(self) -> None:
        self._ask(request(STOP_HOLDING), flags=MSG_NOSIGNAL)

    def processes(self) -> tuple[int, ...]:
        from sandgate.kernel.process_tree import descendants

        return descendants(self.pid)[1:]  # the first is the init of its namespace, which runs nothing of theirs

    def settle_in(self) -> None:
        if self._lent is not None:
            self._lent.give_back()  # the command keeps it alive; we need the descriptors

    def close(self) -> None:
        if self._status is not None:
            self._status.close()  # the helper takes this as: kill everything
            self._status = None
            if self.failure is None:
                self.ended = Ended(128 + _SIGKILL, _SIGKILL)
        if not self._reaped:
            status = reap(self.pid)
            self._reaped = True
            _part(self._lent, status)
            if self._layers_lent is not None:
                self._layers_lent.give_back(outdated="outdated_loan" in self.layers)

    def _ask(self, what: bytes, *, flags: int = MSG_DONTWAIT | MSG_NOSIGNAL) -> None:
        if self._status is None:
            return
        try:
            self._status.send(what, flags)
        except OSError:
            return  # it is over; its last packet is still to be read

    def _note(self, refused: Refused) -> None:
        if refused.operation == "lock":
            self.locked.append(refused.path or "")
        elif refused.operation == "unserved":
            self.unserved.append(refused.address or "")
        elif refused.operation == "listens":
            self.may_listen = True
        else:
            self.refused.append(refused)

    def _take(self, packet: Packet | None) -> None:
        match packet:
            case Refused():
                return self._note(packet)
            case Finished():
                self.ended = packet.ended
                self.layers = packet.layers
                self.refused_omitted = packet.refused_omitted
                self.performed_omitted = packet.performed_omitted
                self.reported = "notify" in packet.layers
            case NotStarted():
                self.failure = packet.failure
                self.layers = packet.layers
            case LetGo():
                return self.let_go.append(packet.number)
            case None:  # the helper was killed; the kernel has killed the rest
                self.ended = Ended(128 + _SIGKILL, _SIGKILL)
            case _:
                return self._take_held(packet)
        return self._finish()

    def _take_held(self, packet: HeldCall | PerformedCall) -> None:
        from sandgate.protocol.held_calls import HeldCall

        if isinstance(packet, HeldCall):
            self.held.append(packet)
        else:
            self.performed_calls.append(packet)

    def _finish(self) -> None:
        # After its last packet, or the hang-up, the helper only clears up: `close` waits for that.
        if self._status is not None:
            self._status.close()
            self._status = None


class Prepared:
    """A helper that builds what is the same for every plan, and waits for the plan.

    It must be started or discarded, and soon: its mounts are a copy of the host's from the time it was made. What the
    host mounts later may be missing from the view. Files are not copied, and what a plan says about paths is carried
    out when the plan arrives, so nothing that it hides or protects is older than the plan.
    """

    __slots__ = ("_lent", "_pid", "_status", "helper", "network")

    def __init__(self, pid: int, status: socket, helper: str, network: NetworkMode, lent: Network | None) -> None:
        self._pid = pid
        self._lent = lent
        self._status: socket | None = status
        self.helper = helper
        self.network = network

    def start(
        self,
        plan: ConfinedCommand,
        *,
        stdin: int,
        stdout: int,
        stderr: int,
        without: Iterable[Switch] = (),
        waits: bool = False,
        layers: LayerLoan | None = None,
    ) -> HelperChild:
        """Starts `plan`, whose network mode is ours, with the three descriptors as its stdio; they stay the caller's.
        One that `waits` has its sandbox built, and runs with `HelperChild.begin`. Its overlays are those of `layers`,
        where there are some, which the child gives back.

        `without` switches layers off, for tests. Raises RequestError for a plan that cannot be encoded, OSError when
        it cannot be handed over; then the helper is gone.
        """
        try:
            encoded = encode(plan, without=without)
            return self.start_encoded(encoded, stdin=stdin, stdout=stdout, stderr=stderr, waits=waits, layers=layers)
        except BaseException:
            if layers is not None:
                layers.give_back()
            self.discard()
            raise

    def start_encoded(
        self,
        plan: bytes,
        *,
        stdin: int,
        stdout: int,
        stderr: int,
        waits: bool = False,
        layers: LayerLoan | None = None,
    ) -> HelperChild:
        """As `start`, for a plan that is bytes already; it is not discarded when this raises."""
        status = self._status
        if status is None:
            raise AssertionError("a prepared helper starts one plan")
        memory = sealed_plan(plan)
        try:
            rights = packed_descriptors(memory, stdin, stdout, stderr)
            words = (WAITS if waits else 0) | (LENT_LAYERS if layers is not None else 0)
            status.sendmsg((request(PLAN, words),), ((SOL_SOCKET, SCM_RIGHTS, rights),), MSG_NOSIGNAL)
            if layers is not None:
                layers.send_to(status)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it could not build the rest and has ended: its last packet says why
        finally:
            os.close(memory)
        self._status = None
        return HelperChild(self._pid, status, self._lent, layers)

    def discard(self) -> None:
        """Nothing will be started: ends the helper and all it built. May be repeated, and after `start`."""
        if self._status is not None:
            self._status.close()
            self._status = None
            _part(self._lent, reap(self._pid))


def prepare(helper: str, *, network: NetworkMode, networks: EmptyNetworks | None = None, covers: int = 0) -> Prepared:
    """Starts the program at the absolute path `helper`, for a plan with this network mode that is still to come.

    `covers` is what the plan will probably hide (`covers_of`); another number costs time and nothing else. An empty
    network comes from `networks`, if there is one to be had. Raises OSError when the helper cannot be started. That it
    cannot build a sandbox is told when a plan is started.
    """
    lent = networks.lend(helper) if networks is not None and network == "off" else None
    wanted = (EMPTY_NETWORK if network == "off" else 0) | (LENT_NETWORK if lent is not None else 0) | covers

    def order(status: socket) -> None:
        status.send(request(PREPARE, wanted))
        if lent is not None:
            lent.send_to(status)

    try:
        pid, ours = start_helper(helper, order)
    except BaseException:
        if lent is not None:
            lent.give_back()
        raise
    return Prepared(pid, ours, helper, network, lent)


def start(
    plan: ConfinedCommand, *, stdin: int, stdout: int, stderr: int, helper: str, without: Iterable[Switch] = ()
) -> HelperChild:
    """Prepares a helper and starts `plan` with it, at once."""
    network: NetworkMode = "on" if "net" in without else plan.permissions.network
    prepared = prepare(helper, network=network)
    return prepared.start(plan, stdin=stdin, stdout=stdout, stderr=stderr, without=without)


def _part(lent: Network | None, status: int | None) -> None:
    """A helper that ended by itself has seen everything inside die before it did."""
    if lent is None:
        return
    if status == 0:
        lent.give_back()
    else:
        lent.discard()


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

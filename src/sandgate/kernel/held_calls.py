"""Refused calls of a command under Landlock that wait for an answer, and those that need none any more.

The supervisor's thread holds them, tells of them and carries out what was granted; answers come from the thread that
attends the command, as orders. A call stays in the kernel until it is answered, and nothing of it is read again. The
same as native/held.c, with the same promises (`kernel.child.Child`).
"""

from __future__ import annotations

import errno
import os
import posixpath
from collections import deque

from sandgate.kernel.connections import GivenConnections, could_be_made, make_connection
from sandgate.kernel.deeds import WantedConnection
from sandgate.kernel.given_grants import GivenGrants
from sandgate.kernel.own_names import OwnNames
from sandgate.kernel.performing import Performer
from sandgate.kernel.waiting import AnswerLater, CallFails, Opened, Returned, Unanswered, own_umask
from sandgate.protocol.held_calls import WITHIN_EARLIER, HeldCall, PerformedCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.kernel.deeds import Deed
    from sandgate.kernel.path_access import PathAccess
    from sandgate.kernel.waiting import Answer, WaitingCall
    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.denials import Operation, Refused
    from sandgate.protocol.permissions import Grant

    Send = Callable[[int, Answer], None]  # the id of a notification, and what it gets

HELD_MAX = 1024  # calls at one time; one more is refused at once
HELD_LOOK_MS = 100  # how long a caller may be gone before we notice
PERFORMED_MAX = 256  # calls that are told one by one; further ones are counted


class _Waiting:
    """One call that waits."""

    __slots__ = ("call", "deed", "number", "refused")

    def __init__(self, number: int, call: WaitingCall, deed: Deed | WantedConnection, refused: Refused) -> None:
        self.number = number
        self.call = call
        self.deed = deed
        self.refused = refused  # to be recorded when the answer is no


class CallKeeper:
    """Those of one command. All but `order` and what it was told belong to the supervisor's thread."""

    def __init__(self, plan: ConfinedCommand, access: PathAccess, tell: Callable[[], None]) -> None:
        """`tell` is called when there is something new for whoever attends the command."""
        self.held: list[HeldCall] = []
        self.let_go: list[int] = []
        self.performed_calls: list[PerformedCall] = []
        self.performed_omitted = 0
        self.has_made = False  # something that no rule of Landlock knows
        self._holds = plan.holds_calls
        self._own = OwnNames()
        self._grants = GivenGrants(access, self._own)
        self._connections = GivenConnections()
        self._performer = Performer(self._grants, self._own, umask=own_umask())
        self._tell = tell
        self._waiting: dict[int, _Waiting] = {}
        self._told_of: set[tuple[int, Operation]] = set()  # of connections by -1 - number of the grant
        self._orders: deque[tuple[int, tuple[Grant, ...]] | None] = deque()
        for grant in plan.supervised_grants:
            self._add(grant)

    @property
    def takes_over(self) -> bool:
        """Whether refused calls are to be shown here at all."""
        return self._holds or len(self._grants) + len(self._connections) > 0

    @property
    def look_ms(self) -> int | None:
        """How soon `look` is due."""
        return HELD_LOOK_MS if self._waiting else None

    def order(self, number: int, grants: tuple[Grant, ...]) -> None:
        """From any thread: see `Child.answer`. Carried out by the next `obey`."""
        self._orders.append((number, grants))

    def order_stop(self) -> None:
        """From any thread: see `Child.stop_holding`."""
        self._orders.append(None)

    def take_over(self, call: WaitingCall, deed: Deed | WantedConnection, refused: Refused) -> Answer | None:
        """Carried out, or to wait; None for a refusal as ever."""
        call.confirm()  # what was read for the deed belongs to the caller
        answer = self._perform(deed, refused.operation, WITHIN_EARLIER)
        if answer is not None:
            return answer
        if not self._holds or not refused.host_allows or len(self._waiting) >= HELD_MAX:
            return None
        possible = could_be_made(deed) if isinstance(deed, WantedConnection) else self._performer.could_be_allowed(deed)
        if not possible:
            return None
        number = len(self.held) + 1
        self._waiting[call.notification.id] = _Waiting(number, call, deed, refused)
        path, other = (None, "") if isinstance(deed, WantedConnection) else _names(deed)
        self.held.append(HeldCall(number, refused.but(path=path), other))
        self._tell()
        return Unanswered()

    def obey(self, send: Send) -> None:
        """Carries out the orders that have come."""
        while self._orders:
            order = self._orders.popleft()
            if order is None:
                self.refuse_all(send)
                continue
            number, grants = order
            for grant in grants:
                self._add(grant)
            self._answer(number, grants, send)

    def look(self) -> None:
        """Lets go of calls whose callers are gone."""
        for identity in list(self._waiting):
            self._let_go_if_gone(identity)

    def refuse_all(self, send: Send) -> None:
        """Whatever waits now, or comes later, gets its errno at once."""
        self._holds = False
        for identity in list(self._waiting):
            self._refuse(identity, send)

    def close(self) -> None:
        """The command is over."""
        self._own.close()

    def _answer(self, number: int, grants: tuple[Grant, ...], send: Send) -> None:
        concerned = [
            identity
            for identity, waiting in self._waiting.items()
            if waiting.number == number or any(_may_reach(grant, waiting.deed) for grant in grants)
        ]
        for identity in concerned:
            if self._let_go_if_gone(identity):
                continue
            waiting = self._waiting[identity]
            answer = self._perform(waiting.deed, waiting.refused.operation, waiting.number)
            if answer is not None:
                del self._waiting[identity]
                send(identity, answer)
            elif waiting.number == number:
                self._refuse(identity, send)

    def _let_go_if_gone(self, identity: int) -> bool:
        waiting = self._waiting[identity]
        if waiting.call.still_waits():
            return False
        del self._waiting[identity]
        self.let_go.append(waiting.number)
        self._tell()
        return True

    def _refuse(self, identity: int, send: Send) -> None:
        waiting = self._waiting.pop(identity)
        waiting.call.observed.add(waiting.refused)
        send(identity, CallFails(getattr(errno, waiting.refused.errno)))

    def _add(self, grant: Grant) -> None:
        self._grants.add(grant)
        self._connections.add(grant)

    def _perform(self, deed: Deed | WantedConnection, operation: Operation, number: int) -> Answer | None:
        if isinstance(deed, WantedConnection):
            return self._connect(deed, number)
        performed = self._performer.perform(deed) if len(self._grants) else None
        if performed is None:
            return None
        path, other = _names(deed)
        self._note(performed.grant, PerformedCall(number, operation, path, other, performed.error))
        if performed.error:
            return CallFails(performed.error)
        self.has_made = True
        if performed.fd is not None:
            return Opened(performed.fd, cloexec=bool(deed.flags & os.O_CLOEXEC))
        return Returned()

    def _connect(self, connection: WantedConnection, number: int) -> Answer | None:
        permit = self._connections.permit(connection)
        return None if permit is None else self._told(make_connection(connection), connection, number, permit)

    def _told(self, answer: Answer, connection: WantedConnection, number: int, permit: int) -> Answer:
        """The answer; what came of the connection is noted, at once or when that is known."""
        if isinstance(answer, AnswerLater):
            return AnswerLater(lambda: self._told(_tried(answer.retry), connection, number, permit))
        code = answer.errno if isinstance(answer, CallFails) else 0
        self._note(-1 - permit, PerformedCall(number, "connect", connection.text, "", code))
        return answer

    def _note(self, grant: int, performed: PerformedCall) -> None:
        """Once for each grant and operation; of a held call always, as long as there is room."""
        key = (grant, performed.operation)
        known = performed.number == WITHIN_EARLIER and key in self._told_of
        if known or len(self.performed_calls) >= PERFORMED_MAX:
            self.performed_omitted += 1
            return
        self._told_of.add(key)
        self.performed_calls.append(performed)
        self._tell()


def _names(deed: Deed) -> tuple[str, str]:
    return deed.at.path, deed.to.path if deed.to is not None else ""


def _tried(work: Callable[[], Answer]) -> Answer:
    try:
        return work()
    except OSError as error:
        return CallFails(error.errno or errno.EIO)


def _may_reach(grant: Grant, deed: Deed | WantedConnection) -> bool:
    """Whether it is worth looking closer: it is about the same name, one that begins with it, or one beside a file."""
    if isinstance(deed, WantedConnection):
        return deed.grant == grant
    place = grant.value.rstrip("/")
    beside = posixpath.dirname(place) if grant.kind == "write_path" else None
    for spot in (deed.at, deed.to):
        if spot is not None and (spot.path.startswith(place) or posixpath.dirname(spot.path) == beside):
            return True
    return False

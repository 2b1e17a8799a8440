"""Connections that a command was given at its refused calls, or from its start, and how they are made.

A socket file is connected to in place: it is the one that was shown, or nothing. To a host we connect a socket of our
own, outside, and put it in place of the caller's, which is a dummy (`socket_calls`). It is handed over only once it is
connected for good: such a socket can neither be connected elsewhere nor listen. ip(7), SECCOMP_ADDFD_FLAG_SETFD
"""

from __future__ import annotations

import _socket
import errno
import os
import stat

from sandgate.kernel.beneath import open_canonical
from sandgate.kernel.borrowed_socket import borrow_same, has_outcome
from sandgate.kernel.capabilities import WithoutPowers
from sandgate.kernel.object_identity import identity_at
from sandgate.kernel.socket_address import unix_address
from sandgate.kernel.syscalls import caller
from sandgate.kernel.waiting import AnswerLater, CallFails, Replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.kernel.borrowed_socket import BorrowedSocket
    from sandgate.kernel.deeds import Spot, WantedConnection
    from sandgate.kernel.waiting import Answer
    from sandgate.protocol.permissions import Grant

KINDS = ("host", "unix_socket")
GIVEN_MAX = 1024  # connections of one command; one more is not given


def make_connection(connection: WantedConnection) -> Answer:
    """Connects, as soon as it can be done; what goes wrong is the caller's error."""
    try:
        with borrow_same(connection.pid, connection.number, connection.inode) as socket:
            if connection.at is not None:
                return _connect_to_file(socket, connection.at)
            return _HostSocket(connection, waits=socket.waits).connect()
    except OSError as error:
        return CallFails(error.errno or errno.EIO)


def could_be_made(connection: WantedConnection) -> bool:
    """False where nobody listens on this machine's own loopback: to ask would only waste somebody's time."""
    if connection.at is not None or not connection.address.is_local:
        return True
    from sandgate.kernel.process_tree import is_listened_on

    return is_listened_on(connection.address.port)


class GivenConnections:
    """Those of one command."""

    def __init__(self) -> None:
        self._grants: list[Grant] = []

    def __len__(self) -> int:
        return len(self._grants)

    def add(self, grant: Grant) -> None:
        """Those of other kinds give nothing here."""
        if grant.kind in KINDS and grant not in self._grants and len(self) < GIVEN_MAX:
            self._grants.append(grant)

    def permit(self, connection: WantedConnection) -> int | None:
        """The number of the grant that covers it."""
        return self._grants.index(connection.grant) if connection.grant in self._grants else None


class _HostSocket:
    """A connection to a host, on its way."""

    def __init__(self, connection: WantedConnection, *, waits: bool) -> None:
        self._connection = connection
        self._waits = waits
        made = _socket.socket(connection.address.family, _socket.SOCK_STREAM | _socket.SOCK_NONBLOCK)
        self._fd = made.detach()

    def __del__(self) -> None:
        if self._fd >= 0:  # nobody waits for it any more
            os.close(self._fd)

    def connect(self) -> Answer:
        """Begins, and asks again how it went: until connect itself says so, the kernel takes it for unconnected."""
        raw = self._connection.address.raw
        try:
            caller().call("connect", self._fd, raw, len(raw))
        except OSError as error:
            if error.errno in (errno.EINPROGRESS, errno.EALREADY):
                return AnswerLater(self._look)
            if error.errno != errno.EISCONN:
                return CallFails(error.errno or errno.EIO)
        return self._handed_over()

    def _look(self) -> Answer:
        return self.connect() if has_outcome(self._fd) else AnswerLater(self._look)

    def _handed_over(self) -> Answer:
        connection = self._connection
        with borrow_same(connection.pid, connection.number, connection.inode):
            pass  # still so, long after it was asked for
        os.set_blocking(self._fd, self._waits)
        fd, self._fd = self._fd, -1
        return Replaced(fd, connection.number, cloexec=_is_closed_on_exec(connection.pid, connection.number))


def _connect_to_file(socket: BorrowedSocket, file: Spot) -> Answer:
    if socket.domain != _socket.AF_UNIX:
        return CallFails(errno.EINVAL)
    directory, _, name = file.path.rpartition("/")
    with WithoutPowers():
        parent = open_canonical(directory or "/", os.O_PATH | os.O_DIRECTORY)
        try:
            if identity_at(parent)[0] != file.parent:
                return CallFails(errno.EACCES)
            held = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
        finally:
            os.close(parent)
        try:
            found, mode = identity_at(held)
            if found != file.meant or not stat.S_ISSOCK(mode):
                return CallFails(errno.EACCES)
            return socket.connect(unix_address(f"/proc/self/fd/{held}"))
        finally:
            os.close(held)


def _is_closed_on_exec(pid: int, number: int) -> bool:
    with open(f"/proc/{pid}/fdinfo/{number}", "rb") as file:
        flags = file.read(4096).partition(b"flags:")[2].split(None, 1)[0]
    return bool(int(flags, 8) & os.O_CLOEXEC)

"""socket, connect, bind and sendto of a confined command.  unix(7), ip(7), pidfd_getfd(2)

With the network off no internet socket ever exists inside: `socket` is answered with an unconnected unix socket
in its place, so that the following `connect` comes here with its address, is recorded, and fails with EPERM. The
dummy can reach nothing, whatever is done with it.

A connection to a host that was granted is made outside, and takes the place of the dummy (`connections`).

A unix socket file is reachable if it is granted or if the command bound it itself. We take the caller's socket by
descriptor and connect or bind it ourselves, to a file we hold open: no address in its memory is trusted.
"""

from __future__ import annotations

import _socket
import errno
import os
import stat
from functools import partial

from sandgate.kernel.call_rules import AF_INET, AF_INET6, AF_UNIX
from sandgate.kernel.places import MagicLink, OpenFile, OpenPlace, find_place
from sandgate.kernel.syscalls import caller
from sandgate.kernel.target import AT_FDCWD
from sandgate.kernel.waiting import SOCKETS_MAX, CallFails, Opened, Returned, may_enter_names, may_write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.kernel.borrowed_socket import BorrowedSocket
    from sandgate.kernel.deeds import Deed, WantedConnection
    from sandgate.kernel.socket_address import SocketAddress
    from sandgate.kernel.waiting import Answer, Observed, WaitingCall
    from sandgate.protocol.denials import Operation

_INTERNET = (AF_INET, AF_INET6)
# What stands for an internet socket of each kind. Of datagrams neither can be sent anywhere.
_DUMMIES = {_socket.SOCK_STREAM: _socket.SOCK_STREAM, _socket.SOCK_DGRAM: _socket.SOCK_SEQPACKET}


def socket_call(call: WaitingCall) -> Answer:
    """Only reached for internet families with the network off, and for what may never exist; so is socketpair."""
    family, kind = call.int32(0), call.int32(1)
    if family not in (AF_INET, AF_INET6) or call.name == "socketpair":
        return call.deny("other", address=f"{family} {kind & 0xF}", code=errno.EPERM, layer="seccomp")
    stands_for_it = _DUMMIES.get(kind & 0xF)
    if stands_for_it is None:
        return call.deny("connect", code=errno.EPERM, layer="network", host_allows=os.geteuid() == 0)
    dummy = _socket.socket(_socket.AF_UNIX, stands_for_it | (kind & _socket.SOCK_NONBLOCK), 0)
    return Opened(dummy.detach(), cloexec=bool(kind & _socket.SOCK_CLOEXEC))


def refused_call(call: WaitingCall) -> Answer:
    """A call that no process inside may make, held for the record alone."""
    call.confirm()
    return call.deny("other", code=errno.EPERM, layer="seccomp")


def missed_call(call: WaitingCall) -> Answer:
    """A call that nobody has inside, as on an older kernel, held for the record alone."""
    call.confirm()
    return call.deny("other", code=errno.ENOSYS, layer="seccomp")


def sendto_call(call: WaitingCall) -> Answer:
    """Only reached with an address and the network off."""
    return _no_network(call, _address(call, 4))


def connect_call(call: WaitingCall) -> Answer:
    """connect, to whatever family."""
    address = _address(call, 1)
    if address.family == AF_UNIX:
        return _connect_unix(call, address)
    if address.family in _INTERNET and not call.observed.network:
        return _connect_host(call, address)
    with _borrow(call) as borrowed:
        # With the network off what is no unix socket is one that we have connected: so it stays.
        if borrowed.domain == AF_UNIX or not call.observed.network:
            return CallFails(errno.EINVAL)
        return borrowed.connect(address.raw)


def bind_call(call: WaitingCall) -> Answer:
    """bind, to whatever family."""
    address = _address(call, 1)
    if address.family == AF_UNIX:
        return _bind_unix(call, address)
    if address.family in _INTERNET and not call.observed.network:
        return _no_network(call, address, "bind")
    with _borrow(call) as borrowed:
        if borrowed.domain == AF_UNIX:
            return CallFails(errno.EINVAL)
        caller().call("bind", borrowed.fd, address.raw, len(address.raw))
        return Returned()


def _borrow(call: WaitingCall) -> BorrowedSocket:
    from sandgate.kernel.borrowed_socket import BorrowedSocket

    borrowed = BorrowedSocket(call.target.pid, call.int32(0))
    call.confirm()
    return borrowed


def _connect_host(call: WaitingCall, address: SocketAddress) -> Answer:
    """With the network off: made from outside where it was granted."""
    with _borrow(call) as borrowed:
        if borrowed.domain != AF_UNIX:
            return CallFails(errno.EISCONN)
        if borrowed.kind != _socket.SOCK_STREAM:  # of datagrams a host would see more than was granted
            return _no_network(call, address)
        connection = _connection(call, borrowed, address)
    if str(address) in call.observed.granted_hosts:
        from sandgate.kernel.connections import make_connection

        return make_connection(connection)
    return _no_network(call, address, wanted=lambda: connection)


def _connection(
    call: WaitingCall, borrowed: BorrowedSocket, address: SocketAddress, place: OpenPlace | None = None, held: int = -1
) -> WantedConnection:
    from sandgate.kernel.deeds import WantedConnection, spot_of

    at = None if place is None else spot_of(place, of=held)
    return WantedConnection(call.target.pid, call.int32(0), borrowed.inode, address, at)


def _address(call: WaitingCall, index: int) -> SocketAddress:
    from sandgate.kernel.socket_address import SOCKADDR_MAX, SocketAddress

    size = call.int32(index + 1)
    if not 0 < size <= SOCKADDR_MAX:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    return SocketAddress(call.target.exactly(call.arguments[index], size))


def _no_network(
    call: WaitingCall,
    address: SocketAddress,
    operation: Operation = "connect",
    wanted: Callable[[], WantedConnection | None] | None = None,
) -> Answer:
    call.confirm()
    return call.deny(operation, address=str(address), code=errno.EPERM, layer="network", deed=wanted)


def _connect_unix(call: WaitingCall, address: SocketAddress) -> Answer:
    if not address.path:
        if not _is_own_name(call.observed, address.abstract):
            call.confirm()
            return call.deny("connect", address=str(address), code=errno.EPERM, layer="seccomp")
        with _borrow(call) as borrowed:
            return borrowed.connect(address.raw)
    from sandgate.kernel.socket_address import unix_address

    with _find(call, address.path, follow=True) as place:
        held = os.open(place.name or ".", os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place.parent)
        try:
            status = os.fstat(held)
            call.confirm()
            if not stat.S_ISSOCK(status.st_mode):
                return CallFails(errno.ECONNREFUSED)
            own = (status.st_dev, status.st_ino) in call.observed.sockets
            if not own and place.path not in call.observed.granted_sockets:
                return call.deny(
                    "connect",
                    address=f"unix:{place.path}",
                    path=place.path,
                    code=errno.EPERM,
                    layer="seccomp",
                    host_allows=may_write(place.path),
                    deed=lambda: _wanted_file(call, address, place, held),
                )
            with _borrow(call) as borrowed:
                return borrowed.connect(unix_address(f"/proc/self/fd/{held}"))
        finally:
            os.close(held)


def _is_own_name(observed: Observed, abstract: bytes) -> bool:
    """Whether a socket of the command has it; it may be another's as soon as that socket is closed."""
    if abstract not in observed.abstract:
        return False
    from sandgate.kernel.socket_diag import bound_name

    return bound_name(observed.abstract[abstract]) == abstract


def _wanted_file(call: WaitingCall, address: SocketAddress, place: OpenPlace, held: int) -> WantedConnection | None:
    with _borrow(call) as borrowed:
        connection = _connection(call, borrowed, address, place, held)
    return connection if connection.at is not None else None  # where only the kernel has anything


def _bind_unix(call: WaitingCall, address: SocketAddress) -> Answer:
    if not address.path:
        from sandgate.kernel.socket_diag import bound_name

        if len(call.observed.abstract) >= SOCKETS_MAX:
            return CallFails(errno.ENFILE)
        with _borrow(call) as borrowed:
            caller().call("bind", borrowed.fd, address.raw, len(address.raw))
            bound = bound_name(borrowed.inode)
            if bound is not None:
                call.observed.abstract[bound] = borrowed.inode
            return Returned()
    with _find(call, address.path, follow=False) as place:
        call.confirm()
        if place.exists:
            return CallFails(errno.EADDRINUSE)
        if len(call.observed.sockets) >= SOCKETS_MAX:
            return CallFails(errno.ENFILE)
        if not call.access.writable(place.path):
            return call.deny(
                "bind",
                address=f"unix:{place.path}",
                path=place.path,
                host_allows=may_enter_names(place.directory),
                deed=lambda: _wanted_name(call, place),
            )
        return _bind_at(call, place, address)


def _bind_at(call: WaitingCall, place: OpenPlace, address: SocketAddress) -> Answer:
    from sandgate.kernel.confined_bind import bind_at

    cwd = None if address.path.startswith("/") else _base(call)
    try:
        with _borrow(call) as borrowed:
            with borrowed.made_under(call.target.umask):
                bind_at(borrowed.fd, address, place, call.access, cwd=cwd)
            _note_bound(call.observed, place.parent, place.name, borrowed)
    finally:
        if cwd is not None:
            os.close(cwd)
    return Returned()


def _wanted_name(call: WaitingCall, place: OpenPlace) -> Deed | None:
    """A socket file to be made on the caller's own socket."""
    from sandgate.kernel.deeds import make_deed

    deed = make_deed("bind", place, 0o777, umask := call.target.umask)
    if deed is not None:
        with _borrow(call) as borrowed:
            if borrowed.domain != AF_UNIX:
                return None
            deed.make = partial(_bind_there, call, borrowed.inode, umask)
    return deed


def _bind_there(call: WaitingCall, inode: int, umask: int, directory: int, name: str) -> None:
    from sandgate.kernel.borrowed_socket import borrow_same

    with borrow_same(call.target.pid, call.int32(0), inode) as borrowed:
        borrowed.bind_in(directory, name, umask)
        _note_bound(call.observed, directory, name, borrowed)


def _note_bound(observed: Observed, directory: int, name: str, socket: BorrowedSocket) -> None:
    """From now on the command may connect to it, unless the name belongs to the file of another socket by now."""
    from sandgate.kernel.socket_diag import INODE_MASK, bound_file

    held = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
    status = os.fstat(held)
    if (
        bound_file(socket.inode) != status.st_ino & INODE_MASK
        or observed.sockets.setdefault((status.st_dev, status.st_ino), held) != held
    ):
        os.close(held)


def _base(call: WaitingCall) -> int:
    return os.open(call.target.base(AT_FDCWD), os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)


def _find(call: WaitingCall, path: str, *, follow: bool) -> OpenPlace:
    try:
        return find_place(call.target, AT_FDCWD, path, follow=follow)
    except (MagicLink, OpenFile) as error:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM)) from error

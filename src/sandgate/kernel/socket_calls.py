"""socket, connect, bind and sendto of a confined command.  unix(7), ip(7), pidfd_getfd(2)

With the network off no internet socket ever exists inside: `socket` is answered with an unconnected unix socket
in its place, so that the following `connect` comes here with its address, is recorded, and fails with EPERM. The
dummy can reach nothing, whatever is done with it.

A unix socket file is reachable if it is granted or if the command bound it itself. We take the caller's socket by
descriptor and connect or bind it ourselves, to a file we hold open: no address in its memory is trusted.
"""

from __future__ import annotations

import _socket
import errno
import fcntl
import os
import select
import stat
import struct

from sandgate.kernel.call_rules import AF_INET, AF_INET6, AF_UNIX
from sandgate.kernel.confined_bind import bind_below
from sandgate.kernel.pidfd import copy_descriptor
from sandgate.kernel.places import MagicLink, OpenFile, OpenPlace, find_place
from sandgate.kernel.syscalls import caller
from sandgate.kernel.target import AT_FDCWD
from sandgate.kernel.waiting import SOCKETS_MAX, AnswerLater, CallFails, Opened, Returned, may_enter_names, may_write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.kernel.waiting import Answer, WaitingCall
    from sandgate.protocol.denials import Operation

SOCKADDR_MAX = 128  # bytes, sizeof(struct sockaddr_storage)
_FAMILY_BYTES = 2
_INTERNET = (_socket.SOCK_STREAM, _socket.SOCK_DGRAM)


class SocketAddress:
    """A socket address as the caller wrote it."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.family = int.from_bytes(raw[:_FAMILY_BYTES], "little") if len(raw) >= _FAMILY_BYTES else -1
        body = raw[_FAMILY_BYTES:]
        self.abstract = body if self.family == AF_UNIX and body[:1] == b"\0" else b""
        self.path = os.fsdecode(body.partition(b"\0")[0]) if self.family == AF_UNIX and not self.abstract else ""

    def __str__(self) -> str:
        port = int.from_bytes(self.raw[2:4], "big")
        if self.family == AF_INET and len(self.raw) >= 8:
            return f"{_socket.inet_ntop(_socket.AF_INET, self.raw[4:8])}:{port}"
        if self.family == AF_INET6 and len(self.raw) >= 24:
            return f"[{_socket.inet_ntop(_socket.AF_INET6, self.raw[8:24])}]:{port}"
        if self.abstract:
            return "unix:@" + self.abstract[1:].decode("utf-8", "replace")
        return f"unix:{self.path}" if self.family == AF_UNIX else f"family {self.family}"


def socket_call(call: WaitingCall) -> Answer:
    """Only reached for internet families with the network off, and for what may never exist; so is socketpair."""
    family, kind = call.int32(0), call.int32(1)
    if family not in (AF_INET, AF_INET6) or call.name == "socketpair":
        return call.deny("other", address=f"{family} {kind & 0xF}", code=errno.EPERM, layer="seccomp")
    if kind & 0xF not in _INTERNET:
        return call.deny("connect", code=errno.EPERM, layer="network", host_allows=os.geteuid() == 0)
    dummy = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | (kind & _socket.SOCK_NONBLOCK), 0)
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
    if address.family in (AF_INET, AF_INET6) and not call.observed.network:
        return _no_network(call, address)
    with _Borrowed(call) as borrowed:
        if borrowed.domain == AF_UNIX:
            return CallFails(errno.EINVAL)
        return borrowed.connect(address.raw)


def bind_call(call: WaitingCall) -> Answer:
    """bind, to whatever family."""
    address = _address(call, 1)
    if address.family == AF_UNIX:
        return _bind_unix(call, address)
    if address.family in (AF_INET, AF_INET6) and not call.observed.network:
        return _no_network(call, address, "bind")
    with _Borrowed(call) as borrowed:
        if borrowed.domain == AF_UNIX:
            return CallFails(errno.EINVAL)
        caller().call("bind", borrowed.fd, address.raw, len(address.raw))
        return Returned()


class _Borrowed:
    """The caller's socket in our hands."""

    def __init__(self, call: WaitingCall) -> None:
        self.fd = copy_descriptor(call.target.pid, call.int32(0))
        try:
            call.confirm()
            self.domain = self._option(_socket.SO_DOMAIN)
        except BaseException:
            os.close(self.fd)
            raise
        self._keep = False

    def __enter__(self) -> _Borrowed:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._keep:
            os.close(self.fd)

    def connect(self, raw: bytes) -> Answer:
        """Connects without blocking us; a caller that would have waited waits on."""
        status = fcntl.fcntl(self.fd, fcntl.F_GETFL)
        fcntl.fcntl(self.fd, fcntl.F_SETFL, status | os.O_NONBLOCK)
        try:
            caller().call("connect", self.fd, raw, len(raw))
            return Returned()
        except BlockingIOError as error:
            if status & os.O_NONBLOCK or error.errno != errno.EINPROGRESS:
                return CallFails(error.errno or errno.EAGAIN)
            self._keep = True
            return AnswerLater(self._outcome)
        finally:
            fcntl.fcntl(self.fd, fcntl.F_SETFL, status)

    def _outcome(self) -> Answer:
        poller = select.poll()
        poller.register(self.fd, select.POLLOUT)
        if not poller.poll(0):
            return AnswerLater(self._outcome)
        try:
            failed = self._option(_socket.SO_ERROR)
        finally:
            os.close(self.fd)
        return CallFails(failed) if failed else Returned()

    def _option(self, name: int) -> int:
        value, size = bytearray(4), bytearray(struct.pack("=I", 4))
        import ctypes

        caller().call(
            "getsockopt",
            self.fd,
            _socket.SOL_SOCKET,
            name,
            (ctypes.c_char * 4).from_buffer(value),
            (ctypes.c_char * 4).from_buffer(size),
        )
        return int.from_bytes(value, "little")


def _address(call: WaitingCall, index: int) -> SocketAddress:
    size = call.int32(index + 1)
    if not 0 < size <= SOCKADDR_MAX:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    return SocketAddress(call.target.exactly(call.arguments[index], size))


def _no_network(call: WaitingCall, address: SocketAddress, operation: Operation = "connect") -> Answer:
    call.confirm()
    return call.deny(operation, address=str(address), code=errno.EPERM, layer="network")


def _connect_unix(call: WaitingCall, address: SocketAddress) -> Answer:
    if not address.path:
        if address.abstract not in call.observed.abstract:
            call.confirm()
            return call.deny("connect", address=str(address), code=errno.EPERM, layer="seccomp")
        with _Borrowed(call) as borrowed:
            return borrowed.connect(address.raw)
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
                )
            with _Borrowed(call) as borrowed:
                return borrowed.connect(_unix(f"/proc/self/fd/{held}"))
        finally:
            os.close(held)


def _bind_unix(call: WaitingCall, address: SocketAddress) -> Answer:
    if not address.path:
        if len(call.observed.abstract) >= SOCKETS_MAX:
            return CallFails(errno.ENFILE)
        with _Borrowed(call) as borrowed:
            caller().call("bind", borrowed.fd, address.raw, len(address.raw))
            name = _socket.socket(fileno=os.dup(borrowed.fd))
            try:
                bound = name.getsockname()
            finally:
                name.close()
            call.observed.abstract.add(bound if isinstance(bound, bytes) else os.fsencode(bound))
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
            )
        return _bind_at(call, place, address)


def _bind_at(call: WaitingCall, place: OpenPlace, address: SocketAddress) -> Answer:
    base = None if address.path.startswith("/") else _base(call)
    try:
        with _Borrowed(call) as borrowed:
            bind_below(borrowed.fd, address.raw, directory=place.parent, base=base)
    finally:
        if base is not None:
            os.close(base)
    held = os.open(place.name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place.parent)
    status = os.fstat(held)
    known = call.observed.sockets.setdefault((status.st_dev, status.st_ino), held)
    if known != held:
        os.close(held)
    return Returned()


def _base(call: WaitingCall) -> int:
    return os.open(call.target.base(AT_FDCWD), os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)


def _find(call: WaitingCall, path: str, *, follow: bool) -> OpenPlace:
    try:
        return find_place(call.target, AT_FDCWD, path, follow=follow)
    except (MagicLink, OpenFile) as error:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM)) from error


def _unix(path: str) -> bytes:
    raw = struct.pack("=H", AF_UNIX) + os.fsencode(path)
    if len(raw) > 109:  # sizeof(struct sockaddr_un) - 1
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    return raw + b"\0"

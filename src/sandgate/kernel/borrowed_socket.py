"""The socket of a caller in our hands.  pidfd_getfd(2), connect(2), unix(7)

The same file as the caller's, by a descriptor of ours: what is done to it is done to the caller's. A number may come to
mean another file while a call waits, so a socket is known by its inode.
"""

from __future__ import annotations

import _socket
import errno
import fcntl
import os
import select
import struct
from contextlib import contextmanager

from sandgate.kernel.pidfd import copy_descriptor
from sandgate.kernel.socket_address import unix_address
from sandgate.kernel.syscalls import caller
from sandgate.kernel.waiting import AnswerLater, CallFails, Returned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.kernel.waiting import Answer


class BorrowedSocket:
    """Use it in a `with`: our descriptor is closed behind it, or once a connection that takes longer is over."""

    def __init__(self, pid: int, number: int) -> None:
        """The file that `pid` has open as `number`. OSError EBADF for none, ENOTSOCK for another kind."""
        self.fd = copy_descriptor(pid, number)
        self._keep = False
        self.domain = self._option(_socket.SO_DOMAIN)
        self.kind = self._option(_socket.SO_TYPE)
        self.inode = os.fstat(self.fd).st_ino

    def __enter__(self) -> BorrowedSocket:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._keep:
            self._close()

    def __del__(self) -> None:
        self._close()  # nobody asks any more how its connection went

    @property
    def waits(self) -> bool:
        """Whether its owner waits for what takes time."""
        return not fcntl.fcntl(self.fd, fcntl.F_GETFL) & os.O_NONBLOCK

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

    def bind_in(self, directory: int, name: str, umask: int) -> None:
        """Binds it to what is made as `name` in `directory`: no path is walked, and a link in its place not followed.

        That file has at most the mode that `umask` leaves; ours may take more.
        """
        raw = unix_address(f"/proc/self/fd/{directory}/{name}")
        with self.made_under(umask):
            caller().call("bind", self.fd, raw, len(raw))

    @contextmanager
    def made_under(self, umask: int) -> Iterator[None]:
        """A file that is made for it meanwhile has at most the mode that `umask` leaves."""
        mode = os.fstat(self.fd).st_mode & 0o7777
        os.fchmod(self.fd, mode & ~umask)  # the file gets the mode of its socket
        try:
            yield
        finally:
            os.fchmod(self.fd, mode)

    def _outcome(self) -> Answer:
        if not has_outcome(self.fd):
            return AnswerLater(self._outcome)
        try:
            failed = self._option(_socket.SO_ERROR)
        finally:
            self._close()
        return CallFails(failed) if failed else Returned()

    def _close(self) -> None:
        fd, self.fd = getattr(self, "fd", -1), -1
        if fd >= 0:
            os.close(fd)

    def _option(self, name: int) -> int:
        import ctypes

        value, size = bytearray(4), bytearray(struct.pack("=I", 4))
        caller().call(
            "getsockopt",
            self.fd,
            _socket.SOL_SOCKET,
            name,
            (ctypes.c_char * 4).from_buffer(value),
            (ctypes.c_char * 4).from_buffer(size),
        )
        return int.from_bytes(value, "little")


def borrow_same(pid: int, number: int, inode: int) -> BorrowedSocket:
    """The socket that `pid` had as `number` once. OSError EBADF when that is another file by now."""
    try:
        borrowed = BorrowedSocket(pid, number)
    except OSError as error:
        if error.errno != errno.ENOTSOCK:
            raise
        raise OSError(errno.EBADF, os.strerror(errno.EBADF)) from error
    if borrowed.inode != inode:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    return borrowed


def has_outcome(fd: int) -> bool:
    """Whether a connection that was begun is made, or has failed."""
    poller = select.poll()
    poller.register(fd, select.POLLOUT)
    return bool(poller.poll(0))

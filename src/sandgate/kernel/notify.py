"""The supervising end of seccomp user notification.  seccomp_unotify(2), Linux 5.0; ADDFD_SEND 5.14

A thread under the filter waits in its call until we answer. `resume` lets the kernel carry the call out with
whatever its arguments are *then*; so it may only be used where another layer of the kernel refuses what must
not be. When the listener is closed every waiting and later call fails with ENOSYS.
"""

from __future__ import annotations

import errno
import fcntl
import struct

from sandgate.record import Record

# <linux/seccomp.h>: _IOWR('!', 0, 80), _IOWR('!', 1, 24), _IOW('!', 2, 8), _IOW('!', 3, 24)
_RECEIVE, _SEND, _IS_VALID, _ADD_FD = 0xC0502100, 0xC0182101, 0x40082102, 0x40182103
_NOTIFICATION = struct.Struct("=QIIiIQ6Q")  # struct seccomp_notif with its seccomp_data
_CONTINUE = 1  # SECCOMP_USER_NOTIF_FLAG_CONTINUE
_ADD_FD_SET, _ADD_FD_SEND = 1, 2  # SECCOMP_ADDFD_FLAG_SETFD, _SEND
_CLOEXEC = 0o2000000
LISTENER_FLAGS = 8 | 32  # SECCOMP_FILTER_FLAG_NEW_LISTENER | WAIT_KILLABLE_RECV (5.19)


class Notification(Record):
    """One call that waits for an answer."""

    id: int
    tid: int  # the calling thread, in our pid namespace
    number: int
    arguments: tuple[int, ...]  # six registers, unsigned

    def int32(self, index: int) -> int:
        """An argument the kernel takes as a signed 32-bit int."""
        value = self.arguments[index] & 0xFFFFFFFF
        return value - (1 << 32) if value & 0x80000000 else value


class Listener:
    """Receives notifications and answers each exactly once. Does not own the descriptor."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def receive(self) -> Notification | None:
        """The next waiting call; None when its thread died before we looked. Blocks unless the fd polls readable."""
        buffer = bytearray(_NOTIFICATION.size)
        try:
            fcntl.ioctl(self.fd, _RECEIVE, buffer, True)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.EINTR):
                return None
            raise
        identity, tid, _, number, _, _, *arguments = _NOTIFICATION.unpack(buffer)
        return Notification(identity, tid, number, tuple(arguments))

    def valid(self, identity: int) -> bool:
        """Whether the caller still waits: only then did what we read through its pid belong to it."""
        try:
            fcntl.ioctl(self.fd, _IS_VALID, struct.pack("=Q", identity))
        except OSError:
            return False
        return True

    def answer(self, identity: int, value: int) -> None:
        """The call returns `value`."""
        self._send(struct.pack("=QqiI", identity, value, 0, 0))

    def refuse(self, identity: int, code: int) -> None:
        """The call fails with errno `code`."""
        self._send(struct.pack("=QqiI", identity, 0, -code, 0))

    def resume(self, identity: int) -> None:
        """The kernel carries the call out itself."""
        self._send(struct.pack("=QqiI", identity, 0, 0, _CONTINUE))

    def inject(self, identity: int, fd: int, *, cloexec: bool) -> None:
        """The call returns a new descriptor of the caller's, for the file we have open as `fd`."""
        request = struct.pack("=QIIII", identity, _ADD_FD_SEND, fd, 0, _CLOEXEC if cloexec else 0)
        try:
            fcntl.ioctl(self.fd, _ADD_FD, request)
        except OSError as error:
            if error.errno != errno.ENOENT:
                self.refuse(identity, error.errno or errno.EIO)  # its table is full, say so

    def replace(self, identity: int, fd: int, number: int, *, cloexec: bool) -> None:
        """The caller's descriptor `number` becomes the file we have open as `fd`, and the call returns 0."""
        request = struct.pack("=QIIII", identity, _ADD_FD_SET, fd, number, _CLOEXEC if cloexec else 0)
        try:
            fcntl.ioctl(self.fd, _ADD_FD, request)
        except OSError as error:
            if error.errno != errno.ENOENT:
                self.refuse(identity, error.errno or errno.EIO)
            return
        self.answer(identity, 0)

    def _send(self, response: bytes) -> None:
        try:
            fcntl.ioctl(self.fd, _SEND, bytearray(response), True)
        except OSError as error:
            if error.errno != errno.ENOENT:  # the caller was killed meanwhile
                raise

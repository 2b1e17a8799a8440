"""Shows a port of a sandbox's network on this host's loopback.  native/serve.c

The listening socket is made here, on 127.0.0.1 and nowhere else, so no other host reaches it; a helper takes it into
the sandbox's network and carries bytes. Of the host nothing gets in but those. It lives as long as our end of its
socket.
"""

from __future__ import annotations

import os
from _socket import AF_INET, SCM_RIGHTS, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket
from errno import EPROTO
from fcntl import ioctl
from struct import Struct

from sandgate.kernel.helper_process import reap, start_helper
from sandgate.kernel.plan_codec import PACKET_BYTES_MAX, SERVE, SERVING, NotStarted, decode, request
from sandgate.protocol.confinement import SetupFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.kernel.networks import Parts

LOOPBACK = "127.0.0.1"
WAITING_MAX = 64  # connections in the listener's queue, beyond those that are carried (SERVED_MAX of native/serve.h)
READY_LIMIT_S = 5.0  # for the helper to get into the network
NS_GET_USERNS = 0xB701  # <linux/nsfs.h>, Linux 4.9

_DESCRIPTORS = Struct("=3i")  # the network's owner, the network, the listener
_SAID = Struct("<II")
_READY, _NOBODY = range(2)  # enum serving of native/serve.h


class ServedPort:
    """A port that is shown until `close`, or until we end."""

    __slots__ = ("_pid", "_status", "host_port", "port")

    def __init__(self, pid: int, status: socket, port: int, host_port: int) -> None:
        self._pid = pid
        self._status: socket | None = status
        self.port = port  # inside
        self.host_port = host_port

    def met_nobody(self) -> bool:
        """A connection came, and no process listened inside; said once."""
        try:
            return self._status is not None and self._status.recv(PACKET_BYTES_MAX) == _SAID.pack(SERVING, _NOBODY)
        except BlockingIOError:
            return False

    def close(self) -> None:
        """No connection is let in any more, and those that are open are cut off. May be repeated."""
        if self._status is not None:
            self._status.close()
            self._status = None
            reap(self._pid)

    def __del__(self) -> None:
        self.close()


def listener_on(host_port: int) -> socket:
    """A socket on this host's loopback. Raises OSError: EADDRINUSE where the port is taken."""
    listener = socket(AF_INET, SOCK_STREAM)
    try:
        listener.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)  # not kept by connections that are over
        listener.bind((LOOPBACK, host_port))
        listener.listen(WAITING_MAX)
    except BaseException:
        listener.close()
        raise
    return listener


def serve(helper: str, network: Parts, port: int, listener: socket) -> ServedPort:
    """Carries the connections accepted at `listener` to `port` of the network. Everything given stays the caller's.

    Raises OSError when the helper cannot be started, or cannot get into the network.
    """
    rights = _DESCRIPTORS.pack(*network, listener.fileno())

    def order(status: socket) -> None:
        status.send(request(SERVE, port))
        status.sendmsg((b"\0",), ((SOL_SOCKET, SCM_RIGHTS, rights),))

    pid, ours = start_helper(helper, order)
    served = ServedPort(pid, ours, port, listener.getsockname()[1])
    try:
        ours.settimeout(READY_LIMIT_S)
        _await_ready(ours)
        ours.setblocking(False)
    except BaseException:
        served.close()
        raise
    return served


def network_of(pid: int) -> Parts:
    """The network of a process, and the user namespace that owns it: two descriptors. Raises OSError."""
    itself = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return ioctl(itself, NS_GET_USERNS), itself
    except BaseException:
        os.close(itself)
        raise


def _await_ready(status: socket) -> None:
    packet = status.recv(PACKET_BYTES_MAX)
    if packet == _SAID.pack(SERVING, _READY):
        return
    said = decode(packet) if packet else None
    failure = said.failure if isinstance(said, NotStarted) else None
    step = f"cannot {failure.step}: {failure.errno}" if isinstance(failure, SetupFailure) else "it said nothing"
    raise OSError(EPROTO, step)

"""The empty network of one session, shared by all its commands.

A server that one command started is reached by the next one: commands of a session have one loopback, with nothing
behind it. The kernel takes longer to make and to clear away a network than everything else a sandbox consists of, so
it is also kept between them: two descriptors, no process, gone with the session. A caller that runs one command only
needs none to share. native/lent_network.c says why no command can change it, and what a dead one leaves in it.
"""

from __future__ import annotations

import os
from _socket import CMSG_SPACE, MSG_CMSG_CLOEXEC, MSG_NOSIGNAL, SCM_RIGHTS, SOL_SOCKET
from _thread import allocate_lock

from sandgate.kernel.helper_process import reap, start_helper
from sandgate.kernel.number_rows import DESCRIPTOR_BYTES, packed_descriptors, unpacked_descriptors
from sandgate.kernel.plan_codec import NETWORK, PACKET_BYTES_MAX, request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable

    Parts = tuple[int, int]  # descriptors: the user namespace that owns it, and the namespace itself

RECEIVE_LIMIT_S = 2.0
PARTS_BYTES = 2 * DESCRIPTOR_BYTES


class Network:
    """The session's network, lent to one command: descriptors of its own."""

    __slots__ = ("_networks", "parts")

    def __init__(self, parts: Parts, networks: EmptyNetworks) -> None:
        self.parts: Parts | None = parts
        self._networks = networks

    def send_to(self, status: socket) -> None:
        """Lends it on to a helper."""
        assert self.parts is not None  # neither given back nor discarded yet
        send_parts(status, self.parts)

    def give_back(self) -> None:
        """The session needs the descriptors no more; what runs in it goes on. May be repeated."""
        parts, self.parts = self.parts, None
        if parts is not None:
            close_parts(parts)

    def discard(self) -> None:
        """Something of a command may be left in it that is not ended: the next ones get another. May be repeated."""
        if self.parts is not None:
            self._networks.close()
        self.give_back()

    def __del__(self) -> None:
        self.give_back()  # a caller that was interrupted has forgotten it


class EmptyNetworks:
    """May be shared by threads, and not by processes: a forked one makes its own."""

    __slots__ = ("_can_make", "_changing", "_common", "_owner", "_wanted")

    def __init__(self) -> None:
        self._wanted = True
        self._can_make = True  # until it failed once: this host will not change its mind
        self._common: Parts | None = None
        self._owner = who()
        self._changing = allocate_lock()

    def expect_one_command(self) -> None:
        """The first command is probably the last: it makes a network for itself, which is quicker."""
        self._wanted = False

    def expect_company(self) -> None:
        """The first command's network is needed by another command, too."""
        self._wanted = True

    def lend(self, helper: str) -> Network | None:
        """The session's network; None for an only command, or when none can be made: then each makes its own."""
        if who() != self._owner:
            self.close()
            self._owner = who()
        with self._changing:
            wanted, self._wanted = self._wanted, True
            if self._common is None and wanted:
                self._common = self._make(helper)
            return None if self._common is None else Network(copies(self._common), self)

    def close(self) -> None:
        """Who is in the network keeps it; who comes later gets another. May be repeated."""
        with self._changing:
            parts, self._common = self._common, None
        if parts is not None:
            close_parts(parts)

    def __del__(self) -> None:
        self.close()

    def _make(self, helper: str) -> Parts | None:
        try:
            made = make_network(helper) if self._can_make else None
        except OSError:  # the next start of the helper says why
            made = None
        self._can_make = made is not None
        return made


def copies(parts: Parts) -> Parts:
    """Raises OSError when there are no descriptors left."""
    owner = os.dup(parts[0])
    try:
        return owner, os.dup(parts[1])
    except OSError:
        os.close(owner)
        raise


def close_parts(parts: Parts) -> None:
    """Whoever else has them keeps them."""
    for part in parts:
        os.close(part)


def send_parts(status: socket, parts: tuple[int, ...]) -> None:
    """Lends them to a helper, in a message of their own. Raises OSError."""
    rights = packed_descriptors(*parts)
    status.sendmsg((b"\0",), ((SOL_SOCKET, SCM_RIGHTS, rights),), MSG_NOSIGNAL)


def make_network(helper: str) -> Parts | None:
    """Has the helper make one; None when it could not. Raises OSError when the helper cannot be started."""
    return made_parts(helper, _order_network)


def made_parts(helper: str, order: Callable[[socket], None]) -> Parts | None:
    """What a helper makes by this order; None when it could not. Raises OSError when it cannot be started."""
    pid, ours = start_helper(helper, order)
    try:
        ours.settimeout(RECEIVE_LIMIT_S)
        return _received(ours)
    except OSError:
        return None
    finally:
        ours.close()
        reap(pid)


def _order_network(status: socket) -> None:
    status.send(request(NETWORK))


def _received(status: socket) -> Parts | None:
    _packet, ancillary, _flags, _address = status.recvmsg(PACKET_BYTES_MAX, CMSG_SPACE(PARTS_BYTES), MSG_CMSG_CLOEXEC)
    for level, kind, content in ancillary:
        if (level, kind, len(content)) == (SOL_SOCKET, SCM_RIGHTS, PARTS_BYTES):
            owner, itself = unpacked_descriptors(content)
            return owner, itself
    return None


def who() -> tuple[int, int, int]:
    """Another user, or a forked process, must not use the namespaces of this one."""
    return os.getpid(), os.geteuid(), os.getegid()

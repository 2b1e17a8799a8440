"""The empty networks of one session, each lent to one command at a time.

The kernel takes longer to make and to clear away a network than everything else a sandbox consists of. So from its
second command on a session keeps one for every command that runs at the same time: two descriptors, no process, gone
with the session. native/lent_network.c says why nothing of one command is left for the next.
"""

from __future__ import annotations

import os
from _socket import CMSG_SPACE, MSG_CMSG_CLOEXEC, SCM_RIGHTS, SOL_SOCKET
from struct import Struct

from sandgate.kernel.helper_process import reap, start_helper
from sandgate.kernel.plan_codec import NETWORK, PACKET_BYTES_MAX, request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket

    Parts = tuple[int, int]  # descriptors: the user namespace that owns it, and the network namespace

IDLE_MAX = 8  # networks kept for later; more only exist while more commands than that run at once
RECEIVE_LIMIT_S = 2.0
PARTS = Struct("=2i")


class Network:
    """One network, lent. Given back when everything that ran in it is dead, and else discarded."""

    __slots__ = ("_networks", "parts")

    def __init__(self, parts: Parts, networks: EmptyNetworks) -> None:
        self.parts: Parts | None = parts
        self._networks = networks

    def send_to(self, status: socket) -> None:
        """Lends it on to a helper."""
        assert self.parts is not None  # neither given back nor discarded yet
        status.sendmsg((b"\0",), ((SOL_SOCKET, SCM_RIGHTS, PARTS.pack(*self.parts)),))

    def give_back(self) -> None:
        parts, self.parts = self.parts, None
        if parts is not None:
            self._networks.take_back(parts)

    def discard(self) -> None:
        """The network goes when nothing runs in it any more. May be repeated, and after it was given back."""
        parts, self.parts = self.parts, None
        if parts is not None:
            _close(parts)

    def __del__(self) -> None:
        self.discard()  # whoever was interrupted has forgotten it


class EmptyNetworks:
    """May be shared by threads, and not by processes: a forked one makes its own."""

    __slots__ = ("_asked", "_can_make", "_idle", "_owner")

    def __init__(self) -> None:
        self._asked = 0
        self._can_make = True  # until it failed once: this host will not change its mind
        self._idle: list[Parts] = []
        self._owner = _who()

    def lend(self, helper: str) -> Network | None:
        """A network nobody uses; None for the first command, or when it cannot be made: then each makes its own."""
        self._asked += 1
        if _who() != self._owner:
            self.close()
            self._owner = _who()
        try:
            parts: Parts | None = self._idle.pop()
        except IndexError:
            parts = None if self._asked == 1 else self._make(helper)
        return None if parts is None else Network(parts, self)

    def take_back(self, parts: Parts) -> None:
        if len(self._idle) < IDLE_MAX and _who() == self._owner:
            self._idle.append(parts)
        else:
            _close(parts)

    def close(self) -> None:
        """Discards what is not lent. May be repeated."""
        while self._idle:
            _close(self._idle.pop())

    def __del__(self) -> None:
        self.close()

    def _make(self, helper: str) -> Parts | None:
        try:
            made = make_network(helper) if self._can_make else None
        except OSError:  # the next start of the helper says why
            made = None
        self._can_make = made is not None
        return made


def _close(parts: Parts) -> None:
    for part in parts:
        os.close(part)


def make_network(helper: str) -> Parts | None:
    """Has the helper make one; None when it could not. Raises OSError when the helper cannot be started."""
    pid, ours = start_helper(helper, _order_network)
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
    _packet, ancillary, _flags, _address = status.recvmsg(PACKET_BYTES_MAX, CMSG_SPACE(PARTS.size), MSG_CMSG_CLOEXEC)
    for level, kind, content in ancillary:
        if (level, kind, len(content)) == (SOL_SOCKET, SCM_RIGHTS, PARTS.size):
            owner, itself = PARTS.unpack(content)
            return owner, itself
    return None


def _who() -> tuple[int, int, int]:
    """Another user, or a forked process, must not use the networks of this one."""
    return os.getpid(), os.geteuid(), os.getegid()

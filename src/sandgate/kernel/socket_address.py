"""Socket addresses as a caller writes them, and as people read them.  unix(7), ip(7), ipv6(7)"""

from __future__ import annotations

import _socket
import errno
import os

from sandgate.kernel.call_rules import AF_INET, AF_INET6, AF_UNIX

SOCKADDR_MAX = 128  # bytes, sizeof(struct sockaddr_storage)
UNIX_PATH_MAX = 107  # bytes, one less than sun_path, for the zero behind it
_FAMILY_BYTES = 2
_MAPPED = bytes(10) + b"\xff\xff"  # before the IPv4 address that an IPv6 address stands for, RFC 4291


class SocketAddress:
    """One of them."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.family = int.from_bytes(raw[:_FAMILY_BYTES], "little") if len(raw) >= _FAMILY_BYTES else -1
        body = raw[_FAMILY_BYTES:]
        self.abstract = body if self.family == AF_UNIX and body[:1] == b"\0" else b""
        self.path = os.fsdecode(body.partition(b"\0")[0]) if self.family == AF_UNIX and not self.abstract else ""

    @property
    def port(self) -> int:
        """Of an internet address."""
        return int.from_bytes(self.raw[2:4], "big")

    @property
    def is_local(self) -> bool:
        """Whether it is this machine's own loopback, or nowhere, which means the same."""
        host = self._host
        if len(host) == 4:
            return host[0] == 127 or not any(host)
        return len(host) == 16 and not any(host[:15]) and host[15] <= 1

    def __str__(self) -> str:
        host = self._host
        if len(host) == 4:
            return f"{_socket.inet_ntop(_socket.AF_INET, host)}:{self.port}"
        if host:
            return f"[{_socket.inet_ntop(_socket.AF_INET6, host)}]:{self.port}"
        if self.abstract:
            return "unix:@" + self.abstract[1:].decode("utf-8", "replace")
        return f"unix:{self.path}" if self.family == AF_UNIX else f"family {self.family}"

    @property
    def _host(self) -> bytes:
        if self.family == AF_INET and len(self.raw) >= 8:
            return self.raw[4:8]
        if self.family != AF_INET6 or len(self.raw) < 24:
            return b""
        host = self.raw[8:24]
        return host.removeprefix(_MAPPED)


def unix_address(path: str) -> bytes:
    """The address of the socket file `path`. OSError ENAMETOOLONG."""
    name = os.fsencode(path)
    if len(name) > UNIX_PATH_MAX:
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    return AF_UNIX.to_bytes(_FAMILY_BYTES, "little") + name + b"\0"

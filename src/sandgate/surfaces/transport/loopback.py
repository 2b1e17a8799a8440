"""Sockets on the loopback address, and the names under which a client may mean them."""

from __future__ import annotations

import socket

from sandgate.errors import RequestError

ADDRESSES = {"127.0.0.1": "127.0.0.1", "::1": "::1", "localhost": "127.0.0.1"}
"""What may be listened on, as it is called and as it is."""


def listen_on(host: str, port: int) -> socket.socket:
    """A socket on the loopback address; `port` 0 takes a free one. Raises RequestError for any other address."""
    address = ADDRESSES.get(host)
    if address is None:
        raise RequestError(
            f"cannot serve on `{host}`",
            why="the token and everything said would travel unencrypted; only 127.0.0.1, ::1 and localhost are served",
            hint="serve on 127.0.0.1 and forward the port: ssh -L PORT:127.0.0.1:PORT THIS_MACHINE",
        )
    if not 0 <= port <= 65535:
        raise RequestError(f"cannot serve on port `{port}`", why="a port is a number from 0 to 65535")
    listening = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # does not share the port, only skips its rest
        listening.bind((address, port))
    except OSError as problem:
        listening.close()
        raise RequestError(f"cannot serve on `{host}` port {port}", why=problem.strerror or "") from problem
    return listening


def authority_of(listening: socket.socket) -> str:
    """`host:port`, as clients name it."""
    address, port = listening.getsockname()[:2]
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def own_authorities(listening: socket.socket) -> frozenset[str]:
    """The addresses a client may have meant. No page can be served under the name `localhost` but by this machine."""
    port = listening.getsockname()[1]
    own = {authority_of(listening), f"localhost:{port}"}
    if port == 80:  # then clients leave it out
        own |= {authority.removesuffix(":80") for authority in own}
    return frozenset(own)

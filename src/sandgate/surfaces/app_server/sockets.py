"""Many clients over WebSocket: on the loopback address, each with a token, or on a Unix socket that is the user's own.

A port is open to every user and every web page of the machine, so over TCP the address asked for must be ours, no page
may have sent the request, and the token must be known. A Unix socket lies where the file system lets the user alone
come to it, and the kernel says who does.
"""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import struct
from collections import deque
from contextlib import suppress
from http import HTTPStatus

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from sandgate.display import visible
from sandgate.errors import RequestError
from sandgate.surfaces.app_server.connection import Connection
from sandgate.surfaces.app_server.handlers import HANDLERS
from sandgate.surfaces.app_server.messages import MESSAGE_BYTES_MAX
from sandgate.surfaces.transport.loopback import authority_of, listen_on, own_authorities
from sandgate.surfaces.transport.signals import ending_signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from websockets.http11 import Request, Response

    from sandgate.surfaces.app_server.threads import OpenThreads
    from sandgate.surfaces.transport.tokens import Tokens

CLIENTS_MAX = 64  # of one server
OUTPUT_BYTES_MAX = 32 * 1024 * 1024  # owed to one client that does not read
HANDSHAKE_SECONDS_MAX = 10.0
GOODBYE_SECONDS = 1.0  # for a client to say goodbye, too
BACKLOG = 64  # connections the kernel holds for us
SOCKET_MODE = 0o600
HEALTH = ("/readyz", "/healthz")
BEARER = "bearer "
_CREDENTIALS = struct.Struct("iII")  # of the process at the other end: its number, its user, its group; unix(7)


async def serve_sockets(
    threads: OpenThreads, listening: socket.socket, tokens: Tokens | None, *, announce: Callable[[str], None]
) -> int:
    """Serve until a signal says so; its number. Every thread ends with it.

    `tokens`: None for a Unix socket. `announce` is called with the address once it can be connected to.
    """
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    door = _Door(listening, tokens)
    clients = _Clients(threads)

    def heard(number: int) -> None:
        if not ended.done():
            ended.set_result(number)

    with ending_signals(heard):
        try:
            async with serve(
                clients.served,
                sock=listening,
                process_request=door,
                compression=None,  # a small message must not become a large one
                max_size=MESSAGE_BYTES_MAX,
                open_timeout=HANDSHAKE_SECONDS_MAX,
                close_timeout=GOODBYE_SECONDS,
                server_header=None,
            ):
                announce(address_of(listening))
                return await ended
        finally:
            await threads.close()


def listen_at(path: str) -> socket.socket:
    """A Unix socket that only this user can connect to; one that nobody listens on any more is replaced.

    Raises RequestError.
    """
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _remove_left_over(path)
        before = os.umask(0o777 & ~SOCKET_MODE)
        try:
            listening.bind(path)
        finally:
            os.umask(before)
        listening.listen(BACKLOG)
    except OSError as problem:
        listening.close()
        raise RequestError(f"cannot listen at `{visible(path)}`", why=problem.strerror or str(problem)) from problem
    return listening


def remove_own(path: str, listening: tuple[int, int]) -> None:
    """Takes the socket file away, if it is still the one that `made_at` told of."""
    with suppress(FileNotFoundError):
        if made_at(path) == listening:
            os.unlink(path)


def made_at(path: str) -> tuple[int, int]:
    """Which file it is: device and inode."""
    status = os.lstat(path)
    return status.st_dev, status.st_ino


def listen_on_port(port: int) -> socket.socket:
    """The loopback address. Raises RequestError."""
    return listen_on("127.0.0.1", port)


def address_of(listening: socket.socket) -> str:
    """What a client is told to connect to."""
    if listening.family == socket.AF_UNIX:
        return f"unix://{listening.getsockname()}"
    return f"ws://{authority_of(listening)}"


class _Door:
    """Answers what is no client's, and lets in who may come."""

    def __init__(self, listening: socket.socket, tokens: Tokens | None) -> None:
        self._tokens = tokens
        self._authorities = None if tokens is None else own_authorities(listening)

    def __call__(self, connection: ServerConnection, request: Request) -> Response | None:
        hosts, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
        if self._authorities is not None and (len(hosts) != 1 or hosts[0].lower() not in self._authorities):
            return connection.respond(HTTPStatus.MISDIRECTED_REQUEST, "this server has another address\n")
        if origins:
            return connection.respond(HTTPStatus.FORBIDDEN, "web pages may not talk to this server\n")
        if request.path in HEALTH:
            return connection.respond(HTTPStatus.OK, "ok\n")
        return (
            None if self._is_known(connection, request) else connection.respond(HTTPStatus.UNAUTHORIZED, "no token\n")
        )

    def _is_known(self, connection: ServerConnection, request: Request) -> bool:
        if self._tokens is None:
            return _user_of(connection.transport.get_extra_info("socket")) == os.geteuid()
        given = request.headers.get_all("Authorization")
        if len(given) != 1 or not given[0].lower().startswith(BEARER):
            return False
        return self._tokens.principal(given[0][len(BEARER) :].strip()) is not None


class _Clients:
    """Those that are connected."""

    def __init__(self, threads: OpenThreads) -> None:
        self._threads = threads
        self._count = 0

    async def served(self, wire: ServerConnection) -> None:
        """One of them, until it goes."""
        if self._count >= CLIENTS_MAX:
            await wire.close(1013, f"at most {CLIENTS_MAX} clients")
            return
        self._count += 1
        outgoing = Outgoing(wire)
        connection = Connection(self._threads, HANDLERS, outgoing.put)
        try:
            with suppress(ConnectionClosed):
                async for message in wire:
                    connection.receive(message.encode() if isinstance(message, str) else message)
                    await asyncio.sleep(0)  # what was asked begins in its order
        finally:
            self._count -= 1
            await connection.close()
            await outgoing.close()


class Outgoing:
    """What one client is owed, in order, and no more than it may be."""

    def __init__(self, wire: ServerConnection) -> None:
        self._wire = wire
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._arrived = asyncio.Event()
        self._writing = asyncio.ensure_future(self._write())

    def put(self, message: bytes) -> None:
        """A client that is owed too much is ended."""
        if self._bytes + len(message) > OUTPUT_BYTES_MAX:
            self._waiting.clear()
            self._wire.transport.abort()
            return
        self._bytes += len(message)
        self._waiting.append(message)
        self._arrived.set()

    async def close(self) -> None:
        """What is still owed is dropped."""
        self._writing.cancel()
        await asyncio.wait((self._writing,))

    async def _write(self) -> None:
        with suppress(ConnectionClosed):
            while True:
                await self._arrived.wait()
                self._arrived.clear()
                while self._waiting:
                    message = self._waiting.popleft()
                    await self._wire.send(message.decode())
                    self._bytes -= len(message)


def _user_of(connected: socket.socket) -> int:
    found = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _process, user, _group = _CREDENTIALS.unpack(found)
    return int(user)


def _remove_left_over(path: str) -> None:
    """A socket of a server that has ended. Anything else that lies there stays, and binding says so."""
    if not os.path.lexists(path) or not stat.S_ISSOCK(os.lstat(path).st_mode):
        return  # a connection to what is no socket is refused, too
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        try:
            asking.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
        except OSError:
            return

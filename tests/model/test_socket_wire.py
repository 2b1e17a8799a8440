"""What a server sends waits in the kernel until somebody reads it, and every end is noticed."""

from __future__ import annotations

import asyncio
import socket

import pytest

from sandgate.model.socket_wire import UNREAD_BYTES_MAX, SocketWire
from support.model.responses_server import LIMIT_S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

READ_BYTES = 256 * 1024  # of asyncio at once


def wired(then: Callable[[SocketWire, socket.socket], Awaitable[object]]) -> None:
    async def work() -> None:
        ours, theirs = socket.socketpair()
        _transport, wire = await asyncio.get_running_loop().create_connection(SocketWire, sock=ours)
        try:
            async with asyncio.timeout(LIMIT_S):
                await then(wire, theirs)
        finally:
            wire.abort()
            theirs.close()
            await asyncio.sleep(0)

    asyncio.run(work())


def test_what_is_sent_is_read_to_its_end() -> None:
    async def then(wire: SocketWire, theirs: socket.socket) -> None:
        theirs.sendall(b"hello")
        assert await wire.read() == b"hello"
        assert not wire.is_stale
        theirs.close()
        assert [await wire.read(), await wire.read()] == [b"", b""]
        assert wire.is_stale

    wired(then)


def test_a_fast_server_does_not_fill_our_memory() -> None:
    """Required: and nothing of what it sent is lost."""

    async def then(wire: SocketWire, theirs: socket.socket) -> None:
        theirs.setblocking(False)
        loop = asyncio.get_running_loop()
        sending = asyncio.ensure_future(loop.sock_sendall(theirs, b"x" * 8_000_000))
        while not wire._paused:
            await asyncio.sleep(0)
        assert len(wire._unread) <= UNREAD_BYTES_MAX + READ_BYTES
        assert not sending.done()
        read = 0
        while read < 8_000_000:
            read += len(await wire.read())
        await sending
        assert read == 8_000_000

    wired(then)


def test_who_waits_to_write_or_to_read_hears_of_the_end() -> None:
    async def then(wire: SocketWire, _theirs: socket.socket) -> None:
        writing = asyncio.ensure_future(wire.write(b"x" * 8_000_000))
        reading = asyncio.ensure_future(wire.read())
        await asyncio.sleep(0)
        assert not writing.done()
        wire.abort()
        await writing
        with pytest.raises(ConnectionAbortedError):
            await reading
        await wire.write(b"more")  # an end that the reader is told of

    wired(then)


def test_what_came_before_a_broken_connection_is_still_read() -> None:
    async def then(wire: SocketWire, _theirs: socket.socket) -> None:
        wire.data_received(b"hello")
        wire.connection_lost(ConnectionResetError("gone"))
        assert await wire.read() == b"hello"
        with pytest.raises(ConnectionResetError):
            await wire.read()

    wired(then)

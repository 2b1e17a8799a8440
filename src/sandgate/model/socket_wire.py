"""The bytes of one connection, read when they are wanted, so that a fast server cannot fill our memory."""

from __future__ import annotations

import asyncio

UNREAD_BYTES_MAX = 256 * 1024  # then the kernel keeps the rest, and the server waits


class SocketWire(asyncio.Protocol):
    """One connection, for one reader and one writer at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._unread = bytearray()
        self._over = False  # nothing more will come
        self._problem: Exception | None = None
        self._paused = False
        self._readable = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()

    @property
    def is_stale(self) -> bool:
        """Whether it can carry no further request: it is closed, or something came that was not asked for."""
        return self._over or bool(self._unread)

    async def read(self) -> bytes:
        """What has come, at least a byte; b"" at the end. Raises OSError when the connection breaks."""
        while not self._unread and not self._over:
            self._readable.clear()
            await self._readable.wait()
        if not self._unread and self._problem is not None:
            raise self._problem
        data = bytes(self._unread)
        self._unread.clear()
        if self._paused and self._transport is not None and not self._over:
            self._paused = False
            self._transport.resume_reading()
        return data

    async def write(self, data: bytes) -> None:
        """Returns when the kernel has nearly all of it, or the connection is over: there may still be an answer."""
        if self._transport is not None and not self._over:
            self._transport.write(data)
        await self._writable.wait()

    def abort(self) -> None:
        """Closes it at once, whatever is under way. May be repeated."""
        self._end(ConnectionAbortedError("the connection was closed here"))
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Of asyncio."""
        self._transport = transport  # type: ignore[assignment] # of a stream, it is one

    def data_received(self, data: bytes) -> None:
        """Of asyncio."""
        self._unread += data
        if len(self._unread) > UNREAD_BYTES_MAX and not self._paused and self._transport is not None:
            self._paused = True
            self._transport.pause_reading()
        self._readable.set()

    def eof_received(self) -> bool:
        """Of asyncio."""
        self._end(None)
        return False

    def connection_lost(self, problem: Exception | None) -> None:
        """Of asyncio."""
        self._end(problem)

    def pause_writing(self) -> None:
        """Of asyncio."""
        if not self._over:
            self._writable.clear()

    def resume_writing(self) -> None:
        """Of asyncio."""
        self._writable.set()

    def _end(self, problem: Exception | None) -> None:
        if not self._over:
            self._over, self._problem = True, problem
        self._readable.set()
        self._writable.set()

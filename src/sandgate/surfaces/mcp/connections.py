"""uvicorn's HTTP connection, with the limits it has not: how many, how long a request may take to arrive, how long a
reader may stand still.
"""

from __future__ import annotations

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio

CONNECTIONS_MAX = 512
HEADERS_BYTES_MAX = 16 * 1024  # of one request, its first line included; the door counts what comes in one piece
REQUEST_SECONDS_MAX = 30.0  # from the first byte of a request to its last; 8 MiB through a slow tunnel take 20
STALLED_SECONDS_MAX = 60.0  # for a client to read on, once what the kernel holds for it is full
KEEP_ALIVE_SECONDS = 30  # between two requests of a connection

_ARRIVING = (h11.IDLE, h11.SEND_BODY)


class HttpConnection(H11Protocol):
    """One TCP connection."""

    _arrival: asyncio.TimerHandle | None = None
    _stall: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Take it, or drop it when there are too many."""
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS_MAX:
            transport.abort()
        else:
            self._expect_a_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more will come."""
        self._arrived()
        self._moves_on()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """The clock of a request runs until all of it is here, answered or not."""
        super().data_received(data)
        if self.conn.their_state in _ARRIVING and not self.transport.is_closing():
            self._expect_a_request()
        else:
            self._arrived()

    def pause_writing(self) -> None:
        """The client does not read."""
        super().pause_writing()
        self._stall = self.loop.call_later(STALLED_SECONDS_MAX, self.transport.abort)

    def resume_writing(self) -> None:
        """It does again."""
        self._moves_on()
        super().resume_writing()

    def _expect_a_request(self) -> None:
        if self._arrival is None:
            self._arrival = self.loop.call_later(REQUEST_SECONDS_MAX, self.transport.abort)

    def _arrived(self) -> None:
        if self._arrival is not None:
            self._arrival.cancel()
            self._arrival = None

    def _moves_on(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None

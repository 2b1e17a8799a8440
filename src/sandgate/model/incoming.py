"""One response on its way in: its events in time, or why there are no more; and what becomes of its connection.

A connection whose response was read to its end can carry the next request. So after the last event that matters the
rest is read in the background, for a moment; everywhere else the connection is closed at once.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from sandgate.display import one_line
from sandgate.errors import ModelFailed, StreamBroken
from sandgate.model.events import EventCutter, EventTooLong
from sandgate.model.transport_errors import fault_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Mapping
    from typing import Protocol

    class Response(Protocol):
        """A response whose head is there."""

        @property
        def status_code(self) -> int: ...
        @property
        def headers(self) -> Mapping[str, str]: ...
        def aiter_raw(self) -> AsyncGenerator[bytes, None]: ...
        async def aclose(self) -> None: ...


EVENT_STREAM = "text/event-stream"
KIND_CHARS_MAX = 64  # of a content type, in words
STREAM_BYTES_MAX = 256 * 1024 * 1024  # of one answer, as sent
DRAIN_MS = 1_000  # for what follows the last event
DRAIN_BYTES_MAX = 64 * 1024
BODY_MS = 5_000  # for the words of a refusal
BODY_BYTES_MAX = 64 * 1024
WHOLE_BYTES_MAX = (
    16 * 1024 * 1024
)  # of an answer that is one piece; a conversation is kept in lines of a few times that
IDLE = "idle timeout waiting for SSE"


class Incoming:
    """The body of one response. Read it on one task; `close` or `drain` ends it."""

    def __init__(self, response: Response, *, provider: str, idle_ms: int) -> None:
        self._response = response
        self._pieces = response.aiter_raw()
        self._provider = provider
        self._idle_s = idle_ms / 1000
        self._clock = asyncio.get_running_loop().time
        self._deadline = self._clock() + self._idle_s
        self._cutter = EventCutter()
        self._read = 0
        self._has_event = False

    async def piece(self) -> bytes | None:
        """What the network brings next; None at the end of the stream.

        Raises StreamBroken when the connection breaks, or brought no whole event for too long.
        """
        limit = asyncio.timeout_at(self._deadline)
        try:
            async with limit:
                piece = await anext(self._pieces, None)
        except Exception as error:
            failed = StreamBroken(
                IDLE if limit.expired() else f"the connection to the provider `{self._provider}` broke",
                why="" if limit.expired() else fault_words(error),
            )
        else:
            self._read += len(piece or b"")
            if self._read > STREAM_BYTES_MAX:
                raise ModelFailed(f"the answer has more than {STREAM_BYTES_MAX} bytes")
            return piece
        raise failed  # outside, so that nothing of the library's own hangs on it

    def events(self, piece: bytes | None) -> Iterator[str]:
        """The data of the events that this piece completes. Time that the reader takes does not count as silence."""
        try:
            for data in self._cutter.end() if piece is None else self._cutter.feed(piece):
                self._has_event = True
                yield data
                self._deadline = self._clock() + self._idle_s
        except EventTooLong:
            raise ModelFailed(f"the provider `{self._provider}` sent an event that is too long") from None

    def require_events(self) -> None:
        """To be called at its end. Raises ModelFailed, as another attempt meets it too, when it was another text.

        A page for people, from what stands before the provider or at another address, is answered with status 200.
        """
        kind = self._response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if self._has_event or kind in ("", EVENT_STREAM):
            return
        raise ModelFailed(
            f"the provider `{self._provider}` answered with no stream of events",
            why=f"what it sent is `{one_line(kind, limit=KIND_CHARS_MAX)}`",
            hint="check `base_url`, and what stands between here and there",
        )

    async def whole(self) -> str:
        """The body, of an answer that is no stream; all of it has to come before the time of a silence is over.

        Raises StreamBroken, ModelFailed.
        """
        body = bytearray()
        while (piece := await self.piece()) is not None:
            body += piece
            if len(body) > WHOLE_BYTES_MAX:
                raise ModelFailed(f"the answer has more than {WHOLE_BYTES_MAX} bytes")
        return body.decode("utf-8", "replace")

    async def close(self) -> None:
        """Close the connection, whatever it is doing."""
        with suppress(Exception):
            await self._pieces.aclose()
        with suppress(Exception):
            await self._response.aclose()

    async def drain(self) -> None:
        """Read what is left, which should be nothing, and let the connection be used again; or close it."""
        await self._rest(DRAIN_MS, DRAIN_BYTES_MAX)

    async def body(self) -> bytes:
        """The words of a refusal, as far as they come in time; then as `drain`."""
        return await self._rest(BODY_MS, BODY_BYTES_MAX)

    async def _rest(self, limit_ms: int, bytes_max: int) -> bytes:
        rest = bytearray()
        try:
            with suppress(Exception):
                async with asyncio.timeout(limit_ms / 1000):
                    async for piece in self._pieces:
                        rest += piece
                        if len(rest) > bytes_max:
                            break
        finally:
            await self.close()
        return bytes(rest[:bytes_max])

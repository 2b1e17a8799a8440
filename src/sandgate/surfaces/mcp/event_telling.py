"""Tells a client what happens in a turn, while one of its requests is there to hear it.

Each event is a notification `codex/event`, in order, with the number that it has in its session: where a client's
protocol has nothing to hear with for a while, or it read too slowly, the numbers say what it has missed.
"""

from __future__ import annotations

import asyncio

from sandgate.protocol.events_wire import event_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.events import Event
    from sandgate.surfaces.mcp.asking import Context
    from sandgate.surfaces.mcp.client_thread import ServedTurn

METHOD = "codex/event"


class EventTelling:
    """For one request. Belongs to one event loop."""

    def __init__(self, context: Context, turn: ServedTurn) -> None:
        self._context = context
        self._thread = turn.thread
        self._delivering = asyncio.Lock()
        self._delivered = asyncio.Event()
        self._thread.listeners += 1
        self._task = asyncio.ensure_future(self._tell())
        self._task.add_done_callback(lambda _task: self._delivered.set())

    async def catch_up(self) -> None:
        """Everything that has happened until now is told, and nothing more by this request."""
        until = self._thread.happened
        while self._thread.told < until and not self._task.done():
            self._delivered.clear()
            await self._delivered.wait()
        async with self._delivering:  # so that no event is told half, and then again
            self._task.cancel()

    def stop(self) -> None:
        """The request is over. Called once."""
        self._thread.listeners -= 1
        self._task.cancel()

    async def _tell(self) -> None:
        async for event in self._thread.events():
            async with self._delivering:
                await self._put(event)
                self._thread.told = event.seq + 1
            self._delivered.set()

    async def _put(self, event: Event) -> None:
        told: dict[str, Any] = event_json(event, self._thread.id)
        meta = {"requestId": self._context.request_id, "threadId": self._thread.id}
        # The documented `send_notification` takes the protocol's own notifications alone.
        await self._context.session._request_outbound.notify(METHOD, {"_meta": meta, **told})

"""What was sent to a client over HTTP lately, so that a stream that broke can be taken up again.

The SDK asks one store for all sessions and names streams by the client's own request numbers, which two clients share
freely. So each session has a store of its own here, found through the request at hand: an event of another session
cannot even be named. A session's messages are stored by one task of the SDK's, and are forgotten when that task ends.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextvars import ContextVar
from weakref import WeakValueDictionary

from mcp.server.streamable_http import EventMessage, EventStore

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcp.server.streamable_http import EventCallback
    from mcp_types.jsonrpc import JSONRPCMessage

EVENTS_MAX = 1024  # kept for a session
EVENT_BYTES_MAX = 1024 * 1024  # kept for a session, as written


class StreamEvent(Record):
    """One message of one stream; a message of None only marks where the stream began."""

    stream: str
    name: str
    message: JSONRPCMessage | None
    size_bytes: int


class SessionEvents:
    """The latest events of one session; the oldest go first."""

    def __init__(self) -> None:
        self._events: deque[StreamEvent] = deque()
        self._kept_bytes = 0
        self._count = 0
        self._streams: dict[str, int] = {}
        self._task: asyncio.Task[object] | None = None

    def keep(self, stream: str, message: JSONRPCMessage | None) -> str:
        """Remember a message; the name the client can take up from.

        The name says which stream it belongs to, so that an answer is still found when the event named is gone.
        """
        self._count += 1
        number = self._streams.setdefault(stream, self._count)
        size_bytes = 0 if message is None else len(message.model_dump_json(by_alias=True, exclude_unset=True))
        event = StreamEvent(stream, f"{number}-{self._count}", message, size_bytes)
        self._events.append(event)
        self._kept_bytes += size_bytes
        while len(self._events) > EVENTS_MAX or self._kept_bytes > EVENT_BYTES_MAX:
            self._forget_oldest()
        return event.name

    def after(self, name: str) -> tuple[str | None, list[StreamEvent]]:
        """The stream of the event called `name`, and what came on it later; None and nothing for an unknown one."""
        number, _, count = name.partition("-")
        stream = next((stream for stream, first in self._streams.items() if str(first) == number), None)
        if stream is None or not (count.isascii() and count.isdigit() and len(count) < 20):
            return None, []
        seen = int(count)
        later = [event for event in self._events if event.stream == stream and _count(event) > seen]
        return stream, later

    def belong_to(self, task: asyncio.Task[object] | None) -> None:
        """Forget everything when this task ends. The object itself may live on: timers keep the contexts it is in."""
        if task is not None and self._task is None:
            self._task = task
            task.add_done_callback(lambda _task: self._forget_all())

    def _forget_all(self) -> None:
        self._events.clear()
        self._streams.clear()
        self._kept_bytes = 0
        self._task = None

    def _forget_oldest(self) -> None:
        gone = self._events.popleft()
        self._kept_bytes -= gone.size_bytes
        if all(event.stream != gone.stream for event in self._events):
            self._streams.pop(gone.stream, None)


class Resuming(EventStore):
    """The stores of all sessions of one server."""

    def __init__(self) -> None:
        self._sessions: WeakValueDictionary[str, SessionEvents] = WeakValueDictionary()
        self._current: ContextVar[SessionEvents] = ContextVar("events of the session at hand")

    def enter(self, session: str | None) -> SessionEvents:
        """From here on this task, and those it starts, are about this session; None for one that is about to begin."""
        events = (self._sessions.get(session) if session is not None else None) or SessionEvents()
        self._current.set(events)
        return events

    def opened(self, session: str, events: SessionEvents) -> None:
        """The session that began has this name."""
        self._sessions.setdefault(session, events)

    async def store_event(self, stream_id: str, message: JSONRPCMessage | None) -> str:
        """As the SDK wants it."""
        events = self._current.get()
        if message is not None:  # the mark of a stream's beginning is stored by the request
            events.belong_to(asyncio.current_task())
        return events.keep(stream_id, message)

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        """As the SDK wants it."""
        stream, events = self._current.get().after(last_event_id)
        for event in events:
            if event.message is not None:
                await send_callback(EventMessage(event.message, event.name))
        return stream


def _count(event: StreamEvent) -> int:
    return int(event.name.partition("-")[2])

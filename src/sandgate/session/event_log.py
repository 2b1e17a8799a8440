"""The events of one session, in order, for every watcher, each at a pace of its own.

A watcher that comes back asks for what followed the last event it saw. What is kept for that is limited; a watcher that
is further behind is told so instead of being shown a story with a hole in it.
"""

from __future__ import annotations

import asyncio
from collections import deque

from sandgate.errors import RequestError
from sandgate.protocol.events import Event, SessionConfigured, ShutdownComplete
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from sandgate.protocol.events import EventMessage

EVENTS_MAX = 20_000  # kept of one session
BYTES_MAX = 64 * 1024 * 1024  # of text and output in them: the provider or the command that sends it decides how much
TOO_FAR_BEHIND = "the events after number {after} of this session are not kept any more"


class EventLog:
    """Belongs to one event loop."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque()
        self._weights: deque[int] = deque()  # of these events, bytes or characters
        self._bytes = 0
        self._next = 0
        self._changed = asyncio.Event()
        self.closed = False

    @property
    def next_number(self) -> int:
        """Of the event that comes next."""
        return self._next

    def emit(self, turn_id: str, message: EventMessage, delegate: Mapping[str, str] | None = None) -> Event:
        """Tells every watcher. After `ShutdownComplete` nothing more is told. `delegate`: see `Event`."""
        event = Event(turn_id, self._next, message, delegate)
        if self.closed:
            return event
        self._next += 1
        self._events.append(event)
        self._weights.append(_weight(message))
        self._bytes += self._weights[-1]
        while len(self._events) > EVENTS_MAX or (self._bytes > BYTES_MAX and len(self._events) > 1):
            self._events.popleft()
            self._bytes -= self._weights.popleft()
        self.closed = isinstance(message, ShutdownComplete)
        self._changed.set()
        return event

    async def after(self, number: int = 0) -> AsyncIterator[Event]:
        """The events from `number` on, and further ones as they happen; ends with the session.

        Raises RequestError when they are not kept any more.
        """
        while True:
            while number < self._next:
                if number < self._next - len(self._events):
                    raise RequestError(
                        TOO_FAR_BEHIND.format(after=number), hint="read the session's transcript instead"
                    )
                event = self._events[number - self._next]  # from the end: that is where watchers are
                number += 1
                yield event
            if self.closed:
                return
            self._changed.clear()
            await self._changed.wait()


def _weight(message: EventMessage) -> int:
    """How much text it carries. Without recursion: arguments of a call nest as deeply as a model likes."""
    if isinstance(message, SessionConfigured):
        return 0  # what it repeats of an earlier session has a limit where it was read
    weight, left = 0, list[object]((message,))
    while left:
        value = left.pop()
        match value:
            case str() | bytes():
                weight += len(value)
            case Record():
                left.extend(value.fields().values())
            case dict():
                left.extend((*value, *value.values()))
            case tuple() | list():
                left.extend(value)
    return weight

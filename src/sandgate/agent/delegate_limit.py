"""How many sub-agents work at the same time, in a whole tree of sessions."""

from __future__ import annotations

from contextlib import contextmanager

from sandgate.errors import RequestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

NO_ROOM = "{limit} sub-agents work already; wait for one of them, or do it yourself"


class DelegateLimit:
    """For so many of them. Belongs to one event loop."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._taken = 0

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Raises RequestError when there is none: waiting would wait for ourselves."""
        if self._taken >= self._limit:
            raise RequestError(NO_ROOM.format(limit=self._limit))
        self._taken += 1
        try:
            yield
        finally:
            self._taken -= 1

"""What happened in a session, by its kind."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from sandgate.protocol.events import Event


def only(events: Sequence[Event], kind: type) -> list[Any]:
    """The messages of one kind."""
    return [event.msg for event in events if isinstance(event.msg, kind)]


def kinds(events: Sequence[Event]) -> list[str]:
    """The names of what happened."""
    return [type(event.msg).__name__ for event in events]

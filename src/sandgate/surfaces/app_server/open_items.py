"""The items of a turn that have begun and are not over, in the order of their beginning.

Every item that a client was told to begin gets exactly one end, before the end of its turn, whatever ended that.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections import deque

from sandgate.surfaces.app_server.messages import now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from codecs import IncrementalDecoder
    from collections.abc import Callable
    from typing import Any

    Json = dict[str, Any]
    Tell = Callable[[str, Json], object]

LEFT_MAX = 1024  # commands that outlived their turn, and whose end is no other item
OUTPUT_CHARS_MAX = 64 * 1024  # of the end of what an open command has printed
OPEN_MAX = 512  # of one turn; what begins beyond that is told at its end alone


class OpenItems:
    """Of one thread. `tell` is called with the name of a notification and what it carries."""

    def __init__(self, thread_id: str, tell: Tell) -> None:
        self._thread_id = thread_id
        self._tell = tell
        self._open: dict[str, Json] = {}
        self._turns: dict[str, str] = {}  # of the open items
        self._decoders: dict[str, IncrementalDecoder] = {}
        self._printed: dict[str, str] = {}  # by commands that are open, their last characters
        self._living: set[str] = set()  # commands whose calls are answered, and which go on
        self._left: deque[str] = deque(maxlen=LEFT_MAX)  # those whose turn is over

    def __contains__(self, item_id: str) -> bool:
        return item_id in self._open

    def begin(self, item: Json, turn_id: str) -> None:
        """Tells of it, unless it is open already; then what is new of it is kept."""
        item_id = item["id"]
        if item_id in self._open:
            self._open[item_id].update({name: value for name, value in item.items() if value is not None})
            return
        if len(self._open) >= OPEN_MAX:
            return
        now = now_ms()
        item = {**item, "startedAtMs": now, "completedAtMs": None}
        self._open[item_id], self._turns[item_id] = item, turn_id
        where = {"threadId": self._thread_id, "turnId": turn_id, "startedAtMs": now}
        self._tell("item/started", {"item": dict(item), **where})

    def lives_on(self, item_id: str, **changes: Any) -> None:
        """The call is answered, and its command goes on; what is known of it by now is told at its end."""
        if item_id in self._open:
            self._open[item_id].update(changes)
            self._living.add(item_id)

    def end(self, item: Json, turn_id: str) -> Json:
        """Tells that it is over, and that it had begun where nobody was told. The item as it was told."""
        item_id = item["id"]
        if item_id not in self._open:
            self.begin(item, turn_id)
        known = self._open.pop(item_id, {"startedAtMs": now_ms()})
        turn_id = self._turns.pop(item_id, turn_id)
        self._decoders.pop(item_id, None)
        printed = self._printed.pop(item_id, None)
        if printed is not None and known.get("aggregatedOutput") is None:
            known["aggregatedOutput"] = printed  # it had no end of its own yet
        self._living.discard(item_id)
        now = now_ms()
        told = {**known, **{name: value for name, value in item.items() if value is not None}}
        told = {**dict.fromkeys(item), **told, "completedAtMs": now}
        where = {"threadId": self._thread_id, "turnId": turn_id}
        self._tell("item/completed", {"item": told, **where, "contentTokenCount": None, "completedAtMs": now})
        return told

    def end_all(self, refused: set[str]) -> list[Json]:
        """The turn is over: what no event has ended was cut off, was `refused`, or lives on beyond it."""
        told = []
        for item_id in tuple(self._open):
            item = self._open[item_id]
            if item_id in self._living:
                self._left.append(item_id)
            if "status" in item:
                declines = item["type"] != "mcpToolCall" and item_id in refused
                item["status"] = "declined" if declines else "completed" if item_id in self._living else "failed"
            told.append(self.end({"id": item_id}, self._turns[item_id]))
        return told

    def was_left(self, item_id: str) -> bool:
        """It was over with its turn, though its command was not."""
        return item_id in self._left

    def output(self, item_id: str, chunk: bytes) -> str:
        """The text of a piece of output; characters that were cut wait for their rest."""
        decoder = self._decoders.get(item_id)
        if decoder is None:
            decoder = self._decoders[item_id] = getincrementaldecoder("utf-8")("replace")
        text = decoder.decode(chunk)
        self._printed[item_id] = (self._printed.get(item_id, "") + text)[-OUTPUT_CHARS_MAX:]
        return text

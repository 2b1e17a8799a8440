"""The conversation as the model is shown it, kept in order while it grows.

Every request sends all of it, so what is asked most often costs least: recording looks at the new item only, and a
prompt of a conversation in which every call is answered is one copy. A call that is still open is answered in the
prompt alone; its own answer may yet come, and counts when it does.
"""

from __future__ import annotations

from sandgate.protocol.items import CustomToolCallOutput, FunctionCallOutput, Message
from sandgate.session.normalising import OpenCalls, partner, with_aborted_calls
from sandgate.session.shortening import shortened
from sandgate.session.tokens import estimated_tokens
from sandgate.tools.truncation import TruncationPolicy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandgate.protocol.items import Item
    from sandgate.protocol.usage import TokenUsage

DEFAULT_CUT = TruncationPolicy("tokens", 10_000)  # what our own tools keep to where no model says otherwise


class History:
    """One session's, used from one thread. It never raises, whatever is recorded."""

    __slots__ = ("_aborted", "_cut", "_items", "_open", "_replaced", "_uncounted_tokens", "repaired")

    def __init__(self, items: Iterable[Item] = (), cut: TruncationPolicy = DEFAULT_CUT) -> None:
        self.repaired = 0  # answers left out or made up, each counted once
        self._cut = cut
        self._aborted: set[int] = set()  # calls, by place, that some prompt has shown as aborted
        self._start_over(items)

    @property
    def items(self) -> tuple[Item, ...]:
        """What is recorded; calls may be open."""
        return tuple(self._items)

    def record(self, items: Iterable[Item]) -> tuple[Item, ...]:
        """Appends what a provider takes, answers cut to size; returns what was appended.

        System messages and answers to nothing are left out.
        """
        taken = [item for item in map(self._shortened, items) if self._takes(item)]
        self._uncounted_tokens += estimated_tokens(taken)
        return tuple(taken)

    def for_prompt(self) -> tuple[Item, ...]:
        """What the next request sends: every call with an answer."""
        if not self._open:
            return tuple(self._items)
        places = self._open.places
        self.repaired += len(set(places) - self._aborted)
        self._aborted.update(places)
        return with_aborted_calls(self._items, places)

    def remove_first(self) -> bool:
        """Drops the oldest item and its counterpart, so that a prompt gets shorter; False when there is none."""
        if not self._items:
            return False
        other = partner(self._items)
        self._start_over(item for place, item in enumerate(self._items) if place not in (0, other))
        return True

    def replace(self, items: Iterable[Item]) -> None:
        """Begins again with these, uncut: they were cut when they were first recorded."""
        self._start_over(items)

    def responded(self) -> None:
        """A response is complete: its usage covers all that is recorded so far."""
        self._uncounted_tokens = 0
        self._replaced = False

    def in_window(self, last: TokenUsage) -> int:
        """About how many tokens the next request takes; `last` is the usage of the last response.

        It counts the items recorded since then by an estimate, and everything after the history was replaced.
        """
        return (0 if self._replaced else last.in_window) + self._uncounted_tokens

    def _start_over(self, items: Iterable[Item]) -> None:
        given = tuple(items)
        self._items: list[Item] = []
        self._open = OpenCalls()
        self._aborted.clear()
        for item in given:
            self._takes(item)
        self._replaced = True
        self._uncounted_tokens = estimated_tokens(self._items)

    def _takes(self, item: Item) -> bool:
        if isinstance(item, Message) and item.role == "system":
            return False
        if not self._open.admits(item, len(self._items)):
            self.repaired += 1
            return False
        self._items.append(item)
        return True

    def _shortened(self, item: Item) -> Item:
        return shortened(item, self._cut) if isinstance(item, FunctionCallOutput | CustomToolCallOutput) else item

"""What must hold of a conversation before a provider takes it, and how it is made to hold.

Every call has an answer behind it, and every answer a call before it. Turns that were ended, transcripts that were torn
and models that repeat an id break that; it is mended here and never an error, because the conversation has to go on. A
call without an answer gets one directly behind itself; an answer to nothing is left out. Where an id is used twice, an
answer belongs to the nearest open call before it. Pure.
"""

from __future__ import annotations

from sandgate.protocol.items import (
    CustomToolCall,
    CustomToolCallOutput,
    FunctionCall,
    FunctionCallOutput,
    LocalShellCall,
)
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Literal

    from sandgate.protocol.items import CallOutput, Item

    Family = Literal["function", "custom"]
    Key = tuple[Family, str]

ABORTED = "aborted"  # the answer of a call that has none


class Normalised(Record):
    """A conversation that is in order, and what that took."""

    items: tuple[Item, ...]
    added: int  # answers
    dropped: int  # answers to nothing


class OpenCalls:
    """The calls of a growing conversation that nothing has answered yet."""

    __slots__ = ("_places",)

    def __init__(self) -> None:
        self._places: dict[Key, list[int]] = {}  # newest last; no empty lists

    def __bool__(self) -> bool:
        return bool(self._places)

    @property
    def places(self) -> list[int]:
        """Where they stand, first to last."""
        return sorted(place for places in self._places.values() for place in places)

    def admits(self, item: Item, place: int) -> bool:
        """Whether `item` may stand at `place`, behind all that was admitted before; False: an answer to nothing."""
        key = pairing_key(item)
        if key is not None:
            self._places.setdefault(key, []).append(place)
            return True
        key = answer_key(item)
        if key is None:
            return True
        places = self._places.get(key)
        if places is None:
            return False
        places.pop()
        if not places:
            del self._places[key]
        return True


def normalised(items: Iterable[Item]) -> Normalised:
    """The same conversation in order, in one pass; one that is in order comes back as it is."""
    open_calls = OpenCalls()
    kept: list[Item] = []
    dropped = 0
    for item in items:
        if open_calls.admits(item, len(kept)):
            kept.append(item)
        else:
            dropped += 1
    places = open_calls.places
    return Normalised(with_aborted_calls(kept, places), len(places), dropped)


def with_aborted_calls(items: Sequence[Item], places: Iterable[int]) -> tuple[Item, ...]:
    """The items, with `aborted` behind each call that stands at one of the ascending `places`."""
    made: list[Item] = []
    done = 0
    for place in places:
        made += items[done : place + 1]
        made.append(_aborted(items[place]))
        done = place + 1
    made += items[done:]
    return tuple(made)


def partner(items: Sequence[Item]) -> int | None:
    """Where the answer to the first item stands; None: it has none. Nothing in order begins with an answer."""
    key = pairing_key(items[0])
    if key is None:
        return None
    still_open = 0
    for place, item in enumerate(items):
        still_open += (pairing_key(item) == key) - (answer_key(item) == key)
        if still_open == 0:
            return place
    return None


def pairing_key(item: Item) -> Key | None:
    """By what a call is answered; None for what is no call, and for a call that cannot be answered."""
    match item:
        case FunctionCall():
            return ("function", item.call_id)
        case CustomToolCall():
            return ("custom", item.call_id)
        case LocalShellCall():
            return ("function", item.answered_by) if item.answered_by else None
        case _:
            return None


def answer_key(item: Item) -> Key | None:
    """Which call an answer is to; None for what is no answer."""
    match item:
        case FunctionCallOutput():
            return ("function", item.call_id)
        case CustomToolCallOutput():
            return ("custom", item.call_id)
        case _:
            return None


def _aborted(call: Item) -> CallOutput:
    match pairing_key(call):
        case ("custom", call_id):
            return CustomToolCallOutput(call_id, ABORTED)
        case (_, call_id):
            return FunctionCallOutput(call_id, ABORTED)
        case _:
            raise AssertionError(f"not a call: {call!r}")

"""The JSON of a conversation that is sent again and again, and each time is a little longer.

Every request of a session has all of it. Making that anew each time was most of what a long session cost; so what is
there already is kept as bytes, and only what has been added is encoded.
"""

from __future__ import annotations

from operator import is_

from sandgate.model.exchange import request_json
from sandgate.protocol.items_wire import item_json, named_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.items import Item


class GrowingJson:
    """Of one conversation. Items are values, so the same item has the same JSON for ever. `named`: with their ids."""

    __slots__ = ("_items", "_joined", "_named")

    def __init__(self, *, named: bool = False) -> None:
        self._named = named
        self._items: tuple[Item, ...] = ()
        self._joined = b""

    def json(self, items: tuple[Item, ...]) -> bytes:
        """The array of all these items. Takes as long as what is new, if the others are those of the last time."""
        known = len(self._items)
        if known > len(items) or not all(map(is_, self._items, items)):
            known, self._joined = 0, b""
        written = named_json if self._named else item_json
        new = [request_json(written(item)) for item in items[known:]]
        self._joined = b",".join([self._joined, *new] if known else new)
        self._items = items
        return b"[%s]" % self._joined

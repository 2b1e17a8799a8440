"""What a model is to say, written as Python: for `sandgate agent --model-script`, without a network.

The file has the form that `model.scripted` reads, one response a line.
"""

from __future__ import annotations

import json

from sandgate.protocol.items import CustomToolCall, FunctionCall, Message, OutputText
from sandgate.protocol.items_wire import item_json
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

    from sandgate.protocol.items import Item


class ModelScript(Record):
    """Responses of a model in their order; every method answers with a longer script."""

    responses: tuple[tuple[Item, ...], ...] = ()

    def says(self, text: str) -> Self:
        """The next response is this message."""
        return self._then(Message("assistant", (OutputText(text),)))

    def calls(self, tool: str, **arguments: Any) -> Self:
        """The next response calls a tool."""
        return self._then(FunctionCall(tool, json.dumps(arguments), self._call_id()))

    def patches(self, patch: str) -> Self:
        """The next response applies a patch."""
        return self._then(CustomToolCall("apply_patch", patch, self._call_id()))

    def write(self, path: str) -> str:
        """Into a file; its path."""
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{json.dumps([item_json(item) for item in items])}\n" for items in self.responses)
        return path

    def _then(self, item: Item) -> Self:
        return self.but(responses=(*self.responses, (item,)))

    def _call_id(self) -> str:
        return f"call_{len(self.responses) + 1}"

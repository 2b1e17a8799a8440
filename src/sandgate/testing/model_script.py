"""What a model is to say, written as Python: for `sandgate agent --model-script`, without a network.

The file has the form that `model.scripted` reads, one response a line.
"""

from __future__ import annotations

import json

from sandgate.protocol.items import CustomToolCall, FunctionCall, Message, OutputText
from sandgate.protocol.items_wire import item_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.items import Item


class ModelScript:
    """Responses of a model in their order; what adds one answers with a longer script."""

    def __init__(self, *responses: Item) -> None:
        """Begin with these, one item a response."""
        self.responses = responses

    def says(self, text: str) -> ModelScript:
        """The next response is this message."""
        return self._then(Message("assistant", (OutputText(text),)))

    def calls(self, tool: str, **arguments: Any) -> ModelScript:
        """The next response calls a tool."""
        return self._then(FunctionCall(tool, json.dumps(arguments), self._call_id()))

    def patches(self, patch: str) -> ModelScript:
        """The next response applies a patch."""
        return self._then(CustomToolCall("apply_patch", patch, self._call_id()))

    def write(self, path: str) -> str:
        """Into a file; its path."""
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{json.dumps([item_json(item)])}\n" for item in self.responses)
        return path

    def _then(self, item: Item) -> ModelScript:
        return ModelScript(*self.responses, item)

    def _call_id(self) -> str:
        return f"call_{len(self.responses) + 1}"

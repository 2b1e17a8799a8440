"""A model that says what a file says, without a network: for demonstrations, and for trying an agent out.

The file has one JSON value a line, one line a response: a list of items as the Responses API has them, or
`{"items": [...], "usage": {...}}`. Blank lines and lines that begin with `#` do not count.
"""

from __future__ import annotations

import json

from sandgate.display import visible
from sandgate.errors import ModelFailed, RequestError
from sandgate.model.response_events import usage_of
from sandgate.model.streaming import Completed, Created, ItemAdded, ItemDone, ReasoningDelta, TextDelta
from sandgate.protocol.items import LocalShellCall, Message, Reasoning, message_text
from sandgate.protocol.items_wire import as_item
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from typing import Any

    from sandgate.model.prompt import Asking, ModelSettings, Prompt
    from sandgate.model.streaming import ModelEvent
    from sandgate.protocol.items import Item
    from sandgate.protocol.usage import TokenUsage

SCRIPT_BYTES_MAX = 64 * 1024 * 1024
FORM = 'a line is a list of items, or {"items": [...], "usage": {...}}'


class Scripted(Record):
    """One response."""

    items: tuple[Item, ...]
    usage: TokenUsage | None


class ScriptedModel:
    """Gives the responses of a file in their order, one a request, whatever is asked. Raises RequestError."""

    def __init__(self, path: str, settings: ModelSettings) -> None:
        self.settings = settings
        self._path = path
        self._responses = read_script(path)
        self._asked = 0

    async def stream(self, prompt: Prompt, asking: Asking) -> AsyncGenerator[ModelEvent, None]:
        """The next response. Raises ModelFailed past the end of the file."""
        del prompt, asking
        number = self._asked
        self._asked += 1
        if number >= len(self._responses):
            count = len(self._responses)
            said = f"{count} response{'s' * (count != 1)}"
            raise ModelFailed(f"the script {shown_file(self._path)} has {said} and no more")
        response, response_id = self._responses[number], f"scripted_{number + 1}"
        yield Created(response_id)
        for item in response.items:
            for event in _events_of(item):
                yield event
        yield Completed(response_id, response.usage)

    async def close(self) -> None:
        """Nothing is held."""


def read_script(path: str) -> tuple[Scripted, ...]:
    """All responses. Raises RequestError, on one line that names the file and, where it can, the line."""
    try:
        with open(path, "rb") as file:
            content = file.read(SCRIPT_BYTES_MAX + 1)
        if len(content) > SCRIPT_BYTES_MAX:
            raise RequestError(f"the script {shown_file(path)} has more than {SCRIPT_BYTES_MAX} bytes")
        lines = content.decode().split("\n")
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or "it is not UTF-8 text"
        raise RequestError(f"the script {shown_file(path)} cannot be read", why=reason) from None
    return tuple(
        _response(line, f"the script {shown_file(path)}, line {number}")
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.lstrip().startswith("#")
    )


def shown_file(path: str) -> str:
    """A file's name in a message."""
    return f"`{visible(path)}`"


def _response(line: str, place: str) -> Scripted:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise RequestError(f"{place} is not JSON", hint=FORM) from None
    if isinstance(found, list):
        found = {"items": found}
    if not isinstance(found, dict) or not isinstance(found.get("items"), list) or found.keys() - {"items", "usage"}:
        raise RequestError(f"{place} is not a response", hint=FORM)
    usage = found.get("usage")
    if usage is not None and not isinstance(usage, dict):
        raise RequestError(f"{place} has a usage that is no object", hint=FORM)
    items = (_item(value, f"{place}, item {number}") for number, value in enumerate(found["items"], 1))
    return Scripted(tuple(items), usage_of(usage))


def _item(value: Any, place: str) -> Item:
    item = as_item(value)
    if item is None:
        raise RequestError(f"{place} is not an item", why=f"{_beginning(value)} is of no known kind, or lacks a field")
    answers = value["type"].endswith("_output")
    if answers or (isinstance(item, Message) and item.role != "assistant"):
        raise RequestError(f"{place} is nothing that a model says", why=_beginning(value))
    if isinstance(item, LocalShellCall) and not item.answered_by:
        raise RequestError(f"{place} has no call_id", why=_beginning(value))
    return item


def _beginning(value: object) -> str:
    return f"`{visible(json.dumps(value, ensure_ascii=False), limit=80)}`"


def _events_of(item: Item) -> tuple[ModelEvent, ...]:
    """As a provider streams it, in one piece."""
    match item:
        case Message():
            text = message_text(item)
            return (ItemAdded("message", item.id), *((TextDelta(text),) if text else ()), ItemDone(item))
        case Reasoning():
            return (ItemAdded("reasoning", item.id), *(ReasoningDelta(text) for text in item.summary), ItemDone(item))
    return (ItemDone(item),)

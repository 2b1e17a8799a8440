"""Reads the events of a streamed response, one after the other.

Pure: data in, values out. Whatever cannot be read is passed over, as the format's other readers do; only an event that
says how the response ended decides anything.
"""

from __future__ import annotations

import json

from sandgate.errors import StreamBroken
from sandgate.model.provider_errors import answer_too_long, broken_by, complaint_of
from sandgate.model.quoting import Quoting
from sandgate.model.streaming import (
    Completed,
    Created,
    ItemAdded,
    ItemDone,
    ReasoningDelta,
    SectionBreak,
    TextDelta,
)
from sandgate.protocol.items_wire import as_item
from sandgate.protocol.usage import TokenUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.model.streaming import ModelEvent

BROKE_OFF = "stream closed before response.completed"
TOKENS_MAX = 2**53
AT_THE_LIMIT = "max_output_tokens"


class ResponseEvents:
    """The events of one response, in their order."""

    def __init__(self, quoting: Quoting | None = None, *, limited: bool = False) -> None:
        """`limited`: the request named the longest answer it wants."""
        self._quoting = quoting or Quoting()
        self._limited = limited

    def take(self, data: str) -> tuple[ModelEvent, ...]:
        """What one event says; `Completed` is the last. Raises ModelError when it says that the model failed."""
        event = as_object(data)
        match event.get("type"):
            case "response.created":
                return (Created(_text(event, "response", "id")),)
            case "response.output_item.added":
                return (ItemAdded(_text(event, "item", "type"), _text(event, "item", "id")),)
            case "response.output_item.done":
                item = as_item(event.get("item"))
                return () if item is None else (ItemDone(item),)
            case "response.output_text.delta":
                return (TextDelta(delta),) if (delta := _text(event, "delta")) else ()
            case "response.reasoning_summary_text.delta":
                return (ReasoningDelta(delta),) if (delta := _text(event, "delta")) else ()
            case "response.reasoning_text.delta":
                return (ReasoningDelta(delta, raw=True),) if (delta := _text(event, "delta")) else ()
            case "response.reasoning_summary_part.added":
                return (SectionBreak(),)
            case "response.completed":
                return (Completed(_text(event, "response", "id"), usage_of(field(event, "response", "usage"))),)
            case "response.failed":
                raise broken_by(complaint_of(field(event, "response", "error")), self._quoting)
            case "error":
                raise broken_by(complaint_of(field(event, "error") or event), self._quoting)
            case "response.incomplete":
                reason = self._quoting.words(field(event, "response", "incomplete_details", "reason"))
                if self._limited and reason == AT_THE_LIMIT:
                    raise answer_too_long()
                raise StreamBroken("the model's answer is incomplete", why=reason)
        return ()

    def end(self) -> tuple[ModelEvent, ...]:
        """The stream has ended. Raises StreamBroken: a response that is complete says so itself."""
        raise StreamBroken(BROKE_OFF)


def as_object(data: str) -> dict[str, Any]:
    """The JSON object that `data` is; an empty one for anything else."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def field(value: object, *path: str) -> object:
    """What lies at that path of objects; None when there is nothing."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def usage_of(value: object) -> TokenUsage | None:
    """From the form of the Responses API; None for what is not one."""
    if not isinstance(value, dict):
        return None
    return TokenUsage(
        input_tokens=token_count(value, "input_tokens"),
        cached_input_tokens=token_count(value, "input_tokens_details", "cached_tokens"),
        output_tokens=token_count(value, "output_tokens"),
        reasoning_output_tokens=token_count(value, "output_tokens_details", "reasoning_tokens"),
        total_tokens=token_count(value, "total_tokens"),
    )


def token_count(value: object, *path: str) -> int:
    """A count; 0 for what is none."""
    found = field(value, *path)
    return min(max(found, 0), TOKENS_MAX) if isinstance(found, int) and not isinstance(found, bool) else 0


def _text(value: object, *path: str) -> str:
    found = field(value, *path)
    return found if isinstance(found, str) else ""

"""What a model said, event by event, as JSON that can be read back: for recordings."""

from __future__ import annotations

from sandgate.model.streaming import (
    Completed,
    Created,
    ItemAdded,
    ItemDone,
    LimitsSeen,
    ReasoningDelta,
    Retrying,
    SectionBreak,
    TextDelta,
)
from sandgate.protocol.items_wire import as_item, kept_json
from sandgate.protocol.usage import RateLimit, RateLimits, TokenUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.model.streaming import ModelEvent

    Json = dict[str, Any]

PLAIN: dict[str, type[ModelEvent]] = {
    "created": Created,
    "item_added": ItemAdded,
    "text_delta": TextDelta,
    "reasoning_delta": ReasoningDelta,
    "section_break": SectionBreak,
    "retrying": Retrying,
}
NAMES = {kind: name for name, kind in PLAIN.items()}


def model_event_json(event: ModelEvent) -> Json:
    """With all that `as_event` reads."""
    match event:
        case ItemDone():
            return {"type": "item_done", "item": kept_json(event.item)}
        case Completed():
            usage = None if event.usage is None else event.usage.fields()
            return {"type": "completed", "response_id": event.response_id, "usage": usage}
        case LimitsSeen():
            limits = event.limits
            both = {"primary": limits.primary, "secondary": limits.secondary}
            return {"type": "limits_seen", **{name: each and each.fields() for name, each in both.items()}}
        case _:
            return {"type": NAMES[type(event)], **event.fields()}


def as_event(value: object) -> ModelEvent:
    """Raises ValueError for what `model_event_json` has not written."""
    if not isinstance(value, dict):
        raise ValueError("an event is an object")
    given = {name: each for name, each in value.items() if name != "type"}
    try:
        match value.get("type"):
            case "item_done":
                item = as_item(given["item"])
                if item is None:
                    raise ValueError("not an item")
                return ItemDone(item)
            case "completed":
                usage = given["usage"]
                return Completed(given["response_id"], None if usage is None else TokenUsage(**usage))
            case "limits_seen":
                primary, secondary = given["primary"], given["secondary"]
                return LimitsSeen(RateLimits(_limit(primary), _limit(secondary)))
            case str(kind) if kind in PLAIN:
                return PLAIN[kind](**given)
    except (KeyError, TypeError) as problem:
        raise ValueError(f"not such an event: {problem}") from None
    raise ValueError("an unknown kind of event")


def _limit(value: Json | None) -> RateLimit | None:
    return None if value is None else RateLimit(**value)

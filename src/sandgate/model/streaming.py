"""What a model says while it answers, as it comes in."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Protocol, TypeAlias

    from sandgate.model.prompt import Asking, ModelSettings, Prompt
    from sandgate.protocol.items import Item
    from sandgate.protocol.usage import RateLimits, TokenUsage


class Created(Record):
    """The answer begins."""

    response_id: str


class ItemAdded(Record):
    """An item begins; `kind` is its type on the wire."""

    kind: str
    item_id: str


class ItemDone(Record):
    """An item is complete; a call in it can be carried out at once."""

    item: Item


class TextDelta(Record):
    """A piece of a message."""

    delta: str


class ReasoningDelta(Record):
    """A piece of what the model thinks: of the summary, or of the thought itself (`raw`)."""

    delta: str
    raw: bool = False


class SectionBreak(Record):
    """Another part of the summary begins."""


class LimitsSeen(Record):
    """What the provider says of its limits."""

    limits: RateLimits


class Retrying(Record):
    """The request could not be placed and is tried again; nothing was answered before."""

    attempt: int  # the one that failed, from 1
    attempts_max: int
    why: str


class Completed(Record):
    """The answer is complete; always the last."""

    response_id: str
    usage: TokenUsage | None


if TYPE_CHECKING:
    ModelEvent: TypeAlias = (
        Created | ItemAdded | ItemDone | TextDelta | ReasoningDelta | SectionBreak | LimitsSeen | Retrying | Completed
    )

    class Model(Protocol):
        """One model. Several answers may be under way at the same time."""

        settings: ModelSettings

        def stream(self, prompt: Prompt, asking: Asking) -> AsyncIterator[ModelEvent]:
            """The answer as it comes; ends after `Completed`, or raises ModelError. `StreamBroken` may be tried again.

            Closing the iterator, or cancelling the task that reads, closes the connection at once.
            """

        async def close(self) -> None:
            """Let connections that are kept go."""

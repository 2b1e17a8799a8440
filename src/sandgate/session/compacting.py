"""Asks the model for a summary of the conversation and goes on with that.

Where the provider offers to make room itself, that comes first: what it makes of the conversation can hold more than a
summary in words. When it fails, the model is asked after all; the turn never depends on it.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from sandgate.errors import ContextWindowExceeded, ModelError, ModelFailed, RequestTurnedAway, StreamBroken
from sandgate.model.prompt import Asking, Prompt
from sandgate.model.streaming import Completed, ItemDone, Retrying
from sandgate.protocol.events import BackgroundEvent, ContextCompacted, StreamError, Warned
from sandgate.protocol.items import Message, message_text, user_message
from sandgate.session.compaction import SUMMARY_PROMPT, compacted, sealed
from sandgate.session.history import History
from sandgate.session.reconnecting import before_retry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from typing import Protocol

    from sandgate.model.streaming import Model, ModelEvent
    from sandgate.protocol.items import Item
    from sandgate.session.context import TurnContext
    from sandgate.session.conversation import Conversation
    from sandgate.session.interfaces import Sleep

    class Remote(Protocol):
        """A provider that makes room itself: asked as a model is, it answers with items."""

        def stream(self, prompt: Prompt, asking: Asking) -> AsyncIterator[ModelEvent]: ...


TRIMMED = "Trimmed {count} older conversation item(s) before compacting so the prompt fits the model context window."
SHORTENED = "the conversation was summarised to make room; details that only the older part held may be lost"
SEALED = (
    "the provider replaced the conversation by what only its own models can read; `compact_prompt` would change that"
)
FAILED = "the provider could not make room, so the model is asked for a summary ({why})"
NOTHING_SEALED = "its answer holds nothing that stands for the conversation"


class Compactor:
    """Of one session. `initial` tells the model its surroundings again, in the middle of a turn.

    `remote` makes room instead of the model, as long as it can; None: the provider offers nothing of the kind.
    """

    def __init__(
        self,
        model: Model,
        conversation: Conversation,
        *,
        initial: Callable[[], Sequence[Item]],
        prompt: str = SUMMARY_PROMPT,
        remote: Remote | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._model = model
        self._conversation = conversation
        self._initial = initial
        self._prompt = prompt
        self._remote = remote
        self._sleep = sleep

    async def compact(self, context: TurnContext, *, within_turn: bool = True) -> None:
        """Replaces the history. Interrupted or failed, it stays as it was. Raises ModelError."""
        if self._remote is not None:
            try:
                await self._remotely(self._remote, context, within_turn=within_turn)
            except ModelError as problem:
                context.tell(Warned(FAILED.format(why=problem.what if not problem.why else problem.why)))
                if isinstance(problem, RequestTurnedAway):
                    self._remote = None  # it says that it cannot, and would say so every time
            else:
                return
        await self._locally(context, within_turn=within_turn)

    async def _remotely(self, remote: Remote, context: TurnContext, *, within_turn: bool) -> None:
        settings, history = context.turn.settings, self._conversation.history
        given = []
        asked = Prompt(settings.instructions, history.for_prompt(), how=settings.model)
        asking = Asking(settings.session_id, context.turn_id, "compact", settings.parent_id)
        async with aclosing(remote.stream(asked, asking)) as events:  # type: ignore[type-var]
            async for event in events:
                match event:
                    case ItemDone():
                        given.append(event.item)
                    case Retrying():
                        context.tell(StreamError(f"Reconnecting... {event.attempt}/{event.attempts_max}"))
                    case Completed():
                        self._conversation.count(context.turn_id, event.usage, settings.model.context_window)
        items = sealed(self._initial() if within_turn else (), history.items, given)
        if items is None:
            raise ModelFailed(NOTHING_SEALED)
        self._conversation.replace(items, summary="")
        context.tell(ContextCompacted())
        context.tell(Warned(SEALED))

    async def _locally(self, context: TurnContext, *, within_turn: bool) -> None:
        history = self._conversation.history
        shown = History(history.for_prompt())
        dropped = 0
        broken_off = 0
        while True:
            try:
                summary = await self._summary(shown, context)
                break
            except ContextWindowExceeded:
                if len(shown.items) <= 1 or not shown.remove_first():
                    self._conversation.fill(context.turn_id, context.turn.settings.model.context_window)
                    raise
                dropped += 1
                broken_off = 0
            except StreamBroken as problem:
                broken_off += 1
                await before_retry(context, broken_off, problem, self._sleep)
        initial = self._initial() if within_turn else ()
        self._conversation.replace(compacted(initial, history.items, summary), summary=summary)
        if dropped:
            context.tell(BackgroundEvent(TRIMMED.format(count=dropped)))
        context.tell(ContextCompacted())
        context.tell(Warned(SHORTENED))

    async def _summary(self, shown: History, context: TurnContext) -> str:
        settings = context.turn.settings
        said = (*shown.for_prompt(), user_message(self._prompt))
        asked = Prompt(settings.instructions, said, how=settings.model)
        asking = Asking(settings.session_id, context.turn_id, "compact", settings.parent_id)
        summary = ""
        async with aclosing(self._model.stream(asked, asking)) as events:  # type: ignore[type-var]
            async for event in events:
                match event:
                    case ItemDone(item=Message(role="assistant") as message):
                        summary = message_text(message)
                    case Completed():
                        self._conversation.count(context.turn_id, event.usage, settings.model.context_window)
        return summary

"""Asks the model for a summary of the conversation and goes on with that (session.md section 6)."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from sandgate.errors import ContextWindowExceeded, StreamBroken
from sandgate.model.prompt import Asking, Prompt
from sandgate.model.streaming import Completed, ItemDone
from sandgate.protocol.events import BackgroundEvent, ContextCompacted, Warned
from sandgate.protocol.items import Message, message_text, user_message
from sandgate.session.compaction import SUMMARY_PROMPT, compacted
from sandgate.session.history import History
from sandgate.session.reconnecting import before_retry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sandgate.model.streaming import Model
    from sandgate.protocol.items import Item
    from sandgate.session.context import TurnContext
    from sandgate.session.conversation import Conversation
    from sandgate.session.parts import Sleep

TRIMMED = "Trimmed {count} older conversation item(s) before compacting so the prompt fits the model context window."
SHORTENED = "the conversation was summarised to make room; details that only the older part held may be lost"


class Compactor:
    """Of one session. `initial` tells the model its surroundings again, in the middle of a turn."""

    def __init__(
        self,
        model: Model,
        conversation: Conversation,
        *,
        initial: Callable[[], Sequence[Item]],
        prompt: str = SUMMARY_PROMPT,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._model = model
        self._conversation = conversation
        self._initial = initial
        self._prompt = prompt
        self._sleep = sleep

    async def compact(self, context: TurnContext, *, within_turn: bool = True) -> None:
        """Replaces the history. Interrupted or failed, it stays as it was. Raises ModelError."""
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
        asked = Prompt(settings.instructions, (*shown.for_prompt(), user_message(self._prompt)))
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

"""A turn: the model is asked, its tools answer, it is asked again, until there is nothing to do."""

from __future__ import annotations

from sandgate.errors import ContextWindowExceeded, ModelError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sandgate.protocol.items import Item
    from sandgate.session.compacting import Compactor
    from sandgate.session.context import TurnContext
    from sandgate.session.conversation import Conversation
    from sandgate.session.sampling import Sampler

NO_ROOM = "the conversation has {tokens} tokens after it was summarised, and the limit is {limit}"


class BudgetSpent(Exception):
    """The session has used the tokens it was given."""


class TurnLoop:
    """`take_pending` gives what the person said meanwhile, and forgets it."""

    def __init__(self, sampler: Sampler, conversation: Conversation, compactor: Compactor) -> None:
        self._sampler = sampler
        self._conversation = conversation
        self._compactor = compactor

    async def run(self, context: TurnContext, take_pending: Callable[[], Sequence[Item]]) -> str | None:
        """The text of the last message. Raises ModelError, and BudgetSpent."""
        compacted_before = False
        if self._is_full(context):
            compacted_before = await self._make_room(context, compacted_before)
        while True:
            self._conversation.record(take_pending())
            self._check_budget(context)
            try:
                sampled = await self._sampler.sample(context)
            except ContextWindowExceeded:
                self._conversation.fill(context.turn_id, context.turn.settings.model.context_window)
                raise
            pending = take_pending()
            self._conversation.record(pending)
            if not sampled.called and not pending:
                return sampled.last_message
            if self._is_full(context):
                compacted_before = await self._make_room(context, compacted_before)
            else:
                compacted_before = False

    def _is_full(self, context: TurnContext) -> bool:
        limit = context.turn.settings.compact_at_tokens
        return limit is not None and self._conversation.tokens >= limit

    async def _make_room(self, context: TurnContext, compacted_before: bool) -> bool:
        if compacted_before:
            limit = context.turn.settings.compact_at_tokens
            raise ModelError(NO_ROOM.format(tokens=self._conversation.tokens, limit=limit))
        await self._compactor.compact(context)
        return True

    def _check_budget(self, context: TurnContext) -> None:
        budget = context.turn.settings.token_budget
        if budget is not None and self._conversation.spent_tokens >= budget:
            raise BudgetSpent

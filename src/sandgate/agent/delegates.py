"""The sub-agents of a session: how many, how deep, and what becomes of them."""

from __future__ import annotations

from sandgate.agent.options import Superior
from sandgate.errors import RequestError
from sandgate.protocol.events import (
    DelegateBegin,
    DelegateEnd,
    EnteredReviewMode,
    ExitedReviewMode,
)
from sandgate.protocol.operations import TextInput, UserInput
from sandgate.session.delegation import one_shot
from sandgate.session.interfaces import Answer
from sandgate.session.reviewing import REVIEW_INSTRUCTIONS, review_notice, review_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractAsyncContextManager

    from sandgate.agent.delegate_limit import DelegateLimit
    from sandgate.agent.turn_changes import TurnChanges
    from sandgate.agent.undo import PatchUndo
    from sandgate.external.servers import ExternalServers
    from sandgate.model.streaming import Model
    from sandgate.patch.apply import UndoRecord
    from sandgate.protocol.conversation import ConversationEntry
    from sandgate.protocol.decisions import ApprovalRequest, Decision
    from sandgate.protocol.events import EventMessage
    from sandgate.protocol.operations import Review
    from sandgate.session.context import TurnContext
    from sandgate.session.conversation import Conversation
    from sandgate.session.delegation import Outcome, SubAgent, Tell
    from sandgate.session.interfaces import CallContext

    Opening = Callable[[Superior], AbstractAsyncContextManager[SubAgent]]

SPAWNED, REVIEW = "collab_spawn", "review"  # how gateways know them
ASKS = {SPAWNED: "a sub-agent of the agent", REVIEW: "a sub-agent that reviews"}
SAID_NOTHING = "(it ended without a word)"
ENDED = {
    "failed": "the sub-agent failed: {why}",
    "interrupted": "the sub-agent was interrupted",
    "limit_reached": "the sub-agent reached its limit of tokens",
    "completed": "{why}",
}


class Delegates:
    """Of one session. `opening` opens another one; `asks`: the session has reviewers for their questions."""

    def __init__(
        self,
        opening: Opening,
        conversation: Conversation,
        *,
        session_id: str,
        token_budget: int | None,
        model: Model,
        reviewer: Model,
        room: DelegateLimit,
        depth: int,
        asks: bool,
        servers: ExternalServers | None,
        undoing: PatchUndo,
        turning: TurnChanges,
        heard: Callable[[], tuple[ConversationEntry, ...]],
    ) -> None:
        self._opening = opening
        self._conversation = conversation
        self._session_id = session_id
        self._token_budget = token_budget
        self._model = model
        self._reviewer = reviewer
        self._room = room
        self._depth = depth
        self._asks = asks
        self._servers = servers
        self._undoing = undoing
        self._turning = turning
        self._heard = heard

    async def work(self, prompt: str, call_id: str, context: CallContext) -> Answer:
        """A piece of work for a sub-agent, as an answer for the model. Raises RequestError when there is no room."""
        with self._room.taken():
            async with self._opening(self._superior(SPAWNED, self._model, context)) as child:
                context.tell(DelegateBegin(call_id, child.session_id, SPAWNED, prompt))
                outcome = await self._done(child, prompt, call_id, SPAWNED, context)
        return _answer(outcome)

    async def review(self, context: TurnContext, op: Review) -> str | None:
        """Has the work reviewed; what was found becomes part of the conversation."""
        context.tell(EnteredReviewMode(op.prompt, op.user_facing_hint))
        review = None
        try:
            async with self._opening(self._superior(REVIEW, self._reviewer, context)) as child:
                said = UserInput((TextInput(op.prompt),))
                outcome = await one_shot(child, said, _telling(child, REVIEW, context), as_json=True)
            self._conversation.delegated_tokens += outcome.tokens
            if outcome.status == "completed":
                review = review_of(outcome.last_message or "")
        finally:
            self._conversation.record((review_notice(review),))
            context.tell(ExitedReviewMode(review))
        if outcome.status == "failed":
            raise RequestError(ENDED["failed"].format(why=outcome.why))
        return outcome.last_message

    async def _done(self, child: SubAgent, prompt: str, call_id: str, kind: str, context: CallContext) -> Outcome:
        status, said = "interrupted", None
        try:
            outcome = await one_shot(child, UserInput((TextInput(prompt),)), _telling(child, kind, context))
            self._conversation.delegated_tokens += outcome.tokens
            status, said = outcome.status, outcome.last_message
        finally:
            context.tell(DelegateEnd(call_id, child.session_id, kind, status, said))  # type: ignore[arg-type]
        return outcome

    def _superior(self, kind: str, model: Model, context: CallContext) -> Superior:
        async def ask(request: ApprovalRequest, delegate: Mapping[str, str]) -> Decision:
            named = request if request.asked_by else request.but(asked_by=ASKS[kind])
            return await context.ask(named, delegate=delegate)

        def patched(name: str, record: UndoRecord) -> None:
            self._undoing.adopt(name, context.turn_id, record)
            context.patches.append(name)

        budget = self._token_budget
        return Superior(
            session_id=self._session_id,
            kind=kind,
            depth=self._depth + 1,
            model=model,
            room=self._room,
            ask=ask if self._asks else None,
            heard=self._heard,
            patched=patched,
            instructions=REVIEW_INSTRUCTIONS if kind == REVIEW else None,
            delegates=kind != REVIEW,
            writes=kind != REVIEW,
            how=self._turning.now.model if model is self._model else None,
            servers=None if kind == REVIEW else self._servers,
            token_budget=None if budget is None else max(budget - self._conversation.spent_tokens, 0),
        )


def _telling(child: SubAgent, kind: str, context: CallContext) -> Tell:
    """Tells what happens to it with its name, or that of who works for it."""
    own = {"id": child.session_id, "kind": kind}

    def tell(message: EventMessage, whose: Mapping[str, str] | None) -> None:
        context.tell(message, delegate=whose or own)

    return tell


def _answer(outcome: Outcome) -> Answer:
    done = outcome.status == "completed"
    return Answer(
        ENDED[outcome.status].format(why=(outcome.last_message or SAID_NOTHING) if done else outcome.why), done
    )

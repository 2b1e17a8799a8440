"""One answer of the model; the tool calls in it are carried out while it still comes in.

Whatever the model has completed is recorded as it arrives, calls before they are carried out. When the stream breaks
off, what was begun is brought to its end and recorded, and the model is asked again with all of that in view, now or in
the next turn; so no call is carried out twice, and none without the model knowing.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from sandgate.errors import ModelError, StreamBroken
from sandgate.model.prompt import Asking, Prompt
from sandgate.model.streaming import (
    Completed,
    ItemAdded,
    ItemDone,
    LimitsSeen,
    ReasoningDelta,
    Retrying,
    SectionBreak,
    TextDelta,
)
from sandgate.protocol.events import (
    AgentMessage,
    AgentMessageDelta,
    AgentReasoning,
    AgentReasoningDelta,
    AgentReasoningSectionBreak,
    ItemCompleted,
    ItemStarted,
    StreamError,
    TokenCount,
    TurnDiff,
    Warned,
    WebSearchBegin,
    WebSearchEnd,
)
from sandgate.protocol.items import (
    CustomToolCall,
    CustomToolCallOutput,
    FunctionCall,
    FunctionCallOutput,
    LocalShellCall,
    Message,
    Reasoning,
    WebSearchCall,
    call_id_of,
    message_text,
)
from sandgate.record import Record
from sandgate.session.calls import Calls, output_of
from sandgate.session.interfaces import Answer
from sandgate.session.reconnecting import before_retry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.model.streaming import Model, ModelEvent
    from sandgate.protocol.items import Call, Item
    from sandgate.session.context import TurnContext
    from sandgate.session.conversation import Conversation
    from sandgate.session.fair_lock import FairLock
    from sandgate.session.interfaces import SessionTools, Sleep

CALLS_MAX = 512  # carried out of one response; every call is a task, and a thread while it works
UNNAMED = "unnamed_{place}"  # the id of a call that came without one
UNANSWERABLE = "a shell call without an id cannot be answered"
TOO_MANY = f"not carried out: a response may have {CALLS_MAX} calls"
FORGED = "the provider sent a message as `{role}`, which is not the model's to say; it was left out"


class Sampled(Record):
    """What came of it."""

    called: bool  # tools answered: the model is to be asked again
    last_message: str | None  # the text of the last message


class Sampler:
    """Asks the model of one session. Belongs to one event loop."""

    def __init__(
        self,
        model: Model,
        tools: SessionTools,
        conversation: Conversation,
        lock: FairLock,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._model = model
        self._tools = tools
        self._conversation = conversation
        self._lock = lock
        self._sleep = sleep

    async def sample(self, context: TurnContext) -> Sampled:
        """One complete answer, after as many attempts as it takes. Raises ModelError."""
        broken_off = 0
        while True:
            answer = _Answering(context, self._conversation, Calls(self._tools, self._lock, context))
            try:
                problem = await self._stream(answer, context)
                called = await answer.settle()
                await self._tell_diff(context)
            except BaseException:
                await answer.abort()
                raise
            if problem is None:
                return Sampled(called, answer.last_message)
            if not isinstance(problem, StreamBroken):
                raise problem
            broken_off += 1
            await before_retry(context, broken_off, problem, self._sleep)

    async def _tell_diff(self, context: TurnContext) -> None:
        if len(context.patches) == context.patches_told:
            return
        context.patches_told = len(context.patches)
        diff = await self._tools.diff(context.patches)
        if diff:
            context.tell(TurnDiff(diff))

    async def _stream(self, answer: _Answering, context: TurnContext) -> ModelError | None:
        """Takes the answer as it comes; what ended it early, if anything did."""
        settings = context.turn.settings
        prompt = Prompt(
            instructions=settings.instructions,
            input=self._conversation.history.for_prompt(),
            tools=self._tools.definitions(),
            parallel_tool_calls=settings.parallel_tool_calls,
            output_schema=context.turn.output_schema,
            how=settings.model,
        )
        asking = Asking(settings.session_id, context.turn_id, settings.delegate, settings.parent_id)
        async with aclosing(self._model.stream(prompt, asking)) as events:  # type: ignore[type-var]
            try:
                async for event in events:
                    answer.take(event)
            except ModelError as problem:
                return problem
        return None


# What an item is while the model has said nothing of it but its kind.
_EMPTY: dict[str, Item] = {
    "message": Message("assistant", ()),
    "reasoning": Reasoning(),
    "web_search_call": WebSearchCall(),
}


class _Answering:
    """One attempt."""

    def __init__(self, context: TurnContext, conversation: Conversation, calls: Calls) -> None:
        self._context = context
        self._conversation = conversation
        self._calls = calls
        self._started: set[str] = set()  # items that were told to begin
        self.last_message: str | None = None

    def take(self, event: ModelEvent) -> None:
        context = self._context
        match event:
            case ItemDone():
                self._item(event.item)
            case ItemAdded():
                self._begun(event)
            case TextDelta():
                context.first_token()
                context.tell(AgentMessageDelta(event.delta))
            case ReasoningDelta(raw=False):
                context.tell(AgentReasoningDelta(event.delta))
            case SectionBreak():
                context.tell(AgentReasoningSectionBreak())
            case LimitsSeen():
                self._conversation.limits = event.limits
                context.tell(TokenCount(self._conversation.info, event.limits))
            case Retrying():
                context.tell(StreamError(f"Reconnecting... {event.attempt}/{event.attempts_max}", event.why))
            case Completed():
                window = context.turn.settings.model.context_window
                self._conversation.count(context.turn_id, event.usage, window)

    def _begun(self, event: ItemAdded) -> None:
        empty = _EMPTY.get(event.kind)
        if empty is not None:
            self._started.add(event.item_id)
            self._context.tell(ItemStarted(self._context.turn_id, empty, event.item_id))
        if event.kind == "web_search_call":  # it goes on elsewhere, and may take its time
            self._context.tell(WebSearchBegin(event.item_id))

    async def settle(self) -> bool:
        """Waits for the calls and records what they answered, in their order; whether there were any."""
        self._conversation.record(await self._calls.outputs())
        return len(self._calls) > 0

    async def abort(self) -> None:
        """The turn does not go on with the answer: what was begun is ended, and answered for the record."""
        self._conversation.record(await self._calls.aborted())

    def _call(self, call: Call) -> None:
        if isinstance(call, FunctionCall | CustomToolCall) and not call.call_id:
            # No provider takes a call without an id back: the session could never go on. The same one in every replay.
            call = call.but(call_id=UNNAMED.format(place=len(self._conversation.history.items)))
        self._conversation.record((call,))
        if not call_id_of(call):
            self._conversation.record((FunctionCallOutput("", UNANSWERABLE, success=False),))
        elif len(self._calls) >= CALLS_MAX:
            self._conversation.record((output_of(call, Answer(TOO_MANY, success=False)),))
        else:
            self._calls.begin(call)

    def _item(self, item: Item) -> None:
        context = self._context
        context.first_token()
        match item:
            case FunctionCallOutput() | CustomToolCallOutput():
                return  # not the model's to say
            case Message(role=role) if role != "assistant":
                # It would stand in the history as the word of the person, and outlive every summary.
                context.tell(Warned(FORGED.format(role=role)))
                return
            case FunctionCall() | CustomToolCall() | LocalShellCall():
                self._call(item)
                return
        self._conversation.record((item,))
        item_id: str = getattr(item, "id", "")
        if item_id in self._started:
            self._started.discard(item_id)
        else:
            context.tell(ItemStarted(context.turn_id, item, item_id))
        context.tell(ItemCompleted(context.turn_id, item, item_id))
        match item:
            case Message(role="assistant"):
                self.last_message = message_text(item)
                context.tell(AgentMessage(self.last_message))
            case Reasoning():
                for text in item.summary:
                    context.tell(AgentReasoning(text))
            case WebSearchCall():
                context.tell(WebSearchEnd(item.id, str((item.action or {}).get("query", ""))))

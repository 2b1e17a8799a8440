"""A model, tools and a transcript whose every word and moment a test decides."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sandgate.errors import RequestError
from sandgate.model.prompt import Asking, ModelSettings, Prompt
from sandgate.model.streaming import Completed, ItemDone
from sandgate.protocol.events import (
    CustomPrompt,
    Event,
    Failed,
    HistoryEntry,
    SessionConfigured,
    TaskComplete,
    TurnAborted,
)
from sandgate.protocol.items import FunctionCall, InputText, Message, OutputText, user_message
from sandgate.protocol.operations import ContextChange, TextInput, UserInput
from sandgate.protocol.permissions import ReadOnly
from sandgate.protocol.usage import TokenUsage
from sandgate.session.compacting import Compactor
from sandgate.session.conversation import Conversation
from sandgate.session.event_log import EventLog
from sandgate.session.fair_lock import FairLock
from sandgate.session.history import History
from sandgate.session.inbox import SessionInbox
from sandgate.session.interfaces import Answer
from sandgate.session.sampling import Sampler
from sandgate.session.session import Session
from sandgate.session.turn import SessionSettings
from sandgate.session.turn_kinds import KnownTurnKinds
from sandgate.session.turn_loop import TurnLoop

if TYPE_CHECKING:
    from sandgate.model.streaming import ModelEvent
    from sandgate.protocol.events import EventMessage
    from sandgate.protocol.items import Call, Item
    from sandgate.session.interfaces import CallContext

    Step = ModelEvent | Exception | asyncio.Event

SETTINGS = ModelSettings("double", context_window=100_000)


async def settled() -> None:
    """Whatever can happen without anything from outside has happened."""
    for _ in range(50):
        await asyncio.sleep(0)


class ModelDouble:
    """Answers each request with the next script: events as they are, errors raised, `asyncio.Event`s waited for."""

    def __init__(self, *answers: Sequence[Step]) -> None:
        self.settings = SETTINGS
        self.answers = list(answers)
        self.asked: list[Prompt] = []
        self.by: list[Asking] = []
        self.closed_early = 0

    async def stream(self, prompt: Prompt, asking: Asking) -> AsyncIterator[ModelEvent]:
        self.asked.append(prompt)
        self.by.append(asking)
        script = self.answers.pop(0) if self.answers else says("nothing more")
        try:
            for step in script:
                if isinstance(step, asyncio.Event):
                    await step.wait()
                elif isinstance(step, Exception):
                    raise step
                else:
                    yield step
        except (asyncio.CancelledError, GeneratorExit):
            self.closed_early += 1
            raise

    async def close(self) -> None:
        return


def says(text: str, *, tokens: int = 10) -> list[Step]:
    """A complete answer of one message."""
    return [ItemDone(Message("assistant", (OutputText(text),))), completed(tokens)]


def calls(*wanted: tuple[str, str], tokens: int = 10, arguments: str = "{}") -> list[Step]:
    """A complete answer of these calls: id and name of a tool."""
    return [*(ItemDone(FunctionCall(name, arguments, call_id)) for call_id, name in wanted), completed(tokens)]


def completed(tokens: int = 10) -> Completed:
    """The end of an answer."""
    return Completed("resp", TokenUsage(input_tokens=tokens, total_tokens=tokens))


class ToolsDouble:
    """Each tool is a function of the call and its context; what is not there answers `unsupported call`."""

    def __init__(self, **tools: Callable[[Call, CallContext], Coroutine[Any, Any, str]]) -> None:
        self.tools = tools
        self.alone: set[str] = set()
        self.history: dict[tuple[int, int], HistoryEntry] = {}
        self.story: list[str] = []
        self.alive: tuple[int, ...] = ()
        self.closed = False

    def definitions(self) -> tuple[Mapping[str, Any], ...]:
        return tuple({"type": "function", "name": name} for name in self.tools)

    def is_alone(self, call: Call) -> bool:
        return getattr(call, "name", "") in self.alone

    async def call(self, call: Call, context: CallContext) -> Answer:
        name = getattr(call, "name", "")
        if name not in self.tools:
            return Answer(f"unsupported call: {name}", success=False)
        call_id = getattr(call, "call_id", "")
        self.story.append(f"begin {call_id}")
        try:
            said = await self.tools[name](call, context)
        except asyncio.CancelledError:
            self.story.append(f"cancel {call_id}")
            raise
        self.story.append(f"end {call_id}")
        return Answer(said, success=True)

    async def diff(self, patches: Sequence[str]) -> str:
        return f"diff of {', '.join(patches)}"

    def external_tools(self) -> Mapping[str, Mapping[str, Any]]:
        return {"server__look": {"name": "look"}}

    async def custom_prompts(self) -> tuple[CustomPrompt, ...]:
        return (CustomPrompt("tidy", "/tidy.md", "Tidy up."),)

    async def history_entry(self, log_id: int, offset: int) -> HistoryEntry | None:
        return self.history.get((log_id, offset))

    async def add_to_history(self, text: str, session_id: str) -> None:
        self.history[(1, len(self.history))] = HistoryEntry(session_id, 0, text)

    def living(self) -> tuple[int, ...]:
        return self.alive

    async def close(self) -> None:
        self.closed = True


class TranscriptDouble:
    """Keeps everything in memory."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.events: list[EventMessage] = []
        self.compacted: list[tuple[str, tuple[Item, ...]]] = []
        self.contexts: list[Mapping[str, Any]] = []
        self.audit: list[Mapping[str, Any]] = []
        self.flushed = 0
        self.closed = False
        self.failure: Exception | None = None

    def keep(self, item: Item) -> None:
        self.items.append(item)

    def keep_event(self, message: EventMessage) -> None:
        self.events.append(message)

    def keep_context(self, context: Mapping[str, Any]) -> None:
        self.contexts.append(context)

    def keep_compacted(self, message: str, replacement: Sequence[Item]) -> None:
        self.compacted.append((message, tuple(replacement)))

    def keep_audit(self, record: Mapping[str, Any]) -> None:
        self.audit.append(record)

    async def flush(self) -> None:
        self.flushed += 1
        if self.failure is not None:
            raise self.failure

    async def close(self) -> None:
        self.closed = True


class NoNews:
    """A situation that needs no telling."""

    def news(self, _told: Sequence[Item]) -> Sequence[Item]:
        return ()

    def context(self) -> Mapping[str, Any]:
        return {}


class TurnChangesDouble:
    """Agrees to every model but `"none such"`; `held` are those of the turns that began."""

    def __init__(self) -> None:
        self.held: list[str] = []

    async def agreed(self, before: SessionSettings, change: ContextChange) -> SessionSettings:
        if change.model == "none such":
            raise RequestError("there is none such")
        return before.but(model=before.model.but(model=change.model)) if change.model else before

    async def hold(self, settings: SessionSettings) -> None:
        self.held.append(settings.model.model)


class SessionDesk:
    """A session of doubles that runs, and what it tells. Leave the block to end it."""

    def __init__(
        self,
        model: ModelDouble,
        tools: ToolsDouble | None = None,
        *,
        remote: ModelDouble | None = None,
        **settings: Any,
    ) -> None:
        self.model = model
        self.tools = tools or ToolsDouble()
        self.transcript = TranscriptDouble()
        self.log = EventLog()
        self.history = History()
        self.conversation = Conversation(self.history, self.transcript, self.log)
        self.inbox = SessionInbox(self.conversation.tell)
        self.slept: list[float] = []
        self.undone: list[str] = []
        self.turning = TurnChangesDouble()
        self.settings = SessionSettings(
            "session", "/", "be good", model.settings, "double", "on-request", ReadOnly()
        ).but(**settings)
        compactor = Compactor(
            model,
            self.conversation,
            initial=lambda: (user_message("initial"),),
            remote=remote,
            sleep=self._sleep,
        )
        sampler = Sampler(model, self.tools, self.conversation, FairLock(), sleep=self._sleep)
        works = KnownTurnKinds(
            TurnLoop(sampler, self.conversation, compactor),
            compactor,
            read_image=lambda path: InputText(f"no picture at {path}"),
            undo=self._undo,
            review=self._review,
            user_shell=self._user_shell,
        )
        self.session = Session(
            self.settings,
            self.conversation,
            inbox=self.inbox,
            tools=self.tools,
            works=works,
            situation=NoNews(),
            turning=self.turning,
            configured=SessionConfigured("session", "double", "/", "on-request", {"mode": "read-only"}, "double"),
        )

    async def __aenter__(self) -> SessionDesk:
        self.life = asyncio.ensure_future(self.session.run())
        return self

    async def __aexit__(self, *_error: object) -> None:
        self.life.cancel()
        await asyncio.wait((self.life,))

    def say(self, text: str, **more: Any) -> str:
        """A person says something."""
        return self.session.submit(UserInput((TextInput(text),), **more))

    async def until(self, *ends: type, turn: str = "") -> list[Event]:
        """What happened up to the first event of such a type, of that turn."""
        found = []
        async for event in self.session.events():
            found.append(event)
            if isinstance(event.msg, ends) and turn in ("", event.id):
                return found
        return found

    async def turn(self, text: str, **more: Any) -> list[Event]:
        """One turn to its end; only its own events."""
        name = self.say(text, **more)
        events = await self.until(TaskComplete, TurnAborted, Failed, turn=name)
        return [event for event in events if event.id == name]

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    async def _undo(self, call_id: str) -> bool:
        self.undone.append(call_id)
        return call_id != "unknown"

    async def _review(self, _context: Any, op: Any) -> str | None:
        return f"reviewed {op.prompt}"

    async def _user_shell(self, context: Any, command: str) -> None:
        self.conversation.record((user_message(f"ran {command} in {context.turn_id}"),))

"""One agent: what is asked of it is taken in order, one turn runs at a time, and everything it does is told.

Nothing here waits for a turn; what is asked during one is heard within it, or ends it first.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from time import time

from sandgate.errors import RequestError, SandgateError, SessionEnded
from sandgate.protocol.events import (
    Failed,
    HistoryEntryResponse,
    ItemCompleted,
    ItemStarted,
    ListCustomPromptsResponse,
    McpListToolsResponse,
    ShutdownComplete,
    TaskComplete,
    TaskStarted,
    TurnAborted,
    UserMessage,
    Warned,
)
from sandgate.protocol.items import InputImage, Message, message_text
from sandgate.protocol.operations import (
    AddToHistory,
    AnswerApproval,
    Compact,
    GetHistoryEntry,
    Interrupt,
    ListCustomPrompts,
    ListMcpTools,
    OverrideTurnContext,
    Review,
    RunUserShellCommand,
    Shutdown,
    Submission,
    Undo,
    UserInput,
    UserTurn,
)
from sandgate.protocol.permissions import Granular, approval_name
from sandgate.protocol.wire import plain, sandbox_json
from sandgate.session.context import TurnContext
from sandgate.session.ids import new_id
from sandgate.session.notices import turn_aborted
from sandgate.session.turn import Turn
from sandgate.session.turn_loop import BudgetSpent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
    from typing import Any, Protocol

    from sandgate.protocol.events import AbortReason, Event, EventMessage, SessionConfigured
    from sandgate.protocol.items import Item
    from sandgate.protocol.operations import ContextChange, InputItem, Operation
    from sandgate.session.conversation import Conversation
    from sandgate.session.inbox import SessionInbox
    from sandgate.session.interfaces import SessionTools
    from sandgate.session.turn import SessionSettings

    class TurnKinds(Protocol):
        """What a turn may be about. Each gives the text of the last message, and raises SandgateError."""

        def message(self, items: Sequence[InputItem]) -> Message:
            """What a person said, as the model hears it."""

        async def regular(self, active: ActiveTurn) -> str | None:
            """The model goes on with the conversation."""

        async def compact(self, active: ActiveTurn) -> str | None:
            """The history is replaced by a summary."""

        async def review(self, active: ActiveTurn, op: Review) -> str | None:
            """The work is looked at by a model that does not know the conversation."""

        async def user_shell(self, active: ActiveTurn, command: str) -> str | None:
            """A command of the person's, of which the model is told."""

        async def undo(self, active: ActiveTurn, patches: list[str]) -> str | None:
            """Patches are taken back, the last one first, and leave the list."""

    class TurnNews(Protocol):
        """What the model has to know before a turn."""

        def news(self, told: Sequence[Item], /) -> Sequence[Item]:
            """What the conversation `told` does not say yet."""

        def context(self) -> Mapping[str, Any]:
            """What it was told, for a process that resumes the session."""

    class ChangingTurns(Protocol):
        """What may change from one turn to the next."""

        async def agreed(self, before: SessionSettings, change: ContextChange, /) -> SessionSettings:
            """What holds from the next turn on. Raises SandgateError for what cannot; nothing is done yet."""

        async def hold(self, settings: SessionSettings, /) -> None:
            """Puts it in force for the turn that begins. Raises SandgateError, and then nothing has changed."""

    Work = Callable[["ActiveTurn"], Coroutine[Any, Any, str | None]]

SUBMISSIONS_MAX = 512  # waiting to be looked at
TURN_END_S = 4.0  # for a turn that is ended to be over: its tools have two seconds, the disk the rest
SHUTDOWN_S = 10.0  # for everything to be over
BUSY = "the session has {limit} wishes that it has not looked at yet"
OVER = "the session is over"


class ActiveTurn:
    """The turn that runs."""

    def __init__(self, context: TurnContext, *, hears: bool) -> None:
        self.context = context
        self.hears = hears
        self.reason: AbortReason = "interrupted"
        self.open = True  # hears what is said meanwhile
        self.task: asyncio.Task[None] | None = None
        self._pending: list[Item] = []

    def hear(self, items: Sequence[Item]) -> None:
        """Something is said to the turn."""
        self._pending.extend(items)

    def take_pending(self) -> tuple[Item, ...]:
        """What was said since the last time."""
        pending, self._pending = tuple(self._pending), []
        return pending


class Session:
    """One agent. Belongs to one event loop; `run` is its life."""

    def __init__(
        self,
        settings: SessionSettings,
        conversation: Conversation,
        *,
        inbox: SessionInbox,
        tools: SessionTools,
        works: TurnKinds,
        situation: TurnNews,
        turning: ChangingTurns,
        configured: SessionConfigured,
        patches: Sequence[str] = (),
        last_turn: str = "",
    ) -> None:
        """Where it goes on: `last_turn` is the last one of the person, `patches` the calls that patched in it."""
        self.settings = settings
        self.configured = configured
        self._conversation = conversation
        self._inbox = inbox
        self._tools = tools
        self._works = works
        self._situation = situation
        self._turning = turning
        self._submissions: asyncio.Queue[Submission] = asyncio.Queue(SUBMISSIONS_MAX)
        self._active: ActiveTurn | None = None
        self._last_patches = list(patches)
        self._last_turn = last_turn
        self._over = False
        conversation.tell("", configured)

    def submit(self, op: Operation, *, name: str = "") -> str:
        """Asks for something; returns at once with the id that its events carry. Raises SessionEnded, RequestError."""
        if self._over:
            raise SessionEnded(OVER)
        submission = Submission(name or new_id(), op)
        try:
            self._submissions.put_nowait(submission)
        except asyncio.QueueFull:
            raise RequestError(BUSY.format(limit=SUBMISSIONS_MAX), hint="wait for its events") from None
        return submission.id

    @property
    def told(self) -> int:
        """How many events there are so far."""
        return self._conversation.log.next_number

    def events(self, after: int = 0) -> AsyncIterator[Event]:
        """What happens, from the event of that number on. Raises RequestError when that is too long ago."""
        return self._conversation.log.after(after)

    async def run(self) -> None:
        """Takes what is asked for, in order, until `Shutdown`; cancelled, it ends everything all the same."""
        try:
            while True:
                submission = await self._submissions.get()
                if isinstance(submission.op, Shutdown):
                    break
                await self._take(submission)
        finally:
            self._over = True
            await asyncio.shield(asyncio.ensure_future(self._shut_down()))

    async def _take(self, submission: Submission) -> None:
        match submission.op:
            case UserInput():
                await self._heard(submission.id, submission.op)
            case UserTurn() as op:
                if await self._changed(submission.id, op.change):
                    await self._heard(submission.id, op)
            case OverrideTurnContext() as op:
                if await self._changed(submission.id, op.change):
                    self._keep_change(submission.id)
            case Interrupt():
                await self._end_turn("interrupted")
            case AnswerApproval(id=name, decision=decision):
                answered = self._inbox.answer(name, decision)
                if answered and decision.decision == "abort":  # of a question that is over, it is not about this turn
                    await self._end_turn("interrupted")
            case Compact():
                await self._start(submission.id, self._works.compact, hears=False)
            case Review() as op:
                await self._start(submission.id, lambda active: self._reviewed(active, op), hears=False)
            case RunUserShellCommand(command=command):
                await self._start(submission.id, lambda active: self._works.user_shell(active, command), hears=False)
            case ListMcpTools():
                self._conversation.tell(submission.id, McpListToolsResponse(self._tools.external_tools()))
            case ListCustomPrompts():
                await self._answer(submission.id, self._tools.custom_prompts(), ListCustomPromptsResponse)
            case GetHistoryEntry(offset=offset, log_id=log_id):
                found = self._tools.history_entry(log_id, offset)
                await self._answer(submission.id, found, partial(HistoryEntryResponse, offset, log_id))
            case AddToHistory(text=text):
                await self._answer(submission.id, self._tools.add_to_history(text, self.settings.session_id), None)
            case Undo():
                await self._start(
                    submission.id, lambda active: self._works.undo(active, self._last_patches), hears=False
                )
            case _:
                return  # `Shutdown` ends the loop

    async def would_hold(self, change: ContextChange) -> SessionSettings:
        """What would hold from the next turn on. Raises SandgateError for what cannot; nothing is done."""
        return await self._turning.agreed(self.settings, change)

    async def _changed(self, turn_id: str, change: ContextChange) -> bool:
        """Whether other settings are to hold, and hold from the next turn on; else that is told and nothing changes."""
        try:
            self.settings = await self._turning.agreed(self.settings, change)
        except SandgateError as problem:
            self._conversation.tell(turn_id, _failed(problem))
            return False
        return True

    async def _answer(self, name: str, asked: Awaitable[Any], told: Callable[[Any], EventMessage] | None) -> None:
        """`told` makes an event of what was asked for; None: only a failure is told."""
        try:
            found = await asked
        except SandgateError as problem:
            self._conversation.tell(name, _failed(problem))
        else:
            if told is not None:
                self._conversation.tell(name, told(found))

    def _keep_change(self, turn_id: str) -> None:
        # No turn begins with it, and the session may end before one does.
        self._conversation.transcript.keep_context(self._situated(turn_id, self.settings))

    async def _heard(self, turn_id: str, said: UserInput | UserTurn) -> None:
        items = (self._works.message(said.items),)
        active = self._active
        if active is not None and active.open and active.hears:
            active.hear(items)
            self._tell_said(active.context, items)
            if isinstance(said, UserTurn):
                self._keep_change(turn_id)
            return
        await self._start(turn_id, lambda active: self._regular(active, items), schema=said.output_schema)

    async def _regular(self, active: ActiveTurn, items: Sequence[Item]) -> str | None:
        context = active.context
        self._last_turn = context.turn_id
        self._conversation.record(self._situation.news(self._conversation.history.items))
        self._conversation.transcript.keep_context(self._situated(context.turn_id, context.turn.settings))
        self._conversation.record(items)
        self._tell_said(context, items)
        return await self._works.regular(active)

    async def _reviewed(self, active: ActiveTurn, op: Review) -> str | None:
        # A session that is resumed later goes on under the policy of its last turn, a review included.
        self._conversation.transcript.keep_context(self._situated(active.context.turn_id, active.context.turn.settings))
        return await self._works.review(active, op)

    def _situated(self, turn_id: str, settings: SessionSettings) -> dict[str, Any]:
        """What holds for the turn, for a process that resumes the session."""
        return {
            "turn_id": turn_id,
            "last_turn": self._last_turn,  # whose patches can be taken back: a review is no turn of the person
            "cwd": settings.cwd,
            "approval_policy": approval_name(settings.approval),
            "sandbox_policy": sandbox_json(settings.sandbox),
            **({"granular": plain(settings.approval)} if isinstance(settings.approval, Granular) else {}),
            "model": settings.model.model,
            "effort": settings.model.effort,
            "summary": settings.model.summary,
            "model_provider": settings.provider_id,
            "changed": list(settings.changed),
            **self._situation.context(),
        }

    def _tell_said(self, context: TurnContext, items: Sequence[Item]) -> None:
        for item in items:
            if isinstance(item, Message):
                images = tuple(part.image_url for part in item.content if isinstance(part, InputImage))
                context.tell(ItemStarted(context.turn_id, item, item.id))
                context.tell(ItemCompleted(context.turn_id, item, item.id))
                context.tell(UserMessage(message_text(item), images))

    async def _start(self, turn_id: str, work: Work, *, schema: Any = None, hears: bool = True) -> None:
        await self._end_turn("replaced")
        context = TurnContext(Turn(turn_id, self.settings, schema), self._conversation, self._inbox)
        active = self._active = ActiveTurn(context, hears=hears)
        active.task = asyncio.ensure_future(self._worked(active, work))
        await asyncio.sleep(0)  # it has begun, and so has an end, whatever is asked next

    async def _worked(self, active: ActiveTurn, work: Work) -> None:
        context = active.context
        ending: EventMessage
        marked: tuple[Item, ...] = ()
        window = context.turn.settings.model.context_window
        context.tell(TaskStarted(context.turn_id, round(time()), window))
        try:
            await self._turning.hold(context.turn.settings)
            last = await work(active)
            active.open = False
            ending = TaskComplete(
                context.turn_id, round(time()), context.lasted_ms, last, time_to_first_token_ms=context.first_token_ms
            )
        except asyncio.CancelledError:
            marked = (turn_aborted(map(str, self._tools.living()), active.reason),)
            ending = TurnAborted(context.turn_id, active.reason)
        except BudgetSpent:
            ending = TurnAborted(context.turn_id, "budget_limited")
        except SandgateError as problem:
            ending = _failed(problem)
        except Exception as problem:  # the turn's edge: a bug ends this turn and is told; the session goes on
            asyncio.get_running_loop().call_exception_handler(
                {"message": "sandgate: a turn failed", "exception": problem}
            )
            ending = Failed(f"internal error: {type(problem).__name__}: {problem}", "internal_error")
        # Words that came too late for the model are in the next turn's request.
        self._conversation.record((*active.take_pending(), *marked))
        active.open = False
        self._inbox.drop(context.turn_id)
        if active.hears:  # what takes back, sums up or reviews patches nothing
            self._last_patches = list(context.patches)
        await self._flush(context)
        if self._active is active:
            self._active = None
        context.tell(ending)

    async def _flush(self, context: TurnContext) -> None:
        try:
            await self._conversation.transcript.flush()
        except SandgateError as problem:
            context.tell(Warned(str(problem)))

    async def _end_turn(self, reason: AbortReason) -> None:
        active = self._active
        if active is None or active.task is None:
            return
        active.reason = reason
        self._inbox.drop(active.context.turn_id)
        if active.open:
            active.task.cancel()
        await asyncio.wait((active.task,), timeout=TURN_END_S)

    async def _shut_down(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(SHUTDOWN_S):
                await self._end_turn("interrupted")
                await self._tools.close()
        try:
            await self._conversation.transcript.close()
        except SandgateError as problem:
            self._conversation.log.emit("", _failed(problem))  # there is nothing to keep it in
        self._conversation.tell("", ShutdownComplete())


def _failed(problem: SandgateError) -> Failed:
    """With what the reader can do, which the event has no other place for."""
    return Failed(f"{problem} ({problem.hint})" if problem.hint else str(problem), problem.code)

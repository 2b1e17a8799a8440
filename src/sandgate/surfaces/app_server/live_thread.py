"""One thread that is open here: a session, who watches it, and what it asks.

It has a life of its own: it goes on while a turn runs, whoever comes and goes, and ends when nobody watches it and
nothing is going on. What clients are told comes from the session's numbered events, each taken once and in order, so a
client that joins is shown everything until now, and told everything from now on.
"""

from __future__ import annotations

import asyncio
from time import time

from sandgate.errors import SandgateError
from sandgate.protocol import events as told
from sandgate.protocol.operations import Interrupt, OverrideTurnContext, UserInput, UserTurn
from sandgate.protocol.wire import sendable
from sandgate.surfaces.app_server import item_forms as forms
from sandgate.surfaces.app_server.questions import ThreadQuestions
from sandgate.surfaces.app_server.refusal import RequestRefused, refusal_of
from sandgate.surfaces.app_server.story import Story
from sandgate.surfaces.app_server.thread_forms import opened_form, settings_form, thread_form
from sandgate.surfaces.app_server.turn_log import new_turn, past_turns
from sandgate.surfaces.sessions.life import SessionLife

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractAsyncContextManager
    from typing import Any

    from sandgate.agent.agent import Agent, SessionSettings
    from sandgate.protocol.events import Event
    from sandgate.protocol.operations import ContextChange, InputItem, Operation
    from sandgate.surfaces.app_server.questions import Asked, ThreadWatcher

    Json = dict[str, Any]

WATCHERS_MAX = 64
PREVIEW_CHARS = 160
ENDINGS = (told.TaskComplete, told.TurnAborted, told.Failed)
BUSY = "a turn runs in this thread: say it with turn/steer, or end that turn first"
NO_TURN = "no active turn to {deed}"
OTHER_TURN = "another turn runs in this thread: `{turn}`"
ENDED = "the thread has ended"


class LiveThread:
    """Belongs to one event loop."""

    def __init__(
        self, over: Callable[[LiveThread], object], *, ephemeral: bool, thread_source: str | None, reviewer: str
    ) -> None:
        """`over` is called when it has ended, and each time when nobody watches it and nothing is going on."""
        self._told_over = over
        self._ephemeral = ephemeral
        self._thread_source = thread_source
        self.reviewer = reviewer
        self._watchers: list[ThreadWatcher] = []
        self._created = self._updated = int(time())
        self._preview = ""
        self._ends: list[asyncio.Future[None]] = []  # of those who wait for the end of the turn
        self._submitted = ""  # a turn that has not told of its beginning yet
        self._life = SessionLife(self._begun, self._take, self._ended)
        self.id = ""  # until it has begun
        self.name: str | None = None
        self.announced = False  # to all clients

    async def begin(self, opening: AbstractAsyncContextManager[Agent]) -> None:
        """Raises what opening a session raises."""
        await self._life.begin(opening)

    @property
    def over(self) -> bool:
        """It has ended, or is about to."""
        return self._life.over

    @property
    def idle(self) -> bool:
        """Nobody watches it, and nothing is going on."""
        return not self._watchers and self.story.turn is None and not self._submitted

    def watch(self, watcher: ThreadWatcher) -> None:
        """It is told what happens from now on."""
        if self.over:
            raise RequestRefused(ENDED)
        if watcher in self._watchers:
            return
        if len(self._watchers) >= WATCHERS_MAX:
            raise RequestRefused(f"a thread has at most {WATCHERS_MAX} clients")
        self._watchers.append(watcher)

    def show_questions(self, watcher: ThreadWatcher) -> None:
        """One that has come is asked what is open."""
        if watcher in self._watchers:
            self._questions.show(watcher)

    def unwatch(self, watcher: ThreadWatcher) -> bool:
        """It is told nothing more; whether it had been."""
        if watcher not in self._watchers:
            return False
        self._watchers.remove(watcher)
        self._questions.forget(watcher, last=not self._watchers)
        return True

    @property
    def holding(self) -> SessionSettings:
        """What holds from the next turn on."""
        return self._agent.holding

    async def would_hold(self, change: ContextChange) -> SessionSettings:
        """What would hold if a turn came with that change. Raises Refused, SandgateError."""
        return await self._agent.would_hold(change)

    def change(self, change: ContextChange, holding: SessionSettings) -> None:
        """From the next turn on `holding` holds, which the `change` makes of what does now."""
        self._submit(OverrideTurnContext(change))
        self._tell_settings(holding)

    def say(
        self,
        items: tuple[InputItem, ...],
        client_id: str | None,
        schema: Mapping[str, Any] | None,
        change: ContextChange | None = None,
    ) -> Json:
        """Begins a turn, and says which."""
        if self.story.turn is not None or self._submitted:
            raise RequestRefused(BUSY)
        op = UserInput(items, schema) if change is None else UserTurn(items, change, schema)
        turn_id = self._submitted = self._submit(op)
        self.story.expect(client_id)
        return new_turn(turn_id, view="notLoaded")

    def steer(self, turn_id: str, items: tuple[InputItem, ...], client_id: str | None) -> None:
        """Says something to the turn that runs."""
        self._require_turn(turn_id, "steer")
        self._submit(UserInput(items))
        self.story.expect(client_id)

    async def interrupt(self, turn_id: str) -> None:
        """Ends the turn that runs, and waits for its end."""
        self._require_turn(turn_id, "interrupt")
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._ends.append(ended)
        self._submit(Interrupt())
        await ended

    async def ended(self) -> None:
        """Waits for its end, whatever brings that."""
        await self._life.ended()

    async def close(self) -> None:
        """Ends the session and everything it started; may be repeated."""
        await self._life.close()

    def form(self, *, turns: bool) -> Json:
        """The thread as clients are shown it."""
        configured, holding = self.configured, self.holding
        return thread_form(
            self.id,
            holding.cwd,
            preview=self._preview,
            ephemeral=self._ephemeral,
            model=holding.model.model,
            modelProvider=holding.provider_id,
            reasoningEffort=holding.model.effort,
            createdAt=self._created,
            updatedAt=self._updated,
            status={"type": "systemError"} if self.over else self.story.status,
            path=configured.rollout_path,
            threadSource=self._thread_source,
            forkedFromId=configured.forked_from_id,
            name=self.name,
            turns=self.story.log.turns() if turns else [],
        )

    def opened_form(self, *, turns: bool) -> Json:
        """What answers the request that opened it."""
        return {"thread": self.form(turns=turns), **opened_form(self.holding, self.reviewer)}

    def _begun(self, agent: Agent) -> None:
        self._agent = agent
        configured = self.configured = agent.configured
        self.id = agent.session_id
        self._told_settings = settings_form(agent.holding, self.reviewer)
        kept = configured.initial_messages or ()
        self.story = Story(self.id, self._tell, earlier=past_turns(kept))
        self._questions = ThreadQuestions(self.id, self._submit)
        self._preview = next((_one_line(event) for event in kept if event.get("type") == "user_message"), "")

    def _ended(self) -> None:
        self._turn_over()
        self._tell("thread/closed", {"threadId": self.id})
        self._watchers.clear()
        self._told_over(self)

    def _take(self, event: Event) -> None:
        message = event.msg
        self._updated = int(time())
        match message:
            case told.ExecApprovalRequest() | told.ApplyPatchApprovalRequest():
                self._asked(message)
                return
            case told.ApprovalResolved():
                self._resolved(message)
                return
            case told.TaskStarted():
                self._submitted = ""
                self._tell_settings(self.holding)
            case told.Failed() if event.id and event.id == self._submitted:
                self._submitted = ""
                self.story.never_began(event.id)
            case told.UserMessage() if not self._preview:
                self._preview = _one_line({"message": message.message})
        self.story.happened(event)
        if isinstance(message, ENDINGS) and event.id:
            self._turn_over()
            if self.idle:
                self._told_over(self)

    def _tell_settings(self, holding: SessionSettings) -> None:
        """Unless that is what everybody was told last."""
        settings = settings_form(holding, self.reviewer)
        if settings != self._told_settings:
            self._told_settings = settings
            self._tell("thread/settings/updated", {"threadId": self.id, "threadSettings": settings})

    def _asked(self, message: Asked) -> None:
        """The item that is asked about begins before the question, so that a client has something to show."""
        call = message.call_id if message.delegate is None else f"{message.delegate.get('id', '')}/{message.call_id}"
        request = message.request
        self.story.wait(waiting=True)
        if isinstance(message, told.ApplyPatchApprovalRequest):
            item = forms.file_change(call, request.changes)
        else:
            item = forms.command_execution(call, request.command.argv, request.command.cwd, message.parsed_cmd)
        if call not in self.story.items:
            self.story.items.begin(sendable(item), message.turn_id)
        self._questions.put(message, call, list(self._watchers))

    def _resolved(self, message: told.ApprovalResolved) -> None:
        item_id = self._questions.resolved(message.approval_id)
        if item_id is not None and not message.decision.startswith("approved"):
            self.story.refused.add(item_id)
        if not self._questions:
            self.story.wait(waiting=False)

    def _turn_over(self) -> None:
        ends, self._ends = self._ends, []
        for ended in ends:
            if not ended.done():
                ended.set_result(None)

    def _tell(self, method: str, params: Json) -> None:
        for watcher in tuple(self._watchers):
            watcher.notify(method, params)

    def _submit(self, op: Operation) -> str:
        try:
            return self._life.submit(op)
        except SandgateError as problem:
            raise refusal_of(problem) from problem

    def _require_turn(self, turn_id: str, deed: str) -> None:
        turn = self.story.turn
        if turn is None:
            raise RequestRefused(NO_TURN.format(deed=deed))
        if turn["id"] != turn_id:
            raise RequestRefused(OTHER_TURN.format(turn=turn["id"]))


def _one_line(event: Mapping[str, Any]) -> str:
    """The first thing that was said, as a list of threads shows it."""
    said = str(event.get("message") or "")[: PREVIEW_CHARS * 4]
    return " ".join(said.split())[:PREVIEW_CHARS]

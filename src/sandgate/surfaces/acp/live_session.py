"""One session that is open here: one turn at a time, what happens in it told to the client, and what it asks."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from acp.helpers import update_available_commands, update_current_mode
from acp.schema import ConfigOptionUpdate

from sandgate.errors import RequestError, SandgateError
from sandgate.protocol import events as told
from sandgate.protocol.operations import (
    ContextChange,
    Interrupt,
    ListCustomPrompts,
    ListMcpTools,
    OverrideTurnContext,
)
from sandgate.surfaces.acp import choices, commands
from sandgate.surfaces.acp.calls import ShownCalls
from sandgate.surfaces.acp.questions import SessionQuestions
from sandgate.surfaces.acp.refusal import bad_request, refusal_of
from sandgate.surfaces.acp.story import SessionStory
from sandgate.surfaces.sessions.life import SessionLife

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from typing import Any

    from acp.schema import StopReason

    from sandgate.agent.agent import Agent
    from sandgate.protocol.events import CustomPrompt, Event
    from sandgate.protocol.operations import InputItem, Operation
    from sandgate.surfaces.acp.choices import Standing
    from sandgate.surfaces.acp.client import EditorClient
    from sandgate.surfaces.acp.questions import Asked

    Ending = told.TaskComplete | told.TurnAborted | told.Failed

BUSY = "a turn runs in this session: wait for its end, or cancel it first"
ENDINGS = (told.TaskComplete, told.TurnAborted, told.Failed)


class LiveSession:
    """Belongs to one event loop. Nothing is told before `release`: the client does not know the session by then."""

    def __init__(self, client: EditorClient, over: Callable[[LiveSession], object], *, loosening: bool) -> None:
        self.id = ""  # until it has begun
        self.standing: Standing
        self._client = client
        self._told_over = over
        self._loosening = loosening
        self._life = SessionLife(self._begun, self._take, self._ended)
        self._held: list[Any] | None = []  # updates that wait for `release`
        self._turn: tuple[str, asyncio.Future[Ending]] | None = None
        self._fences: dict[str, asyncio.Future[None]] = {}  # by the id of what follows a change
        self._failures: dict[str, str | None] = {}  # of changes that are looked at, by their ids
        self._prompts: tuple[CustomPrompt, ...] = ()
        self._story = SessionStory(self._tell, ShownCalls(self._tell))

    async def begin(self, opening: AbstractAsyncContextManager[Agent]) -> None:
        """Raises what opening a session raises."""
        await self._life.begin(opening)

    def release(self) -> None:
        """The client knows of it: it is told what has happened, and which commands there are."""
        held, self._held = self._held or [], None
        for update in held:
            self._tell(update)
        with suppress(SandgateError):  # it has ended
            self._life.submit(ListCustomPrompts())

    def replay(self) -> None:
        """Tells what was said before it was opened."""
        self._story.replay(self._configured.initial_messages or ())

    def say(self, text: str) -> None:
        """As the agent."""
        self._story.say(text)

    async def prompt(self, items: tuple[InputItem, ...]) -> StopReason:
        """A whole turn. Raises the library's RequestError."""
        if self._turn is not None:
            raise bad_request(BUSY)
        op = commands.meant(items, self._prompts)
        if isinstance(op, ContextChange):
            await self.change(op)
            self.say(f"The model is `{self.standing.model}` from now on.")
            return "end_turn"
        ended: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()
        self._turn = (self._submit(op), ended)
        return _stop_reason(await ended)

    def cancel(self) -> None:
        """Ends the turn that runs; what is asked in it is taken back."""
        if self._turn is not None:
            with suppress(SandgateError):  # it has ended
                self._life.submit(Interrupt())

    async def change(self, change: ContextChange) -> None:
        """Has other settings hold from the next turn on, and tells which hold. Raises the library's RequestError."""
        loop = asyncio.get_running_loop()
        name = self._submit(OverrideTurnContext(change))
        self._failures[name] = None
        fence: asyncio.Future[None] = loop.create_future()
        self._fences[self._submit(ListMcpTools())] = fence  # it is answered after the change was looked at
        await fence
        failure = self._failures.pop(name)
        if failure is not None:
            raise bad_request(failure)
        self.standing = self.standing.after(change)
        if change.approval_policy is not None:
            self._tell(update_current_mode(self.standing.approval))
        shown = choices.options(self.standing)
        self._tell(ConfigOptionUpdate(session_update="config_option_update", config_options=shown))

    async def close(self) -> None:
        """Ends the session and everything it started; may be repeated."""
        await self._life.close()

    @property
    def over(self) -> bool:
        """It has ended, or is about to."""
        return self._life.over

    @property
    def busy(self) -> bool:
        """A turn runs."""
        return self._turn is not None

    def _begun(self, agent: Agent) -> None:
        self.id, self._configured = agent.session_id, agent.configured
        self.standing = choices.standing_of(agent.configured, loosening=self._loosening)
        self._questions = SessionQuestions(self.id, self._client, self._story.calls, self._life.submit)

    def _ended(self) -> None:
        if self.id:
            self._questions.close()
        turn, self._turn = self._turn, None
        if turn is not None and not turn[1].done():
            turn[1].set_result(told.TurnAborted(turn[0], "interrupted"))
        for fence in self._fences.values():
            if not fence.done():
                fence.set_exception(RequestError("the session has ended"))
        self._told_over(self)

    def _take(self, event: Event) -> None:
        message = event.msg
        match message:
            case told.ExecApprovalRequest() | told.ApplyPatchApprovalRequest():
                self._asked(message)
            case told.ApprovalResolved():
                self._questions.resolved(message.approval_id)
            case told.SandboxAssessment():
                self._questions.assessed(message)
            case told.ListCustomPromptsResponse():
                self._prompts = message.custom_prompts
                self._tell(update_available_commands(commands.offered_commands(self._prompts)))
            case told.McpListToolsResponse():
                fence = self._fences.pop(event.id, None)
                if fence is not None and not fence.done():
                    fence.set_result(None)
            case told.Failed() if event.id in self._failures:
                self._failures[event.id] = message.message
            case _:
                self._happened(event)

    def _happened(self, event: Event) -> None:
        message, turn = event.msg, self._turn
        ends = isinstance(message, ENDINGS) and event.delegate is None
        if not (isinstance(message, ENDINGS) and ends):
            self._story.happened(event)
        elif turn is not None and event.id == turn[0]:
            self._story.turn_over(message.last_agent_message if isinstance(message, told.TaskComplete) else None)
            self._turn = None
            if not turn[1].done():
                turn[1].set_result(message)
        elif isinstance(message, told.Failed):
            self.say(message.message)

    def _asked(self, message: Asked) -> None:
        """The call that is asked about begins before the question, so that a client has something to show."""
        delegate, request = (message.delegate or {}).get("id", ""), message.request
        key = (delegate, message.call_id)
        if key in self._story.calls:
            call = self._story.calls[key]
        elif isinstance(message, told.ApplyPatchApprovalRequest):
            call = self._story.patch(key, request.changes, pending=True)
        else:
            call = self._story.command(key, request.command.argv, request.command.cwd, message.parsed_cmd, pending=True)
        self._questions.put(message, call)

    def _tell(self, update: Any) -> None:
        if self._held is not None:
            self._held.append(update)
        else:
            self._client.tell(self.id, update)

    def _submit(self, op: Operation) -> str:
        try:
            return self._life.submit(op)
        except SandgateError as problem:
            raise refusal_of(problem) from problem


def _stop_reason(ending: Ending) -> StopReason:
    match ending:
        case told.TaskComplete():
            return "end_turn"
        case told.TurnAborted(reason="budget_limited"):
            return "max_tokens"
        case told.TurnAborted():
            return "cancelled"
        case told.Failed():
            raise refusal_of(RequestError(ending.message))

"""One session of an agent that a client has opened, and the turn that runs in it.

A turn is a call like one of the gate's tools: its questions are put by the very same mechanism, one after the other, to
the client or at another terminal, and its answer is the agent's last message.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from sandgate.agent.agent import Agents
from sandgate.agent.client_settings import ClientWishes, as_wished, placed
from sandgate.agent.options import AgentOptions
from sandgate.errors import RequestError, SandgateError
from sandgate.protocol.events import Failed, TaskComplete, TurnAborted
from sandgate.protocol.operations import Interrupt, TextInput, UserInput
from sandgate.record import Record
from sandgate.runtime.aio import on_thread
from sandgate.serving.calls import Output, ServedCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from typing import Any, TypeAlias

    from sandgate.agent.agent import Agent
    from sandgate.protocol.decisions import ApprovalRequest, Decision
    from sandgate.protocol.environment import Environment
    from sandgate.protocol.events import Event
    from sandgate.serving.calls import Review
    from sandgate.surfaces.mcp.thread_answers import ThreadAnswers

    Ending: TypeAlias = TaskComplete | TurnAborted | Failed

SOURCE = "mcp"
INTERRUPT_S = 15.0  # for a turn to end that nobody waits for any more; then its session is ended as a whole
OTHER_PROFILE = "a client cannot choose the profile `{name}`"
ENDED = "the session ended before the turn did"
ABORTED = "the turn was interrupted ({reason}); `sandgate-reply` goes on with the session"


class Delegation(Record):
    """Which model the agents of a server work with, where the client names none; see `AgentOptions`."""

    model: str | None = None
    model_script: str | None = None
    model_record: str | None = None
    model_replay: str | None = None


class ServedTurn(ServedCall):
    """A call that runs one turn of a session."""

    def __init__(self, thread: ClientThread, tool: str, arguments: Mapping[str, Any], prompt: str) -> None:
        super().__init__(thread.answers.inbox, tool, arguments, lambda review: thread.run(prompt, review))
        self.thread = thread

    async def _decided(self, request: ApprovalRequest) -> Decision:
        """A turn that ends takes back what it has asked; one whose client did not come back with an answer ends."""
        try:
            decision = await super()._decided(request)
        except asyncio.CancelledError:
            await asyncio.shield(self._withdraw())
            raise
        if decision.decision == "timed_out" and not self.thread.listeners:
            self.thread.interrupt()
        return decision


class ClientThread:
    """Opened with its first turn. `lost` is called when it cannot be, or has to be ended."""

    def __init__(
        self,
        environment: Environment,
        delegation: Delegation,
        asked: Mapping[str, Any],
        answers: ThreadAnswers,
        *,
        lost: Callable[[ClientThread], object],
    ) -> None:
        self._environment = environment
        self._delegation = delegation
        self._asked = asked
        self._lost = lost
        self._agents: Agents | None = None
        self._begun = asyncio.Event()  # it is open, or will never be
        self._turn: ServedTurn | None = None
        self.answers = answers
        self.told = 0  # events that the client has been told
        self.listeners = 0  # requests that are there for the turn; the later era has none while its client is asked

    @property
    def id(self) -> str:
        """Under which the session is kept; "" until it is open."""
        return "" if self.answers.agent is None else self.answers.agent.session_id

    @property
    def busy(self) -> bool:
        """A turn runs, or the session is about to open."""
        return self._turn is not None and not self._turn.done

    @property
    def over(self) -> bool:
        """It has ended by itself."""
        return self.answers.agent is not None and self.answers.agent.over

    @property
    def happened(self) -> int:
        """How many events there are so far."""
        return 0 if self.answers.agent is None else self.answers.agent.told

    def say(self, tool: str, arguments: Mapping[str, Any], prompt: str) -> ServedTurn:
        """Begins a turn, where none runs."""
        self._turn = ServedTurn(self, tool, arguments, prompt)
        return self._turn

    def interrupt(self) -> None:
        """Ends the turn that runs."""
        if self.answers.agent is not None:
            with suppress(SandgateError):  # the session ends already
                self.answers.agent.submit(Interrupt())

    async def run(self, prompt: str, review: Review) -> Output:
        """One turn, to its end; cancelled, it interrupts the turn, and waits until that has ended."""
        self.answers.review = review
        try:
            agent = self.answers.agent or await self._opened()
            return self._output(await self._ended(agent, prompt))
        except SandgateError as problem:
            return Output(problem.sentence, success=False)
        finally:
            self.answers.review = None
            self._begun.set()
            if self.answers.agent is None:
                self._lost(self)

    async def events(self) -> AsyncIterator[Event]:
        """What the client has not been told yet, and what happens from now on. Set `told` after each."""
        await self._begun.wait()
        agent = self.answers.agent
        while agent is not None:
            try:
                async for event in agent.events(self.told):
                    yield event
                return
            except RequestError:  # too far behind; the numbers of the events show the gap
                self.told = agent.told

    async def close(self) -> None:
        """Ends the session and everything it started."""
        if self._turn is not None:
            await self._turn.give_up()
        await self.answers.inbox.close()
        if self._agents is not None:
            await self._agents.close()

    async def _opened(self) -> Agent:
        environment, options = await on_thread(self._opening)
        self._agents = Agents(environment, interactive=True, answering=self.answers)
        self.answers.agent = await self._agents.open(options)
        self._begun.set()
        return self.answers.agent

    def _opening(self) -> tuple[Environment, AgentOptions]:
        """As the client asks. Blocks on the disk. Raises RequestError, ConfigError."""
        asked, delegation = self._asked, self._delegation
        profile = asked.get("profile")
        if profile not in (None, self._environment.profile):
            raise RequestError(
                OTHER_PROFILE.format(name=profile), hint="start the server with it: `sandgate mcp --profile NAME`"
            )
        config = dict(asked.get("config", {}))
        if "compact-prompt" in asked:
            config["compact_prompt"] = asked["compact-prompt"]
        wishes = ClientWishes(asked.get("approval-policy"), asked.get("sandbox"), config, strict=True)
        environment = as_wished(placed(self._environment, asked.get("cwd")), wishes)
        return environment, AgentOptions(
            model=asked.get("model") or delegation.model,
            model_script=delegation.model_script,
            model_record=delegation.model_record,
            model_replay=delegation.model_replay,
            source=SOURCE,
            instructions=asked.get("base-instructions"),
            only_tighten=True,
        )

    async def _ended(self, agent: Agent, prompt: str) -> Ending | None:
        after = agent.told
        turn_id = agent.submit(UserInput((TextInput(prompt),)))
        ending = asyncio.ensure_future(_end_of(agent, turn_id, after))
        try:
            return await asyncio.shield(ending)
        except asyncio.CancelledError:
            self.interrupt()
            _done, late = await asyncio.wait((ending,), timeout=INTERRUPT_S)
            if late:
                ending.cancel()
                self._lost(self)
            raise

    def _output(self, ending: Ending | None) -> Output:
        match ending:
            case TaskComplete():
                text, success = ending.last_agent_message or "", True
            case TurnAborted():
                text, success = ABORTED.format(reason=ending.reason), False
            case Failed():
                text, success = ending.message, False
            case None:
                text, success = ENDED, False
        named = {"threadId": self.id, "conversationId": self.id, "content": text}
        return Output(text, success=success, structured=named)


async def _end_of(agent: Agent, turn_id: str, after: int) -> Ending | None:
    async for event in agent.events(after):
        own = event.id == turn_id and event.delegate is None
        if own and isinstance(event.msg, TaskComplete | TurnAborted | Failed):
            return event.msg
    return None

"""An agent as surfaces see it: opened, asked for things, watched, and closed."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager

from sandgate.agent.events import AgentEvents
from sandgate.agent.factory import Making
from sandgate.agent.inbox_answers import InboxAnswers
from sandgate.agent.options import AgentOptions as AgentOptions
from sandgate.agent.resume import session_id_of
from sandgate.agent.terminal_person import Person
from sandgate.agent.tools import AgentTools
from sandgate.display import visible
from sandgate.errors import SessionEnded, SessionNotFound
from sandgate.gate.event_loop import on_thread
from sandgate.protocol.events import Failed, TaskComplete, TurnAborted, UserMessage
from sandgate.protocol.operations import ContextChange, Interrupt, TextInput, UserTurn
from sandgate.protocol.permissions import ExternalSandbox, ReadOnly
from sandgate.reviewers.async_reviewer import ReviewerBridge
from sandgate.runtime.aio import AsyncGate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from contextlib import AbstractAsyncContextManager
    from typing import Any, Self

    from sandgate.agent.inbox_answers import InboxAnswering
    from sandgate.agent.options import Reads, Superior
    from sandgate.agent.past_sessions import SessionList
    from sandgate.config import Loaded
    from sandgate.model.streaming import Model
    from sandgate.protocol.environment import Environment
    from sandgate.protocol.events import Event, SessionConfigured
    from sandgate.protocol.operations import Operation
    from sandgate.reviewers.with_risk_advice import Advising
    from sandgate.session.session import Session
    from sandgate.session.turn import SessionSettings as SessionSettings


class Agent:
    """One session, while it is open."""

    def __init__(self, session: Session, tools: AgentTools) -> None:
        self._session = session
        self._tools = tools
        self._life = asyncio.ensure_future(session.run())

    @property
    def session_id(self) -> str:
        """Under which it is kept."""
        return self._session.settings.session_id

    @property
    def cannot_confine(self) -> str:
        """Why its last call ran nothing; "" where a sandbox could be built for it."""
        return self._tools.cannot_confine

    @property
    def over(self) -> bool:
        """It has ended."""
        return self._life.done()

    @property
    def configured(self) -> SessionConfigured:
        """What it said of itself when it was opened."""
        return self._session.configured

    @property
    def told(self) -> int:
        """How many events there are so far."""
        return self._session.told

    def confinement(self) -> Mapping[str, Any]:
        """What holds its commands back, as JSON values. Blocks on the disk."""
        return self._tools.confinement()

    @property
    def holding(self) -> SessionSettings:
        """What holds from its next turn on."""
        return self._session.settings

    async def would_hold(self, change: ContextChange) -> SessionSettings:
        """What would hold if a turn came with that change. Raises SandgateError for what cannot; nothing is done."""
        return await self._session.would_hold(change)

    def submit(self, op: Operation) -> str:
        """Asks for something; the id that its events carry. Raises SessionEnded, RequestError."""
        return self._session.submit(op)

    def submit_json(self, op: object) -> str:
        """The same for an operation as clients send it (`{"type": "user_turn", …}`). Raises RequestError, too."""
        from sandgate.protocol.operations_wire import read_operation

        return self._session.submit(read_operation(op))

    async def turn(
        self, text: str, change: ContextChange | None = None, output_schema: Mapping[str, Any] | None = None
    ) -> TaskComplete | TurnAborted | Failed:
        """Says it, under other settings from now on if there is a `change`, and waits for the end of that turn.

        What comes while another turn goes on is heard within that one, whose end this is then. Raises SessionEnded,
        RequestError.
        """
        after, heard = self._session.told, False
        turn = self._session.submit(UserTurn((TextInput(text),), change or ContextChange(), output_schema))
        async for event in self._session.events(after):
            if (
                event.delegate is None
                and isinstance(event.msg, UserMessage)
                and event.msg.message == text
                and not heard
            ):
                turn, heard = event.id, True
            elif event.id == turn and isinstance(event.msg, TaskComplete | TurnAborted | Failed):
                return event.msg
        raise SessionEnded("the session ended before the turn did")

    def events(self, after: int = 0) -> AsyncIterator[Event]:
        """What happens, from the event of that number on; ends with the session."""
        return self._session.events(after)

    async def close(self) -> None:
        """Ends it and everything it started; may be repeated."""
        self._life.cancel()
        await asyncio.wait((self._life,))


@asynccontextmanager
async def open_agent(
    environment: Environment,
    options: AgentOptions,
    *,
    interactive: bool = False,
    answers: tuple[str, ...] = (),
    ask_at_terminal: bool = False,
    colour: bool = False,
) -> AsyncIterator[Agent]:
    """A session in `environment.cwd`; what it started ends with the block. See `Agents` for the rest."""
    how = {"interactive": interactive, "answers": answers, "ask_at_terminal": ask_at_terminal, "colour": colour}
    async with Agents(environment, **how) as agents:  # type: ignore[arg-type]
        yield await agents.open(options)


class Agents:
    """The sessions of one process, by id. Belongs to one event loop; leaving the block ends them.

    `interactive`: questions are events, answered by `AnswerApproval`; otherwise by the prepared `answers`, then by the
    person at the terminal (`ask_at_terminal`). `answering` is asked in place of both, beside the events if there are
    any. What no reviewer can be asked about is refused.
    """

    def __init__(
        self,
        environment: Environment,
        *,
        interactive: bool = False,
        answers: tuple[str, ...] = (),
        ask_at_terminal: bool = False,
        colour: bool = False,
        answering: InboxAnswering | None = None,
    ) -> None:
        self._environment = environment
        self._interactive = interactive
        person = Person(colour=colour) if ask_at_terminal else None
        self._answers = answering
        if answering is None and (answers or ask_at_terminal):
            self._answers = InboxAnswers(answers, person)
        self._live: dict[str, tuple[Agent, AsyncExitStack]] = {}
        self._opening: dict[str, asyncio.Lock] = {}  # by the id of the session that is to go on

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def open(self, options: AgentOptions) -> Agent:
        """A new session, a copy, or one that goes on: if it lives here already, the very same, as it is.

        Raises ConfigError, RuleError, RequestError, SessionNotFound, SessionBusy, StorageError.
        """
        if options.resume is None or options.fork:
            return await self._opened(options)
        environment, wanted = self._environment, options.resume
        name = await on_thread(lambda: session_id_of(environment, wanted))
        async with self._opening.setdefault(name, asyncio.Lock()):
            living = self._live.get(name)
            if living is not None and not living[0].over:
                return living[0]
            return await self._opened(options.but(resume=name))

    def get(self, session: str) -> Agent:
        """The one that lives here under that id. Raises SessionNotFound."""
        found = self._live.get(session)
        if found is None or found[0].over:
            raise SessionNotFound(
                f"no session `{visible(session)}` lives here", hint="`resume` goes on with a past one"
            )
        return found[0]

    def living(self) -> tuple[Agent, ...]:
        """Those that live here, in the order in which they were opened."""
        return tuple(agent for agent, _stack in self._live.values() if not agent.over)

    async def remove(self, session: str) -> None:
        """Ends the one that lives here under that id, and what it started; it stays on disk. Raises SessionNotFound."""
        self.get(session)
        _agent, stack = self._live.pop(session)
        await stack.aclose()

    async def past(self, *, limit: int = 20, cursor: str | None = None, archived: bool = False) -> SessionList:
        """What there is on disk, newest first. Raises RequestError, StorageError, ConfigError."""
        from sandgate.agent.past_sessions import list_sessions

        environ = self._environment.environ
        return await on_thread(lambda: list_sessions(environ, limit=limit, cursor=cursor, archived=archived))

    async def resume(self, session: str, options: AgentOptions | None = None) -> Agent:
        """Goes on with a past one: its id, how that begins, or "last". Raises what `open` raises."""
        return await self.open((options or AgentOptions()).but(resume=session, fork=False))

    async def fork(self, session: str, *, before: int | None = None, options: AgentOptions | None = None) -> Agent:
        """A copy of a past one, or of what came `before` that message of the person's. Raises what `open` raises."""
        return await self.open((options or AgentOptions()).but(resume=session, fork=True, fork_before=before))

    async def close(self) -> None:
        """Ends all of them; may be repeated."""
        while self._live:
            _name, (_agent, stack) = self._live.popitem()
            await stack.aclose()

    async def _opened(self, options: AgentOptions) -> Agent:
        stack = AsyncExitStack()
        opening = _opened(self._environment, options, None, self._answers, interactive=self._interactive)
        agent, model = await stack.enter_async_context(opening)
        stack.push_async_callback(model.close)
        before = self._live.pop(agent.session_id, None)
        self._live[agent.session_id] = (agent, stack)
        if before is not None:
            await before[1].aclose()
        return agent


@asynccontextmanager
async def _opened(
    environment: Environment,
    options: AgentOptions,
    superior: Superior | None,
    inbox_answers: InboxAnswering | None,
    *,
    interactive: bool = False,
    loaded: Loaded | None = None,
) -> AsyncIterator[tuple[Agent, Model]]:
    loop = asyncio.get_running_loop()
    making, events = Making(environment, options, superior, loaded), AgentEvents(loop)
    asks = interactive or inbox_answers is not None or (superior is not None and superior.ask is not None)
    hear, expect = (None, None) if inbox_answers is None else (inbox_answers.hear, inbox_answers.expect)
    reads = _advice_reader(inbox_answers, superior, interactive=interactive)
    bridge = ReviewerBridge(None, loop, hear=hear, expect=expect, reads=reads) if asks else None
    reviewers = () if bridge is None else (bridge,)
    gate = AsyncGate(await on_thread(lambda: making.gate(reviewers, events, side_by_side=interactive)), bridge)

    def child(of: Superior) -> AbstractAsyncContextManager[Agent]:
        # Where the turn stands that it works for, and under what.
        told = interactive or superior is not None
        below = of.but(reads_advice=lambda request: _from_below(reads(request), told=told))
        return _delegate(gate.runtime.environment, options, below, gate.runtime.loaded)

    answerer = inbox_answers.answer if inbox_answers is not None else None
    try:
        tools = AgentTools(gate, events, asks=asks)
        made = await making.made(gate, tools, child, answerer, asks=asks)
    except BaseException:
        await _let_go(making)
        await on_thread(making.abandon)
        await gate.close()
        raise
    session = made.session
    conversation = made.conversation
    events.begin(
        conversation.tell,
        audit=conversation.transcript.keep_audit,
        lasting=made.approvals.lines,
        on_abort=lambda: session.submit(Interrupt()),
    )
    agent = Agent(session, tools)
    try:
        await asyncio.sleep(0)  # its life has begun: a task that is cancelled before that ends nothing of what it has
        yield agent, made.model
    finally:
        await agent.close()
        if making.program is not None:
            await making.program.close()
        await _let_go(making)


def _advice_reader(inbox_answers: InboxAnswering | None, superior: Superior | None, *, interactive: bool) -> Reads:
    """When what a model says of a question is read: an event is, at once; a person at the terminal reads, too."""
    if superior is not None and superior.reads_advice is not None:
        return superior.reads_advice
    if inbox_answers is not None:
        return inbox_answers.reads_advice
    return lambda _request: "meanwhile" if interactive else "never"


def _from_below(reads: Advising, *, told: bool) -> Advising:
    """The same for a sub-agent's question. It is put as a whole: where no event tells of words, they come with it."""
    return "once" if reads == "meanwhile" and not told else reads


async def _let_go(making: Making) -> None:
    if making.servers is not None:
        await making.servers.close()


@asynccontextmanager
async def _delegate(
    environment: Environment, options: AgentOptions, superior: Superior, loaded: Loaded
) -> AsyncIterator[Agent]:
    """Under the configuration of the superior's turn, as it was read then: what is written later frees no sub-agent."""
    own = AgentOptions(ephemeral=options.ephemeral, provider=options.provider)
    held = loaded if superior.writes else _reading(loaded)
    async with _opened(environment, own, superior, None, loaded=held) as (agent, _model):
        yield agent


def _reading(loaded: Loaded) -> Loaded:
    """The same, where commands only read; a sandbox that is not ours stays as it is."""
    if isinstance(loaded.settings.sandbox, ReadOnly | ExternalSandbox):
        return loaded
    return loaded.but(settings=loaded.settings.but(sandbox=ReadOnly(), sandbox_explicit=True))

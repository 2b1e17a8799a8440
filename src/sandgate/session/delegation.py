"""A second session that works for a turn of the first: once, to its end.

It sees nothing of the conversation it works for. What it does is told as part of the turn it works for; what it says
is its result. Its questions go to the reviewers of the first session, with its name on them.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from sandgate.errors import SandgateError
from sandgate.protocol.events import (
    AgentMessage,
    AgentMessageDelta,
    AgentReasoning,
    AgentReasoningDelta,
    AgentReasoningSectionBreak,
    AutomaticReview,
    BackgroundEvent,
    DelegateBegin,
    DelegateEnd,
    ExecCommandBegin,
    ExecCommandContinues,
    ExecCommandEnd,
    ExecCommandOutputDelta,
    Failed,
    McpToolCallBegin,
    McpToolCallEnd,
    PatchApplyBegin,
    PatchApplyEnd,
    PlanUpdate,
    SandboxAssessment,
    StreamError,
    TaskComplete,
    TerminalInteraction,
    TokenCount,
    TurnAborted,
    ViewImageToolCall,
    Warned,
    WebSearchBegin,
    WebSearchEnd,
)
from sandgate.protocol.operations import Interrupt, Shutdown
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from typing import Literal, Protocol

    from sandgate.protocol.events import Event, EventMessage
    from sandgate.protocol.operations import Operation

    Whose = Mapping[str, str] | None  # a sub-agent of its own to which it happened
    Tell = Callable[[EventMessage, Whose], object]
    Status = Literal["completed", "failed", "interrupted", "limit_reached"]

    class SubAgent(Protocol):
        """The second session."""

        @property
        def session_id(self) -> str: ...

        @property
        def cannot_confine(self) -> str: ...

        def submit(self, op: Operation, /) -> str: ...

        def events(self, after: int = 0) -> AsyncIterator[Event]: ...


DRAIN_S = 0.5  # for a session that is not wanted any more to end what it began
JSON_BEGINS = ("{", "`")  # models fence it, too
CUT_OFF = "ended with the sub-agent"  # instead of what it would have come to

# Questions are told by the session that answers them.
PASSED_ON = (
    AgentMessage,
    AgentMessageDelta,
    AgentReasoning,
    AgentReasoningDelta,
    AgentReasoningSectionBreak,
    AutomaticReview,
    BackgroundEvent,
    DelegateBegin,
    DelegateEnd,
    ExecCommandBegin,
    ExecCommandContinues,
    ExecCommandEnd,
    ExecCommandOutputDelta,
    McpToolCallBegin,
    McpToolCallEnd,
    PatchApplyBegin,
    PatchApplyEnd,
    PlanUpdate,
    SandboxAssessment,
    StreamError,
    TerminalInteraction,
    ViewImageToolCall,
    Warned,
    WebSearchBegin,
    WebSearchEnd,
)
BEGINNINGS = (ExecCommandBegin, McpToolCallBegin, PatchApplyBegin)
ENDS = (ExecCommandEnd, McpToolCallEnd, PatchApplyEnd)


class Outcome(Record):
    """What a sub-agent came to."""

    status: Status
    last_message: str | None = None
    why: str = ""  # of one that failed
    tokens: int = 0  # new input and output that it has used


async def one_shot(child: SubAgent, op: Operation, tell: Tell, *, as_json: bool = False) -> Outcome:
    """Has the session do one thing, and ends it. `tell` hears what it does, but not its last words as a whole.

    `as_json`: its last words are to be a JSON object; then no part of a message that begins as one is told. What began
    there has its end, too: its own, if it comes in time. Cancelled, it ends the session's turn first.
    """
    following = _Following(child, tell, as_json=as_json)
    turn = child.submit(op)
    try:
        outcome = await following.outcome(turn)
    except asyncio.CancelledError:
        with suppress(SandgateError):
            child.submit(Interrupt())
        with suppress(asyncio.CancelledError):
            await following.ends()
        raise
    await following.ends()
    return outcome


class _Following:
    """What is seen of a session, each event once."""

    def __init__(self, child: SubAgent, tell: Tell, *, as_json: bool) -> None:
        self._child = child
        self._as_json = as_json
        self._prose: bool | None = None  # whether the message that is being written is; None: it has said nothing yet
        self._tell = tell
        self._next = 0  # the number of the first event that was not seen
        self._open: dict[tuple[str, str], tuple[EventMessage, Whose]] = {}  # what has begun, by its call and whose

    async def outcome(self, turn: str) -> Outcome:
        """Of that turn."""
        said: tuple[AgentMessage, Whose] | None = None  # held back: the last one is the result
        used = 0
        async for event in self._child.events(self._next):
            self._next = event.seq + 1
            message = event.msg
            match message:
                case TaskComplete() if event.id == turn:
                    if self._child.cannot_confine:
                        return Outcome("failed", message.last_agent_message, self._child.cannot_confine, used)
                    return Outcome("completed", message.last_agent_message, tokens=used)
                case TurnAborted() if event.id == turn:
                    ended: Status = "limit_reached" if message.reason == "budget_limited" else "interrupted"
                    return Outcome(ended, tokens=used)
                case Failed() if event.id == turn:
                    return Outcome("failed", why=message.message, tokens=used)
                case TokenCount() if message.info is not None:
                    used = message.info.total.blended
                case AgentMessageDelta() if self._as_json and event.delegate is None and not self._is_prose(message):
                    continue
                case AgentMessage():
                    self._prose = None
                    if said is not None:
                        self._tell(*said)
                    said = message, event.delegate
                case StreamError():  # a message that broke off begins anew
                    self._prose = None
                    self._pass_on(message, event.delegate)
                case _ if isinstance(message, PASSED_ON):
                    self._pass_on(message, event.delegate)
        return Outcome("interrupted", tokens=used)

    def _is_prose(self, message: AgentMessageDelta) -> bool:
        """Whether the message that this is a part of is no JSON; blanks before it says anything belong to neither."""
        if self._prose is None and message.delta.strip():
            self._prose = not message.delta.lstrip().startswith(JSON_BEGINS)
        return bool(self._prose)

    async def ends(self) -> None:
        """The session ends, and so does what has begun in it; its opener closes it."""
        with suppress(SandgateError):  # it has ended by itself
            self._child.submit(Shutdown())
        try:
            with suppress(TimeoutError, SandgateError):
                await asyncio.wait_for(self._rest(), DRAIN_S)
        finally:
            for begun, whose in self._open.values():
                self._tell(_end_of(begun), whose)

    async def _rest(self) -> None:
        async for event in self._child.events(self._next):
            self._next = event.seq + 1
            if isinstance(event.msg, ENDS) and _key(event.msg.call_id, event.delegate) in self._open:
                self._pass_on(event.msg, event.delegate)

    def _pass_on(self, message: EventMessage, whose: Whose) -> None:
        if isinstance(message, BEGINNINGS):
            self._open[_key(message.call_id, whose)] = message, whose
        elif isinstance(message, ENDS):
            self._open.pop(_key(message.call_id, whose), None)
        self._tell(message, whose)


def _key(call_id: str, whose: Whose) -> tuple[str, str]:
    return call_id, "" if whose is None else whose["id"]


def _end_of(begun: EventMessage) -> EventMessage:
    match begun:
        case ExecCommandBegin():
            where = (begun.call_id, begun.turn_id, begun.command, begun.cwd)
            return ExecCommandEnd(*where, "", None, 0, CUT_OFF, "failed", begun.process_id, CUT_OFF)
        case PatchApplyBegin():
            return PatchApplyEnd(begun.call_id, begun.turn_id, False, "", CUT_OFF, begun.changes, "failed")
        case _:
            assert isinstance(begun, McpToolCallBegin)
            tool = (begun.call_id, begun.turn_id, begun.server, begun.tool)
            return McpToolCallEnd(*tool, 0, success=False, error=CUT_OFF, arguments=begun.arguments)

"""A second session that works for a turn of the first: once, to its end (session.md section 10).

It sees nothing of the conversation it works for. What it does is told as part of the turn it works for; what it says
is its result. Its questions go to whoever answers the first session's, with its name on them.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from sandgate.errors import SandgateError
from sandgate.protocol.events import (
    AgentMessage,
    AgentReasoning,
    ExecCommandBegin,
    ExecCommandEnd,
    Failed,
    McpToolCallBegin,
    McpToolCallEnd,
    PatchApplyBegin,
    PatchApplyEnd,
    SandboxAssessment,
    StreamError,
    TaskComplete,
    TokenCount,
    TurnAborted,
    ViewImageToolCall,
    Warned,
)
from sandgate.protocol.operations import Interrupt, Shutdown
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from typing import Literal, Protocol

    from sandgate.protocol.events import Event, EventMessage
    from sandgate.protocol.operations import Operation

    Tell = Callable[[EventMessage], object]
    Status = Literal["completed", "failed", "interrupted", "limit_reached"]

    class Child(Protocol):
        """The second session."""

        @property
        def session_id(self) -> str: ...

        def submit(self, op: Operation, /) -> str: ...

        def events(self, after: int = 0) -> AsyncIterator[Event]: ...


DRAIN_S = 0.5  # for a session that is not wanted any more to end its turn (session.md section 10.3)

# Questions are told by the session that answers them.
PASSED_ON = (
    AgentMessage,
    AgentReasoning,
    ExecCommandBegin,
    ExecCommandEnd,
    McpToolCallBegin,
    McpToolCallEnd,
    PatchApplyBegin,
    PatchApplyEnd,
    SandboxAssessment,
    StreamError,
    ViewImageToolCall,
    Warned,
)


class Outcome(Record):
    """What a sub-agent came to."""

    status: Status
    last_message: str | None = None
    why: str = ""  # of one that failed
    tokens: int = 0  # new input and output that it has used


async def one_shot(child: Child, op: Operation, tell: Tell) -> Outcome:
    """Has the session do one thing, and ends it. `tell` hears what it does, but not its last words.

    Cancelled, it ends the session's turn before it lets go.
    """
    turn = child.submit(op)
    try:
        outcome = await _followed(child, turn, tell)
    except asyncio.CancelledError:
        await _ended(child)
        raise
    with suppress(SandgateError):  # it has ended by itself
        child.submit(Shutdown())
    return outcome


async def _followed(child: Child, turn: str, tell: Tell) -> Outcome:
    said: AgentMessage | None = None  # held back: the last one is the result
    used = 0
    async for event in child.events():
        message = event.msg
        match message:
            case TaskComplete() if event.id == turn:
                return Outcome("completed", message.last_agent_message, tokens=used)
            case TurnAborted() if event.id == turn:
                ended: Status = "limit_reached" if message.reason == "budget_limited" else "interrupted"
                return Outcome(ended, tokens=used)
            case Failed() if event.id == turn:
                return Outcome("failed", why=message.message, tokens=used)
            case TokenCount() if message.info is not None:
                used = message.info.total.blended
            case AgentMessage():
                if said is not None:
                    tell(said)
                said = message
            case _ if isinstance(message, PASSED_ON):
                tell(message)
    return Outcome("interrupted", tokens=used)


async def _ended(child: Child) -> None:
    with suppress(SandgateError):
        child.submit(Interrupt())
        child.submit(Shutdown())

    async def over() -> None:
        async for _event in child.events():
            continue

    try:
        await asyncio.wait_for(over(), DRAIN_S)
    except (TimeoutError, asyncio.CancelledError):
        return  # whoever opened it ends it for good

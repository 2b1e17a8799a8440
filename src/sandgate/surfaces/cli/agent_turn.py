"""One turn of a model, from the opening of its session to the end of it.

What happens is told event by event, written on a thread: a slow reader must not keep Ctrl-C from being heard.
"""

from __future__ import annotations

import asyncio

from sandgate.protocol.operations import Shutdown
from sandgate.record import Record
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.interruptions import Interruptions
from sandgate.surfaces.cli.turn_outcome import TurnOutcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager
    from typing import Protocol

    from sandgate.protocol.events import Event
    from sandgate.protocol.operations import Operation

    class RunningAgent(Protocol):
        """A session of `agent.agent`."""

        @property
        def session_id(self) -> str: ...

        def submit(self, op: Operation) -> str: ...
        def events(self, after: int = 0) -> AsyncIterator[Event]: ...

    Opened = AbstractAsyncContextManager[RunningAgent]
    Tell = Callable[[Event], str]

SHUTDOWN_WAIT_S = 20.0  # for the session to end, which takes 10 at most
STDOUT, STDERR = 1, 2


class EndedTurn(Record):
    """What became of a turn."""

    outcome: TurnOutcome
    code: int
    session_id: str = ""  # "" where none was opened
    heard: bool = False  # a signal ended it


def run_turn(
    opened: Callable[[], Opened], operation: Operation, tell_for: Callable[[str], tuple[int, Tell]]
) -> EndedTurn:
    """Open a session, have it do `operation`, and end it.

    `tell_for` gets the session's id and says where to write (a descriptor) and what: text for each event, or "".
    Raises what opening the session raises.
    """
    return asyncio.run(_run(opened, operation, tell_for))


async def _run(
    opened: Callable[[], Opened], operation: Operation, tell_for: Callable[[str], tuple[int, Tell]]
) -> EndedTurn:
    outcome, session_id = TurnOutcome(), ""
    with Interruptions() as interruptions:
        try:
            async with opened() as agent:
                session_id = agent.session_id
                await _follow(agent, operation, tell_for(agent.session_id), outcome, interruptions)
        except asyncio.CancelledError:
            if interruptions.number is None:
                raise
        except TimeoutError:
            say.fact(f"the session did not end within {SHUTDOWN_WAIT_S:g} s")
    heard = None if outcome.completed else interruptions.exit_code
    return EndedTurn(outcome, outcome.code if heard is None else heard, session_id, heard is not None)


async def _follow(
    agent: RunningAgent,
    operation: Operation,
    telling: tuple[int, Tell],
    outcome: TurnOutcome,
    interruptions: Interruptions,
) -> None:
    descriptor, tell = telling
    turn = agent.submit(operation)
    interruptions.watch(agent)
    ending = False
    async with asyncio.timeout(None) as clock:
        async for event in agent.events():
            outcome.follow(event, turn)
            text = tell(event)
            if text:
                await asyncio.to_thread(_write, descriptor, text)
            if outcome.over and not ending:
                ending = True
                agent.submit(Shutdown())
                clock.reschedule(asyncio.get_running_loop().time() + SHUTDOWN_WAIT_S)


def _write(descriptor: int, text: str) -> None:
    if descriptor == STDOUT:
        say.out(text)
    else:
        say.write(descriptor, text)

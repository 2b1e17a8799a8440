"""Stands in for `sandgate.agent.agent`: a session that tells a story instead of asking a model.

The story is a function from what is submitted to messages; a story that waits ends when it is interrupted.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager
from types import ModuleType

from sandgate.agent.options import AgentOptions
from sandgate.protocol import events as told
from sandgate.protocol.events import Event
from sandgate.protocol.operations import Interrupt, Shutdown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from typing import Any

    from sandgate.protocol.operations import Operation
    from sandgate.runtime import Environment

    Story = Sequence[Any]

TURN = "turn-1"
WAITS = "waits until it is interrupted"
HANGS = "waits for ever"


class AgentDouble:
    """One session; `opened` of the stage keeps what it was opened with and asked for."""

    session_id = "0192-session"

    def __init__(self, story: Story) -> None:
        self.submitted: list[Operation] = []
        self._story = story
        self._queue: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
        self._interrupted = asyncio.Event()
        self._teller: asyncio.Task[None] | None = None
        self._say("", told.SessionConfigured(self.session_id, "scripted", "/repo", "never", {}, "script"))

    def submit(self, op: Operation) -> str:
        self.submitted.append(op)
        match op:
            case Interrupt():
                self._interrupted.set()
            case Shutdown():
                self._say("", told.ShutdownComplete())
            case _:
                self._teller = asyncio.ensure_future(self._tell())
        return TURN

    async def events(self, after: int = 0) -> AsyncIterator[Event]:
        number = after
        while True:
            turn, message = await self._queue.get()
            yield Event(turn, number, message)
            number += 1
            if isinstance(message, told.ShutdownComplete):
                return

    def _say(self, turn: str, message: Any) -> None:
        self._queue.put_nowait((turn, message))

    async def _tell(self) -> None:
        self._say(TURN, told.TaskStarted(TURN, 1))
        for message in self._story:
            if message == WAITS:
                await self._interrupted.wait()
            elif message == HANGS:
                await asyncio.Event().wait()
            else:
                self._say(TURN, message)


class Stage:
    """Puts the double in the place of the module; `story` is what every session tells."""

    def __init__(self) -> None:
        self.story: Story = ()
        self.failure: Exception | None = None
        self.sessions: list[tuple[Environment, AgentOptions, AgentDouble, dict[str, Any]]] = []

    def install(self) -> ModuleType:
        module = ModuleType("sandgate.agent.agent")
        module.AgentOptions = AgentOptions  # type: ignore[attr-defined]
        module.open_agent = self._open  # type: ignore[attr-defined]
        sys.modules[module.__name__] = module
        return module

    @asynccontextmanager
    async def _open(
        self,
        environment: Environment,
        options: AgentOptions,
        *,
        answers: tuple[str, ...] = (),
        ask_at_terminal: bool = False,
        colour: bool = False,
    ) -> AsyncIterator[AgentDouble]:
        del colour
        if self.failure is not None:
            raise self.failure
        agent = AgentDouble(self.story)
        self.sessions.append((environment, options, agent, {"answers": answers, "ask": ask_at_terminal}))
        yield agent

    @property
    def options(self) -> AgentOptions:
        """Of the only session."""
        ((_, options, _, _),) = self.sessions
        return options

    @property
    def asked(self) -> Operation:
        """The first thing the only session was asked."""
        ((_, _, agent, _),) = self.sessions
        return agent.submitted[0]

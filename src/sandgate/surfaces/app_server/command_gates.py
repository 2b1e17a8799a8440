"""Where single commands of clients run: one gate for each directory and sandbox, shared by all clients of a server."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

from sandgate.agent.client_commands import open_client_gate
from sandgate.agent.client_settings import UnreadableWish, placed
from sandgate.runtime.aio import on_thread
from sandgate.surfaces.app_server.refusal import RequestRefused, bad_params

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import TypeAlias

    from sandgate.protocol.environment import Environment
    from sandgate.protocol.permissions import SandboxPolicy
    from sandgate.runtime.aio import AsyncGate
    from sandgate.surfaces.sessions.serving import Serving

    Key: TypeAlias = tuple[str, SandboxPolicy | None]

GATES_MAX = 16  # open at the same time
NO_ROOM = f"commands run in {GATES_MAX} directories or sandboxes already"


class CommandGates:
    """Belongs to one event loop. One that nothing uses makes room for another."""

    def __init__(self, serving: Serving) -> None:
        self._serving = serving
        self._open: dict[Key, AsyncGate] = {}  # the one that was used longest ago first
        self._users: dict[Key, int] = {}
        self._guard = asyncio.Lock()

    @asynccontextmanager
    async def lent(self, cwd: str | None, sandbox: SandboxPolicy | None) -> AsyncIterator[AsyncGate]:
        """One for the block. Raises Refused, ConfigError, RuleError, RequestError."""
        environment = await self._place(cwd)
        key = (environment.cwd, sandbox)
        async with self._guard:
            gate = self._open.pop(key, None) or await self._opened(environment, sandbox)
            self._open[key] = gate
            self._users[key] = self._users.get(key, 0) + 1
        try:
            yield gate
        finally:
            self._users[key] -= 1

    async def close(self) -> None:
        """All of them."""
        while self._open:
            _key, gate = self._open.popitem()
            await gate.close()

    async def _place(self, cwd: str | None) -> Environment:
        serving = self._serving
        try:
            return await on_thread(lambda: placed(serving.environment, cwd, loosening=serving.loosening))
        except UnreadableWish as problem:
            raise bad_params(problem.sentence) from problem

    async def _opened(self, environment: Environment, sandbox: SandboxPolicy | None) -> AsyncGate:
        if len(self._open) >= GATES_MAX:
            unused = next((key for key in self._open if not self._users[key]), None)
            if unused is None:
                raise RequestRefused(NO_ROOM)
            del self._users[unused]
            await self._open.pop(unused).close()
        return await open_client_gate(environment, sandbox, loosening=self._serving.loosening)

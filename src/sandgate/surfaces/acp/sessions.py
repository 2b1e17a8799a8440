"""The sessions that are open in one server, by id."""

from __future__ import annotations

import asyncio
import os

from sandgate.agent.agent import open_agent
from sandgate.agent.client_settings import placed
from sandgate.agent.resume import session_id_of
from sandgate.errors import SessionNotFound
from sandgate.runtime.aio import on_thread
from sandgate.surfaces.acp.live_session import LiveSession
from sandgate.surfaces.acp.refusal import bad_params, bad_request
from sandgate.surfaces.sessions.serving import ELSEWHERE_HINT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.agent.options import AgentOptions
    from sandgate.protocol.environment import Environment
    from sandgate.surfaces.acp.client import EditorClient
    from sandgate.surfaces.sessions.serving import Serving

SESSIONS_MAX = 256  # open at the same time
SOURCE = "acp"
NO_ROOM = f"{SESSIONS_MAX} sessions are open; close one first"
RUNS = "a turn runs in that session: wait for its end, or cancel it first"
ID_CHARS_MAX = 80  # of an id, repeated to the client


class OpenSessions:
    """Belongs to one event loop."""

    def __init__(self, serving: Serving, client: EditorClient) -> None:
        self.serving = serving
        self._client = client
        self._live: dict[str, LiveSession] = {}
        self._opening: set[str] = set()  # those that are to go on
        self._room = 0  # taken, by those that are open and those that are being opened

    def find(self, name: str) -> LiveSession | None:
        """The open one of that id."""
        found = self._live.get(name)
        return None if found is None or found.over else found

    def named(self, name: str) -> LiveSession:
        """The open one of that id. Raises SessionNotFound."""
        found = self.find(name)
        if found is None:
            raise SessionNotFound(f"no session `{name[:ID_CHARS_MAX]}` is open; load it first")
        return found

    async def start(self, cwd: str) -> LiveSession:
        """A new one. Raises the library's RequestError, and what opening a session raises."""
        return await self._opened(cwd, None)

    async def resume(self, name: str, cwd: str) -> LiveSession:
        """One that goes on. If it is open here, it is closed and opened again, so that its client is told all of it."""
        if name in self._opening:
            raise bad_request("this session is being opened")
        self._opening.add(name)
        try:
            found = self._live.get(name)
            if found is not None and found.busy:
                raise bad_request(RUNS)
            if found is not None:
                await found.close()
            return await self._opened(cwd, name)
        finally:
            self._opening.discard(name)

    async def close(self) -> None:
        """Ends all of them."""
        await asyncio.gather(*(session.close() for session in tuple(self._live.values())))

    async def _opened(self, cwd: str, name: str | None) -> LiveSession:
        if self._room >= SESSIONS_MAX:
            raise bad_request(NO_ROOM)
        self._room += 1
        try:
            environment, options = await on_thread(lambda: self._opening_of(cwd, name))
            session = LiveSession(self._client, self._over, loosening=self.serving.loosening)
            await session.begin(open_agent(environment, options, interactive=True))
        except BaseException:
            self._room -= 1
            raise
        self._live[session.id] = session
        return session

    def _opening_of(self, cwd: str, name: str | None) -> tuple[Environment, AgentOptions]:
        """Blocks on the disk."""
        if not os.path.isabs(cwd) or "\0" in cwd:
            raise bad_params("`cwd` has to be an absolute path")
        environment = placed(self.serving.environment, cwd, loosening=self.serving.loosening, hint=ELSEWHERE_HINT)
        if name is not None and session_id_of(environment, name) != name:
            raise SessionNotFound(f"there is no session `{name[:ID_CHARS_MAX]}`")
        return environment, self.serving.options(SOURCE).but(resume=name)

    def _over(self, session: LiveSession) -> None:
        if self._live.get(session.id) is session:
            del self._live[session.id]
            self._room -= 1

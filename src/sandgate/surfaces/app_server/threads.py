"""The threads that are open in one server, by id, each opened once however many ask for it."""

from __future__ import annotations

import asyncio

from sandgate.agent.agent import open_agent
from sandgate.runtime.aio import on_thread
from sandgate.surfaces.app_server.command_gates import CommandGates
from sandgate.surfaces.app_server.live_thread import LiveThread
from sandgate.surfaces.app_server.refusal import RequestRefused
from sandgate.surfaces.app_server.thread_settings import opening_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.surfaces.app_server.questions import ThreadWatcher
    from sandgate.surfaces.sessions.serving import Serving

    Json = dict[str, Any]

THREADS_MAX = 256  # open at the same time, in one server
NO_ROOM = f"the server has {THREADS_MAX} threads open"
UNKNOWN = "thread not found: {name}"


class OpenThreads:
    """Belongs to one event loop. `announce` in `start` is called before anything of the thread can be told."""

    def __init__(self, serving: Serving) -> None:
        self.serving = serving
        self.commands = CommandGates(serving)
        self._live: dict[str, LiveThread] = {}
        self._opening: dict[str, asyncio.Lock] = {}  # by the id of the thread that is to go on
        self._room = 0  # taken, by those that are open and those that are being opened
        self._closing: set[asyncio.Task[None]] = set()
        self._clients: list[ThreadWatcher] = []

    @property
    def ids(self) -> list[str]:
        """Of those that are open, oldest first."""
        return list(self._live)

    def join(self, client: ThreadWatcher) -> None:
        """A client that is told what concerns everybody."""
        self._clients.append(client)

    def forget(self, client: ThreadWatcher) -> None:
        """It is gone."""
        if client in self._clients:
            self._clients.remove(client)
        for thread in tuple(self._live.values()):
            thread.unwatch(client)
            self._over(thread)

    def tell_all(self, method: str, params: Json) -> None:
        """Every client, whatever it watches."""
        for client in tuple(self._clients):
            client.notify(method, params)

    def find(self, name: str) -> LiveThread | None:
        """The open thread of that id."""
        found = self._live.get(name)
        return None if found is None or found.over else found

    def named(self, name: str) -> LiveThread:
        """The same. Raises Refused."""
        found = self.find(name)
        if found is None:
            raise RequestRefused(UNKNOWN.format(name=name[:80]))
        return found

    async def start(self, asked: Json, *, fork: str | None = None) -> LiveThread:
        """A new thread, or a copy. Raises Refused, and what opening a session raises."""
        return await self._opened(asked, resume=fork, fork=fork is not None)

    async def resume(self, asked: Json) -> LiveThread:
        """One that goes on: if it is open here, the very same, as it is."""
        name: str = asked["threadId"]
        lock = self._opening.setdefault(name, asyncio.Lock())
        try:
            async with lock:
                return self.find(name) or await self._opened(asked, resume=name, fork=False)
        finally:
            if not lock.locked():
                self._opening.pop(name, None)

    async def put_away(self, name: str) -> None:
        """Ends it, if it is open here."""
        found = self._live.get(name)
        if found is not None:
            await found.close()

    async def close(self) -> None:
        """Ends all of them."""
        await asyncio.gather(*(thread.close() for thread in tuple(self._live.values())))
        await self.settled()
        await self.commands.close()

    async def settled(self) -> None:
        """Waits for the end of those that nobody watches, and in which nothing goes on."""
        while self._closing:
            await asyncio.wait(tuple(self._closing))

    def leave(self, thread: LiveThread, client: ThreadWatcher) -> bool:
        """The client watches it no longer; whether it had."""
        had = thread.unwatch(client)
        self._over(thread)
        return had

    async def _opened(self, asked: Json, *, resume: str | None, fork: bool) -> LiveThread:
        if self._room >= THREADS_MAX:
            raise RequestRefused(NO_ROOM)
        self._room += 1
        try:
            opening = await on_thread(lambda: opening_of(self.serving, asked, resume=resume, fork=fork))
            thread = LiveThread(
                self._over,
                ephemeral=opening.options.ephemeral,
                thread_source=asked.get("threadSource"),
                reviewer=opening.reviewer,
            )
            await thread.begin(open_agent(opening.environment, opening.options, interactive=True))
        except BaseException:
            self._room -= 1
            raise
        self._live[thread.id] = thread
        return thread

    def _over(self, thread: LiveThread) -> None:
        """It has ended, or nobody watches it and nothing is going on, so that it may."""
        if thread.over:
            if self._live.get(thread.id) is thread:
                del self._live[thread.id]
                self._room -= 1
        elif thread.idle:
            task = asyncio.ensure_future(thread.close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

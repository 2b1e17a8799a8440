"""The sessions of agents that one client has opened here, by id.

Each is whole: it has a transcript, a policy of its own that is the server's or stricter, and one turn at a time. It
ends with the connection of its client, or to make room for a new one; what was said stays on the user's disk.
"""

from __future__ import annotations

import asyncio

from sandgate.display import visible
from sandgate.errors import RequestError
from sandgate.surfaces.mcp.client_thread import ClientThread
from sandgate.surfaces.mcp.session_tools import said_by_client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from sandgate.protocol.environment import Environment
    from sandgate.surfaces.mcp.client_thread import Delegation, ServedTurn
    from sandgate.surfaces.mcp.thread_answers import ThreadAnswers

THREADS_OF_ONE_MAX = 8  # of one client at the same time
THREADS_MAX = 64  # of all clients of one server
NAME_SHOWN_CHARS = 80
BUSY = "a turn runs in this session already"
BUSY_HINT = "wait for its answer, or cancel it; one call at a time goes on with a session"
UNKNOWN_HINT = "it never was this client's, or it ended; `sandgate agent resume ID` goes on with it in a terminal"


class Room:
    """How many sessions of agents there may be in one server."""

    def __init__(self) -> None:
        self._taken = 0

    def take(self) -> bool:
        """Room for one more; False where there is none."""
        if self._taken >= THREADS_MAX:
            return False
        self._taken += 1
        return True

    def give_back(self) -> None:
        """One has ended."""
        self._taken -= 1


class ClientThreads:
    """Of one client, in one `environment`. Belongs to one event loop."""

    def __init__(
        self, environment: Environment, delegation: Delegation, room: Room, answers: Callable[[], ThreadAnswers]
    ) -> None:
        """`answers` makes what puts the questions of one session."""
        self._environment = environment
        self._delegation = delegation
        self._room = room
        self._answers = answers
        self._threads: list[ClientThread] = []  # the one that was used the longest ago comes first
        self._ending: set[asyncio.Future[None]] = set()  # a loop holds its tasks weakly
        self._closed = False

    def begin(self, tool: str, arguments: Mapping[str, Any]) -> ServedTurn:
        """One turn, in a new session or in one that goes on. Raises RequestError."""
        said = said_by_client(tool, arguments)
        thread = self._new(said.asked) if said.thread is None else self._named(said.thread)
        return thread.say(tool, arguments, said.prompt)

    async def close(self) -> None:
        """Ends all of them, and waits until what they started is gone."""
        self._closed = True
        for thread in tuple(self._threads):
            self._end(thread)
        while self._ending:
            await asyncio.wait(tuple(self._ending))

    def _named(self, name: str) -> ClientThread:
        thread = next((each for each in self._threads if each.id == name), None)
        if thread is None or thread.over:
            raise RequestError(f"there is no session `{visible(name, limit=NAME_SHOWN_CHARS)}` here", hint=UNKNOWN_HINT)
        if thread.busy:
            raise RequestError(BUSY, hint=BUSY_HINT)
        self._threads.remove(thread)
        self._threads.append(thread)
        return thread

    def _new(self, asked: Mapping[str, Any]) -> ClientThread:
        if self._closed:
            raise RequestError("the connection ends")
        self._make_room()
        thread = ClientThread(self._environment, self._delegation, asked, self._answers(), lost=self._end)
        self._threads.append(thread)
        return thread

    def _make_room(self) -> None:
        """Ends what is idle: clients of the lineage have no way to say that they need a session no longer."""
        full = len(self._threads) >= THREADS_OF_ONE_MAX
        if full or not self._room.take():
            idle = next((each for each in self._threads if not each.busy), None)
            if idle is None:
                limit = THREADS_OF_ONE_MAX if full else THREADS_MAX
                whose = "of one client" if full else "of this server"
                raise RequestError("too many sessions work", why=f"at most {limit} {whose} may at the same time")
            self._end(idle)
            if not self._room.take():
                raise RequestError("too many sessions work", why=f"at most {THREADS_MAX} of this server may")

    def _end(self, thread: ClientThread) -> None:
        if thread not in self._threads:
            return
        self._threads.remove(thread)
        self._room.give_back()
        task = asyncio.ensure_future(thread.close())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

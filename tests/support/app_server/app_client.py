"""A client of the app server in this process, and the place where its threads work.

Everything that the client is sent is held to the table, field by field: what is not in it fails the test.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from sandgate.config import TypedOverrides
from sandgate.runtime import Environment
from sandgate.surfaces.app_server.connection import Connection
from sandgate.surfaces.app_server.handlers import HANDLERS
from sandgate.surfaces.app_server.threads import OpenThreads
from sandgate.surfaces.app_server.wire.methods import METHODS, SERVER_NOTIFICATIONS, SERVER_REQUESTS
from sandgate.surfaces.app_server.wire.shapes import fault
from sandgate.surfaces.sessions.serving import Serving
from support.agent.agent_places import provider
from support.model.responses_server import ResponsesServer
from support.terminal.live_sessions import NOT_ALL_OF_TMP

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from support.model.responses_server import Manner

LIMIT_S = 30
REQUESTS = {each.name: each for each in METHODS}
TOLD = {each.name: each for each in SERVER_NOTIFICATIONS}
ASKED = {each.name: each for each in SERVER_REQUESTS}
INFO = {"clientInfo": {"name": "test", "version": "1"}}


def said(text: str) -> list[dict[str, Any]]:
    """Input of a turn."""
    return [{"type": "text", "text": text}]


def unlike_the_table(message: dict[str, Any], asked: dict[Any, str]) -> str | None:
    """What is wrong with a message of the server's; `asked`: the methods of the requests, by their ids."""
    if "method" in message:
        entry = (ASKED if "id" in message else TOLD).get(message["method"])
        if entry is None:
            return f"`{message['method']}` is not in the table"
        return fault(message["params"], entry.params, message["method"], strict=True)
    if "error" in message:
        return None
    return fault(message["result"], REQUESTS[asked[message["id"]]].result, asked[message["id"]], strict=True)


class AppError(Exception):
    """A request was answered with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code = error["code"]


class AppClient:
    """One client. `messages` is everything it was sent."""

    def __init__(self, threads: OpenThreads) -> None:
        self.connection = Connection(threads, HANDLERS, self._put)
        self.messages: list[dict[str, Any]] = []
        self._methods: dict[Any, str] = {}
        self._arrived = asyncio.Event()
        self._last_id = 0

    def send(self, **message: Any) -> None:
        """As it is."""
        self.connection.receive(json.dumps(message).encode())

    def expect(self, methods: dict[Any, str]) -> None:
        """Requests that are sent as they are: their methods by their ids."""
        self._methods |= methods

    def request(self, method: str, **params: Any) -> int:
        """Its id."""
        self._last_id += 1
        self._methods[self._last_id] = method
        self.send(id=self._last_id, method=method, params=params)
        return self._last_id

    async def ask(self, method: str, **params: Any) -> Any:
        """The result. Raises AppError."""
        return await self.result_of(self.request(method, **params))

    async def result_of(self, number: int) -> Any:
        """The same of a request that was made before."""
        answer = await self.until(lambda message: "method" not in message and message["id"] == number)
        if "error" in answer:
            raise AppError(answer["error"])
        return answer["result"]

    async def begin(self, **capabilities: Any) -> Any:
        """The handshake."""
        return await self.ask("initialize", **INFO, capabilities=capabilities)

    async def thread(self, **settings: Any) -> str:
        """The id of a new one."""
        opened = await self.ask("thread/start", **settings)
        name: str = opened["thread"]["id"]
        return name

    async def until(self, wanted: Callable[[dict[str, Any]], bool], *, after: int = 0) -> dict[str, Any]:
        """The first message of that kind, from that number on."""
        async with asyncio.timeout(LIMIT_S):
            while True:
                for message in self.messages[after:]:
                    if wanted(message):
                        return message
                self._arrived.clear()
                await self._arrived.wait()

    async def told(self, method: str, *, after: int = 0, **fields: Any) -> Any:
        """What the first notification or request of that name carries, with such fields."""

        def wanted(message: dict[str, Any]) -> bool:
            params = message.get("params") or {}
            return message.get("method") == method and all(params.get(name) == fields[name] for name in fields)

        return (await self.until(wanted, after=after))["params"]

    async def question(self, *, after: int = 0) -> dict[str, Any]:
        """The first request."""
        return await self.until(lambda message: "method" in message and "id" in message, after=after)

    def answer(self, question: dict[str, Any], decision: Any) -> None:
        self.send(id=question["id"], result={"decision": decision})

    async def turn(self, thread: str, text: str = "go", **more: Any) -> Any:
        """A whole one, as it ended."""
        at = len(self.messages)
        started = await self.ask("turn/start", threadId=thread, input=said(text), **more)
        ended = await self.until(
            lambda message: (
                message.get("method") == "turn/completed" and message["params"]["turn"]["id"] == started["turn"]["id"]
            ),
            after=at,
        )
        return ended["params"]["turn"]

    def names(self, *, after: int = 0) -> list[str]:
        """What was told, in order."""
        return [message["method"] for message in self.messages[after:] if "method" in message]

    def items(self, kind: str, *, of: str = "item/completed") -> list[dict[str, Any]]:
        """The items of that kind."""
        told = [message["params"]["item"] for message in self.messages if message.get("method") == of]
        return [item for item in told if item["type"] == kind]

    def _put(self, data: bytes) -> None:
        message = json.loads(data)
        wrong = unlike_the_table(message, self._methods)
        assert wrong is None, wrong
        self.messages.append(message)
        self._arrived.set()


class AppPlace:
    """A repository, a home, and a server that stands there."""

    def __init__(self, folder: Path, model: ResponsesServer, *overrides: str, **serving: Any) -> None:
        self.repo, self.home, self.model = folder / "repo", folder / "home", model
        for each in (self.repo, self.home):
            each.mkdir(parents=True, exist_ok=True)
        (self.repo / ".git").mkdir(exist_ok=True)
        environ = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "LANG": "C.UTF-8"}
        typed = TypedOverrides(**serving.pop("typed", {}))
        where = Environment(str(self.repo), environ, (NOT_ALL_OF_TMP, *provider(model.url), *overrides), typed=typed)
        self.threads = OpenThreads(Serving(where, **serving))
        self.clients: list[AppClient] = []

    def stranger(self) -> AppClient:
        """A client that has said nothing yet."""
        self.clients.append(AppClient(self.threads))
        return self.clients[-1]

    async def client(self, **capabilities: Any) -> AppClient:
        """Another one."""
        client = self.stranger()
        await client.begin(**capabilities)
        return client


@asynccontextmanager
async def app_place(
    folder: Path, *manners: Manner, overrides: tuple[str, ...] = (), **serving: Any
) -> AsyncIterator[AppPlace]:
    """A server whose model answers so; its clients and threads end with the block."""
    with ResponsesServer(*manners) as model:
        place = AppPlace(folder, model, *overrides, **serving)
        try:
            yield place
        finally:
            for client in place.clients:
                await client.connection.close()
            await place.threads.close()

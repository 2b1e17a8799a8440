"""One client: what it asks is answered once, what happens in its threads is told, and what it is asked is its own.

A request is a task, so that one that takes its time holds up no other; how many there are at once is limited. A client
that does not read what it is sent is ended, by whoever carries its messages.
"""

from __future__ import annotations

import asyncio

from sandgate.errors import SandgateError
from sandgate.record import Record
from sandgate.surfaces.app_server.messages import (
    OVERLOADED,
    ClientAnswer,
    Request,
    UnreadableLine,
    error_answer,
    line_too_long,
    notification,
    read_message,
)
from sandgate.surfaces.app_server.refusal import RequestRefused, bad_params, refusal_of
from sandgate.surfaces.app_server.wire.methods import METHODS
from sandgate.surfaces.app_server.wire.shapes import fault
from sandgate.surfaces.transport.json_rpc import INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from typing import Any

    from sandgate.surfaces.app_server.client_command import PipedCommand, TerminalCommand
    from sandgate.surfaces.app_server.threads import OpenThreads
    from sandgate.surfaces.transport.json_rpc import Id

    Json = dict[str, Any]
    Handler = Callable[["Connection", Json], Awaitable["Json | Then"]]

REQUESTS_MAX = 256  # of one client, in progress at the same time
QUESTIONS_MAX = 512  # put to one client and not answered
OPT_OUT_MAX = 256  # names of notifications that a client does not want
NOT_INITIALIZED, ALREADY = "Not initialized", "Already initialized"
OVERLOAD = "Server overloaded; retry later."
UNKNOWN = "Invalid request: unknown variant `{method}`"
ID_IN_USE = "a request with this id is in progress"
KNOWN = {method.name: method for method in METHODS}
NAME_CHARS_MAX = 200  # of a method, repeated to the client


class Then(Record):
    """A result, and what is done as soon as it is sent and before anything else happens."""

    result: Json
    after: Callable[[], object]


class Connection:
    """Belongs to one event loop. `put` takes a message for the client, without its end.

    `handlers` by the names of the methods; `threads` are those of the server.
    """

    def __init__(
        self,
        threads: OpenThreads,
        handlers: Mapping[str, Handler],
        put: Callable[[bytes], object],
        *,
        principal: str = "",
    ) -> None:
        self.threads = threads
        self.principal = principal
        self._handlers = handlers
        self._put = put
        self._tasks: dict[Id, asyncio.Task[None]] = {}
        self._asked: dict[int, Callable[[object], None]] = {}
        self._last_id = -1
        self._unwanted: frozenset[str] = frozenset()
        self._closed = False
        self.commands: dict[str, PipedCommand | TerminalCommand] = {}  # that run, by the ids it gave them
        self.client: Json | None = None  # what it said of itself; None: nothing yet

    def receive(self, line: bytes | None) -> None:
        """A line of the client's; None for one that was too long."""
        message = UnreadableLine(line_too_long()) if line is None else read_message(line)
        match message:
            case UnreadableLine(answer):
                self._send(answer)
            case Request():
                self._begin(message)
            case ClientAnswer():
                answered = self._asked.pop(message.id, None) if isinstance(message.id, int) else None
                if answered is not None:  # else it comes late, or twice
                    answered(message.result)

    def introduce(self, client: Json, unwanted: list[str]) -> None:
        """The client has said who it is."""
        if len(unwanted) > OPT_OUT_MAX:
            raise bad_params(f"at most {OPT_OUT_MAX} notifications can be left out")
        self.client, self._unwanted = client, frozenset(unwanted)

    def notify(self, method: str, params: Json) -> None:
        """Tells it something, unless it does not want to know."""
        if method not in self._unwanted:
            self._send(notification(method, params))

    def ask(self, method: str, params: Json, answered: Callable[[object], None]) -> int:
        """Puts a request; `answered` is called with the result, or None for an error. Its id."""
        self._last_id += 1
        if len(self._asked) >= QUESTIONS_MAX or self._closed:
            asyncio.get_running_loop().call_soon(answered, None)
            return self._last_id
        self._asked[self._last_id] = answered
        self._send({"id": self._last_id, "method": method, "params": params})
        return self._last_id

    def withdraw(self, request_id: int) -> None:
        """An answer to that request comes too late from now on."""
        self._asked.pop(request_id, None)

    @property
    def busy(self) -> bool:
        """Requests are in progress."""
        return bool(self._tasks)

    async def settle(self) -> None:
        """Waits until everything that was asked is answered."""
        while self._tasks:
            await asyncio.wait(self._tasks.values())

    async def close(self) -> None:
        """The client is gone: what it asked is dropped, and it watches nothing any more."""
        self._closed = True
        self._asked.clear()
        for task in tuple(self._tasks.values()):
            task.cancel()
        if self._tasks:
            await asyncio.wait(tuple(self._tasks.values()))
        self.threads.forget(self)

    def _begin(self, request: Request) -> None:
        why = self._why_not(request)
        if why is not None:
            self._send(error_answer(request.id, why.code, str(why)))
            return
        if request.method == "initialize":  # what follows on the same wire finds it done
            self.client = {}
        task = asyncio.ensure_future(self._answered(request))
        self._tasks[request.id] = task
        task.add_done_callback(lambda done: self._forget(request.id, done))

    def _forget(self, known: Id, task: asyncio.Task[None]) -> None:
        """It was cancelled; what was answered is forgotten by then."""
        if self._tasks.get(known) is task:
            del self._tasks[known]

    def _why_not(self, request: Request) -> RequestRefused | None:
        if request.id in self._tasks:
            return RequestRefused(ID_IN_USE)
        if len(self._tasks) >= REQUESTS_MAX:
            return RequestRefused(OVERLOAD, code=OVERLOADED)
        if (self.client is None) != (request.method == "initialize"):
            return RequestRefused(NOT_INITIALIZED if self.client is None else ALREADY, code=INVALID_REQUEST)
        known = KNOWN.get(request.method)
        if known is None:
            return RequestRefused(UNKNOWN.format(method=request.method[:NAME_CHARS_MAX]), code=METHOD_NOT_FOUND)
        wrong = fault({} if request.params is None else request.params, known.params, "params")
        return None if wrong is None else bad_params(wrong)

    async def _answered(self, request: Request) -> None:
        after = None
        try:
            result = await self._handlers[request.method](self, request.params or {})
        except RequestRefused as why:
            answer = error_answer(request.id, why.code, str(why))
        except SandgateError as problem:
            refusal = refusal_of(problem)
            answer = error_answer(request.id, refusal.code, str(refusal))
        except Exception as problem:  # the request's edge: a bug ends this request and is told; the server goes on
            answer = error_answer(request.id, INTERNAL_ERROR, f"internal error: {type(problem).__name__}: {problem}")
        else:
            result, after = (result.result, result.after) if isinstance(result, Then) else (result, None)
            answer = {"id": request.id, "result": result}
        self._tasks.pop(request.id, None)  # the id may be used again as soon as its answer is read
        self._send(answer)
        if after is not None and not self._closed:
            after()

    def _send(self, message: Json) -> None:
        if not self._closed:
            self._put(written(message))

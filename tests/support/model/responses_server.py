"""A Responses API on the loopback, which answers as well or as badly as a test wants.

A real server on real sockets. What it does with a request is a function, a `Manner`; the ones below cover what
providers do on good and bad days, and tests may write their own. Leaving the block ends it and everything it began.

    with ResponsesServer(says("hello")) as server: ...
"""

import json
import select
import socket
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import Any

LIMIT_S = 30  # of every wait, also on a busy machine; a test that needs longer has failed
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
KEPT_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

Json = dict[str, Any]


@dataclass
class Asked:
    """One request as it came."""

    method: str
    target: str
    headers: dict[str, str]
    body: Json


@dataclass
class Connection:
    """One connection, with a request on it. `gone` is set when the client has closed it.

    `number` counts the connections themselves from 0: requests that came over the same one have the same. A manner that
    sets `kept` leaves the connection open for the next request.
    """

    socket: socket.socket
    asked: Asked
    gone: Event = field(default_factory=Event)
    number: int = 0
    kept: bool = False

    def send(self, *pieces: bytes) -> None:
        """Each piece as a packet of its own. A client that left is no error here."""
        try:
            for piece in pieces:
                self.socket.sendall(piece)
        except OSError:
            self.gone.set()

    def wait_until_gone(self) -> None:
        """Says nothing until the client closes the connection, or the server is left."""
        poller = select.poll()
        poller.register(self.socket, select.POLLRDHUP | select.POLLHUP | select.POLLERR)
        if poller.poll(LIMIT_S * 1000):
            self.gone.set()


Manner = Callable[[Connection], None]


class ResponsesServer:
    """Treats the requests in their order with the given manners, and all further ones with the last."""

    def __init__(self, *manners: Manner, accepts: bool = True) -> None:
        self._manners = list(manners)
        self._accepts = accepts
        self._guard = Lock()
        self._threads: list[Thread] = []
        self._sockets: list[socket.socket] = []
        self._arrived = Event()
        self.connections: list[Connection] = []

    def __enter__(self) -> "ResponsesServer":
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"
        if self._accepts:
            self._start(self._serve)
        return self

    def __exit__(self, *_error: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)  # wakes whoever accepts
        self._listener.close()
        with self._guard:
            for each in self._sockets:
                _hang_up(each)
        for thread in self._threads:
            thread.join(LIMIT_S)
            assert not thread.is_alive(), "the server does not end"

    @property
    def asked(self) -> list[Asked]:
        """The requests so far, oldest first."""
        with self._guard:
            return [each.asked for each in self.connections]

    def connection(self, index: int = 0) -> Connection:
        """The connection of that number, once its request is there."""
        while True:
            with self._guard:
                if len(self.connections) > index:
                    return self.connections[index]
                self._arrived.clear()
            assert self._arrived.wait(LIMIT_S), f"request {index} never came"

    def _start(self, task: Callable[..., None], *arguments: object) -> None:
        thread = Thread(target=task, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _serve(self) -> None:
        while True:
            try:
                accepted, _ = self._listener.accept()
            except OSError:
                return  # the block is left
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._guard:
                self._sockets.append(accepted)
                number = len(self._sockets) - 1
            self._start(self._treat, accepted, number)

    def _treat(self, accepted: socket.socket, number: int) -> None:
        kept = True
        try:
            while kept and (asked := _request(accepted)) is not None:
                connection = Connection(accepted, asked, number=number)
                with self._guard:
                    self.connections.append(connection)
                    manner = self._manners[min(len(self.connections), len(self._manners)) - 1]
                    self._arrived.set()
                manner(connection)
                kept = connection.kept
        finally:
            _hang_up(accepted)
            accepted.close()


def says(text: str) -> Manner:
    """Answers with one message, as a provider does."""
    return sends(*turn(message(text)))


def assesses(level: str, description: str = "Changes things.", categories: Iterable[str] = ()) -> Manner:
    """Answers as the risk assessor is asked to."""
    answer = {"description": description, "risk_level": level, "risk_categories": list(categories)}
    return says(json.dumps(answer))


def sends(*events: Json) -> Manner:
    """Sends these events, each as a packet of its own, and closes."""
    return lambda connection: connection.send(HEAD, *map(sse, events))


def sends_raw(*pieces: bytes) -> Manner:
    """Sends these pieces of a stream of events, each as a packet of its own, and closes."""
    return lambda connection: connection.send(HEAD, *pieces)


def sends_each_byte(*events: Json) -> Manner:
    """Sends these events with every byte as a packet of its own: cut inside characters, line ends, everywhere."""
    stream = b"".join(map(sse, events))
    return sends_raw(*(stream[at : at + 1] for at in range(len(stream))))


def by_last(person: Manner, tool: Manner) -> Manner:
    """The one when the person spoke last, the other after the answer of a tool."""

    def manner(connection: Connection) -> None:
        answers = connection.asked.body["input"][-1].get("type", "").endswith("_output")
        (tool if answers else person)(connection)

    return manner


def keeps(*events: Json, headers: Mapping[str, str] | None = None) -> Manner:
    """Sends these events to the end, with these headers, and keeps the connection for the next request."""

    def manner(connection: Connection) -> None:
        connection.kept = True
        connection.send(_with_headers(KEPT_HEAD, headers), *(_chunk(sse(event)) for event in events), _chunk(b""))

    return manner


def never_ends(*events: Json) -> Manner:
    """Sends these events, all of a response, and then does not end it."""

    def manner(connection: Connection) -> None:
        connection.send(KEPT_HEAD, *(_chunk(sse(event)) for event in events))
        connection.wait_until_gone()

    return manner


def refuses(status: int, body: str = "", headers: Mapping[str, str] | None = None) -> Manner:
    """Turns the request away."""
    head = f"HTTP/1.1 {status} No\r\nContent-Length: {len(body.encode())}\r\nConnection: close\r\n\r\n"
    return lambda connection: connection.send(_with_headers(head.encode(), headers) + body.encode())


def stays_silent(connection: Connection) -> None:
    """Takes the request and says nothing, not even a status."""
    connection.wait_until_gone()


def stalls_after(*events: Json) -> Manner:
    """Sends these events and then half of another, and no more."""

    def manner(connection: Connection) -> None:
        connection.send(HEAD, *map(sse, events), b'data: {"type":"response.output_text.')
        connection.wait_until_gone()

    return manner


def waits_for(signal: Event, then: Manner) -> Manner:
    """Goes on when the test says so."""

    def manner(connection: Connection) -> None:
        if signal.wait(LIMIT_S):
            then(connection)

    return manner


def hangs_up(connection: Connection) -> None:
    """Closes without a word."""


def turn(*items: Json) -> list[Json]:
    """The events of a complete response with these items."""
    done: list[Json] = [{"type": "response.output_item.done", "item": item} for item in items]
    usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    completed: Json = {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}}
    return [{"type": "response.created", "response": {"id": "resp_1"}}, *done, completed]


def message(*texts: str, role: str = "assistant") -> Json:
    """An item that says something."""
    return {"type": "message", "role": role, "content": [{"type": "output_text", "text": text} for text in texts]}


def function_call(name: str, arguments: Json | str, call_id: str = "call_1") -> Json:
    """An item that calls a tool."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"type": "function_call", "id": f"fc_{call_id}", "name": name, "arguments": text, "call_id": call_id}


def custom_tool_call(name: str, text: str, call_id: str = "call_1") -> Json:
    """An item that calls a tool with free text."""
    return {"type": "custom_tool_call", "id": f"ctc_{call_id}", "name": name, "input": text, "call_id": call_id}


def reasoning(*summary: str, encrypted: str | None = None) -> Json:
    """An item that says what the model thought."""
    parts = [{"type": "summary_text", "text": text} for text in summary]
    return {"type": "reasoning", "id": "rs_1", "summary": parts, "encrypted_content": encrypted}


def text_delta(text: str) -> Json:
    """A piece of a message."""
    return {"type": "response.output_text.delta", "item_id": "msg_1", "delta": text}


def failed(code: str, text: str = "") -> Json:
    """The event with which a provider gives up on a response."""
    return {"type": "response.failed", "response": {"id": "resp_1", "error": {"code": code, "message": text}}}


def sse(event: Json) -> bytes:
    """An event as it is sent; one without a type, as Chat Completions have them, is data alone."""
    named = f"event: {event['type']}\n" if "type" in event else ""
    return f"{named}data: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def _with_headers(head: bytes, headers: Mapping[str, str] | None) -> bytes:
    more = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
    return head.removesuffix(b"\r\n") + more.encode() + b"\r\n"


def _request(accepted: socket.socket) -> Asked | None:
    """The whole request; None when the client left before it was complete."""
    with accepted.makefile("rb") as stream:
        try:
            first = stream.readline().decode("latin-1").split()
            headers = {}
            while line := stream.readline().strip():
                name, _, value = line.decode("latin-1").partition(":")
                headers[name.lower()] = value.strip()
            body = stream.read(int(headers.get("content-length", "0")))
        except OSError:
            return None
    return Asked(first[0], first[1], headers, json.loads(body)) if len(first) == 3 and body else None


def _hang_up(connected: socket.socket) -> None:
    try:
        connected.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it is gone already

"""A Responses API that answers from a script and keeps the times: when each request was there, when its answer was out.

It runs on a thread of the benchmark and does nothing else, so what lies between an answer and the next request is the
agent's own time. Connections are kept, as providers keep them.
"""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

Item = dict[str, Any]
# What the model says to a request: items, from the request's body.
Step = Callable[[bytes], Sequence[Item]]

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
SESSION = re.compile(rb"session ID (\d+)")
USAGE = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}


class ScriptedServer:
    """One script for one run of an agent. `arrived` and `answered` are moments of `time.perf_counter`."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = list(steps)
        self._guard = threading.Lock()
        self.arrived: list[float] = []
        self.answered: list[float] = []
        self.sent_bytes = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"

    def __enter__(self) -> ScriptedServer:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                accepted, _ = self._listener.accept()
            except OSError:
                return
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(accepted,), daemon=True).start()

    def _serve(self, accepted: socket.socket) -> None:
        with accepted, accepted.makefile("rb") as stream:
            while True:
                try:
                    target, length = _head(stream)
                    body = stream.read(length)
                except OSError:
                    return
                if not target:
                    return
                if not target.endswith(b"/responses"):  # a list of models, for instance
                    accepted.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                    continue
                with self._guard:
                    self.arrived.append(time.perf_counter())
                    number = len(self.arrived) - 1
                    self.sent_bytes += length
                    accepted.sendall(_answer(self._steps[min(number, len(self._steps) - 1)](body), number))
                    self.answered.append(time.perf_counter())


def says(text: str) -> Step:
    """The last step of every script."""
    item = {"type": "message", "id": "msg", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    return lambda _body: [item]


def calls(name: str, *arguments: dict[str, Any]) -> Step:
    """Calls a tool, once for each of the arguments."""
    made = [(f"call_{name}_{id(each)}", json.dumps(each)) for each in arguments]
    items = [{"type": "function_call", "id": f"f{i}", "name": name, "arguments": a, "call_id": i} for i, a in made]
    return lambda _body: items


def calls_live(**arguments: Any) -> Step:
    """Types into the command that an earlier answer in the request says is live."""

    def step(body: bytes) -> Sequence[Item]:
        number = SESSION.findall(body)[-1]
        return calls("write_stdin", {"session_id": int(number), **arguments})(body)

    return step


def patches(text: str) -> Step:
    """A patch, in whichever of the two forms the request offers."""

    def step(body: bytes) -> Sequence[Item]:
        tools = json.loads(body)["tools"]
        if any(tool["type"] == "custom" and tool["name"] == "apply_patch" for tool in tools):
            call_id = f"call_patch_{id(text)}"
            return [{"type": "custom_tool_call", "id": "c", "name": "apply_patch", "input": text, "call_id": call_id}]
        return calls("apply_patch", {"input": text})(body)

    return step


def _answer(items: Sequence[Item], number: int) -> bytes:
    about = {"id": f"resp_{number}"}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": about}]
    events += [{"type": "response.output_item.done", "item": item} for item in items]
    events.append({"type": "response.completed", "response": {**about, "usage": USAGE}})
    parts = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]
    return HEAD + b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def _head(stream: Any) -> tuple[bytes, int]:
    """Target and length of the body of the next request; no target when the client has left."""
    words = stream.readline().split()
    length = 0
    while line := stream.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return (words[1], length) if len(words) == 3 else (b"", 0)

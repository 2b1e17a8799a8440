"""A model that says what a test wrote for it: the Messages API with streaming, on loopback only."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

Block = dict[str, Any]
Script = Callable[[dict[str, Any]], Block]
"""From a request to the one block of content that answers it."""


def text(words: str) -> Block:
    """The model says something, which ends its turn."""
    return {"type": "text", "text": words}


def tool_use(name: str, arguments: dict[str, Any]) -> Block:
    """The model calls a tool."""
    return {"type": "tool_use", "id": "toolu_1", "name": name, "input": arguments}


def tool_results(request: dict[str, Any]) -> list[Block]:
    """What the model is told about its calls."""
    contents = [each["content"] for each in request["messages"] if isinstance(each["content"], list)]
    return [block for content in contents for block in content if block["type"] == "tool_result"]


class Model(ThreadingHTTPServer):
    """Keeps every request for the next words of a conversation."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.requests: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        """The base address of the API."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        model = cast(Model, self.server)
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.path.startswith("/v1/messages?") and self.path != "/v1/messages":
            self._answer("application/json", b'{"input_tokens": 1}')
        elif not request.get("tools"):  # titles, summaries and other asides
            self._reply(request, text("an aside"))
        else:
            model.requests.append(request)
            self._reply(request, model.script(request))

    def do_GET(self) -> None:
        self._answer("application/json", b'{"data": []}')

    def do_HEAD(self) -> None:
        self._answer("application/json", b"")

    def _reply(self, request: dict[str, Any], block: Block) -> None:
        if request.get("stream"):
            self._answer("text/event-stream", b"".join(_stream(request["model"], block)))
        else:
            self._answer("application/json", json.dumps({**_envelope(request["model"], block)}).encode())

    def _answer(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        """Nothing is logged: the requests are kept."""


def _envelope(model: str, block: Block) -> dict[str, Any]:
    reason = "tool_use" if block["type"] == "tool_use" else "end_turn"
    usage = {"input_tokens": 1, "output_tokens": 1}
    about = {"id": "msg_1", "type": "message", "role": "assistant", "model": model}
    return {**about, "content": [block], "stop_reason": reason, "stop_sequence": None, "usage": usage}


def _stream(model: str, block: Block) -> Iterator[bytes]:
    whole = _envelope(model, block)
    yield _event("message_start", message={**whole, "content": [], "stop_reason": None})
    if block["type"] == "text":
        begun, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        begun, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    yield _event("content_block_start", index=0, content_block=begun)
    yield _event("content_block_delta", index=0, delta=delta)
    yield _event("content_block_stop", index=0)
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=ending, usage={"output_tokens": 1})
    yield _event("message_stop")


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


@contextmanager
def serving_messages(script: Script) -> Iterator[Model]:
    """A model that is there for the block."""
    with Model(script) as model:
        thread = threading.Thread(target=model.serve_forever)
        thread.start()
        try:
            yield model
        finally:
            model.shutdown()
            thread.join()

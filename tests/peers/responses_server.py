"""A model that says what a test wrote for it: the Responses API with streaming, on loopback only."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

Item = dict[str, Any]
Script = Callable[[dict[str, Any]], Item]
"""From a request to the one output item that answers it."""


def message(text: str) -> Item:
    """The model says something, which ends its turn."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}


def function_call(name: str, arguments: dict[str, Any], namespace: str | None = None) -> Item:
    """The model calls a tool."""
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "status": "completed"}
    of = {} if namespace is None else {"namespace": namespace}
    return {**call, **of, "name": name, "arguments": json.dumps(arguments)}


class Model(ThreadingHTTPServer):
    """Keeps every request it was sent."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.requests: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        """The base address of the API."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        model = cast(Model, self.server)
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        model.requests.append(request)
        self._answer("text/event-stream", b"".join(_stream(model.script(request))))

    def do_GET(self) -> None:
        self._answer("application/json", b'{"models": [], "data": []}')

    def _answer(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        """Nothing is logged: the requests are kept."""


def _stream(item: Item) -> Iterator[bytes]:
    response = {"id": "resp_1", "object": "response", "output": [item], "status": "completed"}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    yield _event("response.created", response={**response, "status": "in_progress", "output": []})
    yield _event("response.output_item.done", output_index=0, item=item)
    yield _event("response.completed", response={**response, "usage": usage})


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


@contextmanager
def serving_model(script: Script) -> Iterator[Model]:
    """A model that is there for the block."""
    with Model(script) as model:
        thread = threading.Thread(target=model.serve_forever)
        thread.start()
        try:
            yield model
        finally:
            model.shutdown()
            thread.join()

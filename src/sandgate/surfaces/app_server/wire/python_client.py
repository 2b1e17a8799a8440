"""A client in Python, made of the table: its types, and one method for each request. It needs nothing but Python."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, is_typeddict

from sandgate.surfaces.app_server.wire.methods import METHODS, SERVER_NOTIFICATIONS, SERVER_REQUESTS, Method
from sandgate.surfaces.app_server.wire.shapes import bare, fields, is_required
from sandgate.surfaces.app_server.wire.table_types import all_types, is_needed, meaning_of, name_of

LINE_CHARS = 120
WORDS = {str: "str", bool: "bool", int: "int", float: "float", NoneType: "None"}
HEAD = '''"""A client of the app-server protocol, made by `sandgate app-server schema` for Python 3.11 and later.

    with AppServerClient() as client:
        client.initialize({"clientInfo": {"name": "mine", "version": "1"}})
        client.initialized()
        thread = client.thread_start()["thread"]["id"]
        client.turn_start({"threadId": thread, "input": [{"type": "text", "text": "say hello"}]})
        for message in client.messages():
            ...
"""

from __future__ import annotations

import json
import subprocess
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NotRequired, TypedDict, cast

'''
CLIENT = '''
class AppServerError(Exception):
    """A request was answered with an error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class AppServerClient:
    """One server on pipes, until the block ends. Belongs to one thread."""

    def __init__(self, command: Sequence[str] = ("sandgate", "app-server")) -> None:
        self._command = list(command)
        self._waiting: deque[ServerMessage] = deque()
        self._last_id = 0

    def __enter__(self) -> AppServerClient:
        self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self

    def __exit__(self, *_error: object) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def messages(self) -> Iterator[ServerMessage]:
        """What the server tells and asks, in its order, until it ends."""
        while True:
            if self._waiting:
                yield self._waiting.popleft()
                continue
            message = self._read()
            if message is None:
                return
            yield cast(ServerMessage, message)

    def answer(self, request: ServerRequest, result: Any) -> None:
        """Answers what the server asks; the types of the answers have the names of the requests."""
        self._write({"id": request["id"], "result": result})

    def initialized(self) -> None:
        """The client has read the answer to `initialize`."""
        self._write({"method": "initialized"})

    def _ask(self, method: str, params: Any) -> Any:
        self._last_id += 1
        self._write({"id": self._last_id, "method": method, "params": {} if params is None else params})
        while (message := self._read()) is not None:
            if "method" in message:
                self._waiting.append(cast(ServerMessage, message))
            elif message.get("id") == self._last_id and "error" in message:
                raise AppServerError(message["error"]["code"], message["error"]["message"])
            elif message.get("id") == self._last_id:
                return message["result"]
        raise AppServerError(0, "the server has ended")

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\\n")
        self._process.stdin.flush()

    def _read(self) -> dict[str, Any] | None:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        found: dict[str, Any] | None = json.loads(line) if line else None
        return found
'''


def python_client() -> str:
    """The text of the module."""
    return HEAD + "\n".join(_lines()) + "\n" + CLIENT + "\n" + "\n".join(map(_method, METHODS))


def _lines() -> Iterator[str]:
    for form in all_types():
        yield from _type(form)
    for name, messages in (("ServerRequest", SERVER_REQUESTS), ("ServerNotification", SERVER_NOTIFICATIONS)):
        for each in messages:
            yield from _message(each)
        yield f"\n{name} = (\n    " + "\n    | ".join(map(_message_name, messages)) + "\n)"
    yield "ServerMessage = ServerRequest | ServerNotification\n"


def _type(form: Any) -> Iterator[str]:
    yield f'\nclass {name_of(form)}(TypedDict):\n    """{_cut(meaning_of(form))}"""\n'
    for name, kind in fields(form).items():
        assert not keyword.iskeyword(name), name
        said = _word(kind)
        yield f"    {name}: {said}" if is_required(form, name) else f"    {name}: NotRequired[{said}]"
    yield ""


def _message(message: Any) -> Iterator[str]:
    yield f'\nclass {_message_name(message)}(TypedDict):\n    """{_cut(message.summary.capitalize())}."""\n'
    if isinstance(message, Method):
        yield "    id: int | str"
    yield f"    method: Literal[{json.dumps(message.name)}]"
    yield f"    params: {_word(message.params)}\n"


def _message_name(message: Any) -> str:
    name = "".join(part[0].upper() + part[1:] for part in message.name.split("/"))
    return f"{name}Request" if isinstance(message, Method) else f"{name}Notification"


def _method(method: Method) -> str:
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", method.name.replace("/", "_")).lower()
    params = f"params: {_word(method.params)}" + ("" if is_needed(method) else " | None = None")
    result = _word(method.result)
    return (
        f"    def {name}(self, {params}) -> {result}:\n"
        f'        """`{method.name}`: {method.summary}."""\n'
        f'        return cast({result}, self._ask("{method.name}", params))\n'
    )


def _word(form: Any) -> str:
    form = bare(form)
    origin = get_origin(form)
    if form is Any:
        return "Any"
    if is_typeddict(form):
        return name_of(form)
    if origin in (Union, UnionType):
        return " | ".join(dict.fromkeys(_word(each) for each in get_args(form)))
    if origin is Literal:
        return f"Literal[{', '.join(json.dumps(each) for each in get_args(form))}]"
    if origin is list:
        return f"list[{_word(get_args(form)[0])}]"
    return "dict[str, Any]" if origin is dict else WORDS[form]


def _cut(said: str) -> str:
    return said if len(said) <= LINE_CHARS - 12 else said[: LINE_CHARS - 12].rpartition(" ")[0]

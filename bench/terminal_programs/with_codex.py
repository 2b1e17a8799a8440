"""Codex's two servers, spoken to over their standard streams: `with_codex app|app-confined|exec ...` (CODEX names it).

Measured is the server's process. Each message is a line of JSON; terminals' output comes as base64 in notifications.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from abc import ABC, abstractmethod
from base64 import b64decode, b64encode

from terminal_programs.meter import Meter
from terminal_programs.protocol import ANSWERED, COLUMNS, PROMPT, ROWS, SHELL, TYPED, NoSuchThing, Program, serve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

PIPE_BYTES = 1 << 20  # read ahead from the server


class Server(ABC):
    """One server and the words it uses."""

    arguments: tuple[str, ...]
    hello: dict[str, Any]

    def __init__(self) -> None:
        argv = [os.environ["CODEX"], *self.arguments]
        self.process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=PIPE_BYTES
        )
        self._asked = 0
        self.await_answer(self.ask("initialize", self.hello))
        self._send({"method": "initialized", "params": {}})

    def ask(self, method: str, params: dict[str, Any]) -> int:
        """Returns the number of the request."""
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        return self._asked

    def messages(self) -> Iterator[dict[str, Any]]:
        """What the server says, as it comes; ends only when the server does."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            if "error" in message:
                print(f"codex: {message['error']}", file=sys.stderr)
            yield message

    def await_answer(self, number: int) -> dict[str, Any]:
        return next(message for message in self.messages() if message.get("id") == number)

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    @abstractmethod
    def start(self, name: str, argv: tuple[str, ...]) -> int: ...

    @abstractmethod
    def write(self, name: str, data: bytes) -> int: ...

    @abstractmethod
    def terminate(self, name: str) -> int: ...

    @abstractmethod
    def output(self, message: dict[str, Any]) -> tuple[str, bytes] | None:
        """Whose output it is, and which."""

    @abstractmethod
    def ended(self, message: dict[str, Any], start: int) -> bool:
        """Whether it says that the terminal started by request `start` is over, all output sent."""


class AppServer(Server):
    """`codex app-server`."""

    arguments = ("app-server",)
    hello = {"clientInfo": {"name": "bench", "version": "0"}}  # noqa: RUF012  never changed

    def __init__(self, *, confined: bool) -> None:
        policy: dict[str, Any] = {"type": "dangerFullAccess"}
        if confined:
            policy = {"type": "workspaceWrite", "writableRoots": [os.getcwd()], "networkAccess": False}
        self._policy = policy
        super().__init__()

    def start(self, name: str, argv: tuple[str, ...]) -> int:
        params: dict[str, Any] = {"command": argv, "cwd": os.getcwd(), "sandboxPolicy": self._policy, "processId": name}
        params |= {
            "tty": True,
            "size": {"rows": ROWS, "cols": COLUMNS},
            "streamStdin": True,
            "streamStdoutStderr": True,
        }
        return self.ask("command/exec", params | {"disableTimeout": True, "disableOutputCap": True})

    def write(self, name: str, data: bytes) -> int:
        return self.ask("command/exec/write", {"processId": name, "deltaBase64": b64encode(data).decode()})

    def terminate(self, name: str) -> int:
        return self.ask("command/exec/terminate", {"processId": name})

    def output(self, message: dict[str, Any]) -> tuple[str, bytes] | None:
        if message.get("method") != "command/exec/outputDelta":
            return None
        return message["params"]["processId"], b64decode(message["params"]["deltaBase64"])

    def ended(self, message: dict[str, Any], start: int) -> bool:
        return message.get("id") == start


class ExecServer(Server):
    """`codex exec-server`."""

    arguments = ("exec-server", "--listen", "stdio")
    hello = {"clientName": "bench"}  # noqa: RUF012  never changed

    def __init__(self) -> None:
        self._writes = 0
        super().__init__()

    def start(self, name: str, argv: tuple[str, ...]) -> int:
        params = {"processId": name, "argv": argv, "cwd": f"file://{os.getcwd()}", "env": dict(os.environ)}
        return self.ask("process/start", {**params, "tty": True, "arg0": None})

    def write(self, name: str, data: bytes) -> int:
        self._writes += 1
        chunk = b64encode(data).decode()
        return self.ask("process/write", {"processId": name, "writeId": str(self._writes), "chunk": chunk})

    def terminate(self, name: str) -> int:
        return self.ask("process/terminate", {"processId": name})

    def output(self, message: dict[str, Any]) -> tuple[str, bytes] | None:
        if message.get("method") != "process/output":
            return None
        return message["params"]["processId"], b64decode(message["params"]["chunk"])

    def ended(self, message: dict[str, Any], _start: int) -> bool:
        return message.get("method") == "process/closed"


class Codex(Program):
    """A client that counts."""

    def __init__(self, server: Server) -> None:
        super().__init__()
        self._server = server
        self._opened = 0
        self._printed: dict[str, int] = {}  # lines, by name
        self._starts: dict[int, str] = {}  # request: name
        self._refused: set[str] = set()
        self.meter = Meter(server.process.pid)

    def stream(self, mode: str, command: str) -> int:
        prefix = "stty -opost; " if mode == "raw" else ""  # it has no such setting of its own
        start = self._server.start(f"stream of {command}", ("bash", "-c", prefix + command))
        received = 0
        for message in self._server.messages():
            if output := self._server.output(message):
                received += len(output[1])
            elif self._server.ended(message, start):
                break
        return received

    def roundtrip(self) -> Callable[[], object]:
        self._server.start("shell", SHELL)
        seen = bytearray()
        messages = self._server.messages()

        def until(text: bytes) -> None:
            while text not in seen:
                if output := self._server.output(next(messages)):
                    seen.extend(output[1])

        def once() -> Callable[[], object]:
            seen.clear()
            self._server.write("shell", TYPED)
            until(ANSWERED)
            return lambda: until(ANSWERED + PROMPT)

        until(PROMPT)
        return once

    def open_many(self, count: int, command: str) -> None:
        first = self._opened
        self._opened += count
        self._printed = {f"terminal {number}": 0 for number in range(first, self._opened)}
        self._starts = {self._server.start(name, ("bash", "-c", command)): name for name in self._printed}

    def gather(self, lines: int) -> int:
        missing = {name for name, printed in self._printed.items() if printed < lines} - self._refused
        messages = self._server.messages()
        while missing:
            message = next(messages)
            if output := self._server.output(message):
                name, chunk = output
                self._printed[name] += chunk.count(b"\n")
                if self._printed[name] >= lines:
                    missing.discard(name)
            elif "error" in message and (refused := self._starts.get(message.get("id", 0))):
                self._refused.add(refused)
                missing.discard(refused)
        return sum(self._printed.values())

    def close_many(self) -> None:
        asked = {self._server.terminate(name) for name in self._printed}
        for message in self._server.messages():
            asked.discard(message.get("id", 0))
            if not asked:
                break

    def finish(self) -> None:
        self._server.process.kill()
        self._server.process.wait()


def server_named(name: str) -> Server:
    """Raises NoSuchThing for a name that is none."""
    match name:
        case "app":
            return AppServer(confined=False)
        case "app-confined":
            return AppServer(confined=True)
        case "exec":
            return ExecServer()
    raise NoSuchThing


if __name__ == "__main__":
    chosen = sys.argv.pop(1)
    serve(lambda: Codex(server_named(chosen)))

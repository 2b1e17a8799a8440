"""pexpect, as its manual uses it, or without its pause before each send, which else is all that is measured."""

from __future__ import annotations

import os
from functools import partial
from importlib import import_module
from signal import SIGKILL

from terminal_programs.gathering import gather_lines
from terminal_programs.protocol import (
    ANSWERED,
    COLUMNS,
    PROMPT,
    ROWS,
    SHELL,
    TYPED,
    WAIT_MS,
    NoSuchThing,
    Program,
    serve,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

CHUNK_BYTES = 65_536
pexpect = import_module("pexpect")


class Pexpect(Program):
    """`pexpect.spawn`; without the 50 ms pause when PEXPECT_PAUSE is "none"."""

    def __init__(self) -> None:
        super().__init__()
        self._open: dict[int, Any] = {}
        self._printed: dict[int, int] = {}

    def _terminal(self, argv: tuple[str, ...]) -> Any:
        limits = {"timeout": WAIT_MS / 1000, "maxread": CHUNK_BYTES, "dimensions": (ROWS, COLUMNS)}
        child = pexpect.spawn(argv[0], list(argv[1:]), **limits)
        if os.environ.get("PEXPECT_PAUSE") == "none":
            child.delaybeforesend = None
        self._open[child.fileno()] = child
        return child

    def stream(self, mode: str, command: str) -> int:
        if mode != "pty":
            raise NoSuchThing
        child = self._terminal(("bash", "-c", command))
        received = 0
        while chunk := _read(child):
            received += len(chunk)
        return received

    def roundtrip(self) -> Callable[[], object]:
        child = self._terminal(SHELL)
        child.expect_exact(PROMPT)

        def once() -> Callable[[], object]:
            child.send(TYPED)
            child.expect_exact(ANSWERED)
            return lambda: child.expect_exact(PROMPT)

        return once

    def open_many(self, count: int, command: str) -> None:
        for _ in range(count):
            self._terminal(("bash", "-c", command))

    def gather(self, lines: int) -> int:
        return gather_lines({ours: partial(_read, child) for ours, child in self._open.items()}, self._printed, lines)

    def close_many(self) -> None:
        for child in self._open.values():
            if child.isalive():
                child.kill(SIGKILL)
                child.wait()
            child.delayafterclose = child.ptyproc.delayafterclose = 0
            child.close()
        self._open.clear()
        self._printed.clear()

    def finish(self) -> None:
        self.close_many()


def _read(child: Any) -> bytes:
    try:
        chunk: bytes = child.read_nonblocking(CHUNK_BYTES, timeout=WAIT_MS / 1000)
    except pexpect.EOF:
        return b""
    return chunk


if __name__ == "__main__":
    serve(Pexpect)

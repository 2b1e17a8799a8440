"""SWE-ReX's local runtime: one bash session, in which a command is run and its whole output awaited."""

from __future__ import annotations

import asyncio
from importlib import import_module

from terminal_programs.protocol import WAIT_MS, NoSuchThing, Program, serve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

abstract = import_module("swerex.runtime.abstract")
local = import_module("swerex.runtime.local")


class SweRex(Program):
    """Its session has one way in, so the library's round trip and the tool's are the same."""

    def __init__(self) -> None:
        super().__init__()
        self._loop = asyncio.new_event_loop()
        self._runtime = local.LocalRuntime()
        self._do(self._runtime.create_session(abstract.CreateBashSessionRequest()))

    def _do(self, work: Any) -> Any:
        return self._loop.run_until_complete(work)

    def _run(self, command: str) -> str:
        action = abstract.BashAction(command=command, timeout=WAIT_MS / 1000, check="ignore")
        output: str = self._do(self._runtime.run_in_session(action)).output
        return output

    def stream(self, mode: str, command: str) -> int:
        if mode != "pty":
            raise NoSuchThing
        # It takes the carriage returns out; they are counted as the terminal printed them.
        output = self._run(command)
        return len(output) + output.count("\n")

    def roundtrip(self) -> Callable[[], object]:
        def once() -> None:
            if "hi" not in self._run("echo hi"):
                raise SystemExit("no answer from the shell")

        return once

    def tool(self) -> Callable[[], object]:
        return self.roundtrip()

    def finish(self) -> None:
        self._do(self._runtime.close())
        self._loop.close()


if __name__ == "__main__":
    serve(SweRex)

"""The OpenAI Agents SDK's terminals in its local sandbox session (which on Linux confines nothing)."""

from __future__ import annotations

import asyncio
from importlib import import_module
from math import inf

from terminal_programs.protocol import ANSWERED, PROMPT, SHELL, TYPED, Program, serve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

LONG_YIELD_S = 30.0  # its upper limit
MIN_YIELD_S = 0.25  # its lower limit
LINE = b"\n"

sandboxes = import_module("agents.sandbox.sandboxes.unix_local")


class OpenAiAgents(Program):
    """`pty_exec_start` and `pty_write_stdin`: each write costs a pause and a minimal wait, by design."""

    def __init__(self) -> None:
        super().__init__()
        self._loop = asyncio.new_event_loop()
        self._client = sandboxes.UnixLocalSandboxClient()
        self._session = self._do(self._client.create(options=sandboxes.UnixLocalSandboxClientOptions()))
        self._do(self._session.start())
        self._open: dict[int, int] = {}

    def _do(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self._loop.run_until_complete(work)

    def _terminal(self, argv: tuple[str, ...], yield_s: float) -> Any:
        start = self._session.pty_exec_start(*argv, shell=False, tty=True, yield_time_s=yield_s)
        return self._do(start)

    def _write(self, process: int, text: str, yield_s: float) -> Any:
        return self._do(self._session.pty_write_stdin(session_id=process, chars=text, yield_time_s=yield_s))

    def stream(self, mode: str, command: str) -> int:
        prefix = "stty -opost; " if mode == "raw" else ""  # it has no such setting of its own
        update = self._terminal(("bash", "-c", prefix + command), LONG_YIELD_S)
        received = len(update.output)
        while update.process_id is not None:
            update = self._write(update.process_id, "", LONG_YIELD_S)
            received += len(update.output)
        return received

    def roundtrip(self) -> Callable[[], object]:
        update = self._terminal(SHELL, MIN_YIELD_S)
        process, seen = update.process_id, update.output
        while PROMPT not in seen:
            seen += self._write(process, "", MIN_YIELD_S).output

        def once() -> None:
            if ANSWERED not in self._write(process, TYPED.decode(), MIN_YIELD_S).output:
                raise SystemExit("no answer from the shell")

        return once

    def tool(self) -> Callable[[], object]:
        return self.roundtrip()

    def open_many(self, count: int, command: str) -> None:
        async def start_all() -> None:
            start = self._session.pty_exec_start
            argv = ("bash", "-c", command)
            starts = [start(*argv, shell=False, tty=True, yield_time_s=MIN_YIELD_S) for _ in range(count)]
            for update in await asyncio.gather(*starts):
                self._open[update.process_id] = update.output.count(LINE)

        self._do(start_all())

    def gather(self, lines: int) -> int:
        async def poll_until_all_are_there() -> None:
            before = -inf
            # Beyond its limit of terminals it has closed some: nothing more comes, nothing more is waited for.
            while self._open and before < (before := sum(self._open.values())) < lines * len(self._open):
                await asyncio.gather(*(self._poll(process) for process in list(self._open)))

        self._do(poll_until_all_are_there())
        return sum(self._open.values())

    async def _poll(self, process: int) -> None:
        try:
            update = await self._session.pty_write_stdin(session_id=process, chars="", yield_time_s=MIN_YIELD_S)
        except Exception:  # closed by itself, see above; what it raises then is not documented
            return
        self._open[process] += update.output.count(LINE)

    def close_many(self) -> None:
        self._do(self._session.pty_terminate_all())
        self._open.clear()

    def finish(self) -> None:
        self.close_many()
        self._do(self._session.shutdown())
        self._do(self._client.delete(self._session))


if __name__ == "__main__":
    serve(OpenAiAgents)

"""Sandgate's live terminals, as a program in Python has them: `with_sandgate MODE ...`, MODE a sandbox mode."""

from __future__ import annotations

import os
import shlex
import sys
from concurrent.futures import ThreadPoolExecutor
from time import monotonic, sleep

from sandgate.runtime import Environment, open_runtime
from terminal_programs.protocol import ANSWERED, COLUMNS, PROMPT, ROWS, SHELL, TYPED, WAIT_MS, Program, serve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.terminals.terminal import Terminal

YIELD_TIME_MS = 1_000  # what a model asks for when it types into a shell
LINE_BYTES = len(b"line 000000 of a live terminal\r\n")  # of `reader tick`
LOOK_AGAIN_MS = 20
OPENING_THREADS = 16
MAX_PROCESSES = 1_000


class Sandgate(Program):
    """The library's terminals, and for `tool` what a model calls."""

    def __init__(self, sandbox_mode: str) -> None:
        super().__init__()
        overrides = (f"sandbox_mode={sandbox_mode}", "approval_policy=never")
        # By itself a session keeps 64 live commands and ends the oldest for a new one.
        environ = {**os.environ, "SANDGATE_EXEC_MAX_PROCESSES": str(MAX_PROCESSES)}
        self._runtime = open_runtime(Environment(cwd=os.getcwd(), environ=environ, overrides=overrides))
        self._open: list[Terminal] = []

    def _terminal(self, *argv: str, post_processing: bool = True) -> Terminal:
        return self._runtime.terminal(argv, tty=True, rows=ROWS, columns=COLUMNS, post_processing=post_processing)

    def stream(self, mode: str, command: str) -> int:
        terminal = self._terminal("bash", "-c", command, post_processing=mode == "pty")
        if terminal.wait_exit(timeout_ms=WAIT_MS) != 0:
            raise SystemExit(f"not run: {terminal.exit_code}")
        return terminal.total_bytes

    def roundtrip(self) -> Callable[[], object]:
        terminal = self._terminal(*SHELL)

        def until(text: bytes, offset: int) -> int:
            match = terminal.wait_for([text], timeout_ms=WAIT_MS, offset=offset)
            if match is None:
                raise SystemExit("no answer from the shell")
            return match.end

        def once() -> Callable[[], object]:
            offset = terminal.total_bytes
            terminal.write(TYPED)
            end = until(ANSWERED, offset)
            return lambda: until(PROMPT, end)

        until(PROMPT, 0)
        return once

    def tool(self) -> Callable[[], object]:
        command = shlex.join(SHELL)
        shell = self._runtime.exec_command(cmd=command, tty=True, login=False, yield_time_ms=YIELD_TIME_MS)
        session = shell.session_id
        if session is None:
            raise SystemExit(f"the shell ended: {shell}")

        def once() -> None:
            answer = self._runtime.write_stdin(session, chars=TYPED.decode(), yield_time_ms=YIELD_TIME_MS)
            if ANSWERED.decode().replace("\r", "") not in answer.output.replace("\r", ""):
                raise SystemExit(f"no answer from the shell: {answer}")

        return once

    def open_many(self, count: int, command: str) -> None:
        # Each is watched for an early end before it is handed over, so a program that wants many asks from threads.
        with ThreadPoolExecutor(OPENING_THREADS) as threads:
            self._open = list(threads.map(lambda _: self._terminal("bash", "-c", command), range(count)))

    def gather(self, lines: int) -> int:
        # `wait_for` would do for one terminal; whoever has many only looks how far they are.
        until = monotonic() + WAIT_MS / 1000
        expected = lines * LINE_BYTES
        while any(terminal.total_bytes < expected for terminal in self._open) and monotonic() < until:
            sleep(LOOK_AGAIN_MS / 1000)
        return sum(terminal.read(0).data.count(b"\n") for terminal in self._open)

    def close_many(self) -> None:
        for terminal in self._open:
            terminal.close()

    def finish(self) -> None:
        self._runtime.close()


if __name__ == "__main__":
    chosen = sys.argv.pop(1)
    serve(lambda: Sandgate(chosen))

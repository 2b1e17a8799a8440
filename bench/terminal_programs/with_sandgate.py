"""Sandgate's live terminals, as a program in Python has them: `with_sandgate MODE ...`, MODE a sandbox mode."""

from __future__ import annotations

import os
import shlex
import sys

from sandgate.runtime import Environment, open_runtime
from terminal_programs.protocol import ANSWERED, COLUMNS, PROMPT, ROWS, SHELL, TYPED, WAIT_MS, Program, serve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.terminals.terminal import Terminal

YIELD_TIME_MS = 1_000  # what a model asks for when it types into a shell


class Sandgate(Program):
    """The library's terminals, and for `tool` what a model calls."""

    def __init__(self, sandbox_mode: str) -> None:
        super().__init__()
        overrides = (f"sandbox_mode={sandbox_mode}", "approval_policy=never")
        self._runtime = open_runtime(Environment(cwd=os.getcwd(), environ=dict(os.environ), overrides=overrides))
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
        terminal.wait_for([PROMPT], timeout_ms=WAIT_MS)

        def until(text: bytes) -> None:
            if terminal.wait_for([text], timeout_ms=WAIT_MS) is None:
                raise SystemExit("no answer from the shell")

        def once() -> Callable[[], object]:
            terminal.write(TYPED)
            until(ANSWERED)
            return lambda: until(PROMPT)

        return once

    def tool(self) -> Callable[[], object]:
        command = shlex.join(SHELL)
        session = self._runtime.exec_command(cmd=command, tty=True, login=False, yield_time_ms=YIELD_TIME_MS).session_id

        def once() -> None:
            answer = self._runtime.write_stdin(session, chars=TYPED.decode(), yield_time_ms=YIELD_TIME_MS)
            if ANSWERED.decode().replace("\r", "") not in answer.output.replace("\r", ""):
                raise SystemExit(f"no answer from the shell: {answer}")

        return once

    def open_many(self, count: int, command: str) -> None:
        self._open = [self._terminal("bash", "-c", command) for _ in range(count)]

    def gather(self, lines: int) -> int:
        last = f"line {lines - 1:06} ".encode()
        for terminal in self._open:
            terminal.wait_for([last], timeout_ms=WAIT_MS)
        return sum(terminal.read(0).data.count(b"\n") for terminal in self._open)

    def close_many(self) -> None:
        for terminal in self._open:
            terminal.close()

    def finish(self) -> None:
        self._runtime.close()


if __name__ == "__main__":
    chosen = sys.argv.pop(1)
    serve(lambda: Sandgate(chosen))

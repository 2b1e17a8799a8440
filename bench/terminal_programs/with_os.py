"""What Python itself permits: `os.openpty`, `subprocess`, `os.read` and `select.epoll`, nothing kept."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import termios
from functools import partial

from terminal_programs.gathering import gather_lines
from terminal_programs.protocol import ANSWERED, COLUMNS, PROMPT, ROWS, SHELL, TYPED, WAIT_MS, Program, serve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

CHUNK_BYTES = 65_536
OUTPUT_FLAGS = 1  # the place of c_oflag in termios(3)'s list


class PlainPython(Program):
    """File descriptors and a loop."""

    def __init__(self) -> None:
        super().__init__()
        self._open: dict[int, subprocess.Popen[bytes]] = {}
        self._printed: dict[int, int] = {}

    def _terminal(self, argv: tuple[str, ...], *, raw: bool = False) -> int:
        ours, theirs = os.openpty()
        termios.tcsetwinsize(theirs, (ROWS, COLUMNS))
        if raw:
            modes = termios.tcgetattr(theirs)
            modes[OUTPUT_FLAGS] &= ~termios.OPOST
            termios.tcsetattr(theirs, termios.TCSANOW, modes)
        # Its own session; the terminal it opens first becomes its controlling one. `exec` keeps it one process.
        become = ("setsid", "--ctty", *argv)
        self._open[ours] = subprocess.Popen(become, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True)
        os.close(theirs)
        return ours

    def stream(self, mode: str, command: str) -> int:
        ours = self._terminal(("bash", "-c", command), raw=mode == "raw")
        received = 0
        while chunk := _read(ours):
            received += len(chunk)
        self._open[ours].wait()
        return received

    def roundtrip(self) -> Callable[[], object]:
        ours = self._terminal(SHELL)
        waiting = select.poll()
        waiting.register(ours, select.POLLIN)
        seen = bytearray()

        def until(text: bytes) -> None:
            while text not in seen:
                if not waiting.poll(WAIT_MS):
                    raise SystemExit("no answer from the shell")
                seen.extend(_read(ours))

        def once() -> Callable[[], object]:
            seen.clear()
            os.write(ours, TYPED)
            until(ANSWERED)
            return lambda: until(ANSWERED + PROMPT)

        until(PROMPT)
        return once

    def open_many(self, count: int, command: str) -> None:
        for _ in range(count):
            self._terminal(("bash", "-c", command))

    def gather(self, lines: int) -> int:
        return gather_lines({ours: partial(_read, ours) for ours in self._open}, self._printed, lines)

    def close_many(self) -> None:
        self.finish()

    def finish(self) -> None:
        for ours, process in self._open.items():
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            os.close(ours)
        self._open.clear()
        self._printed.clear()


def _read(ours: int) -> bytes:
    try:
        return os.read(ours, CHUNK_BYTES)
    except OSError:  # EIO: nobody has the other side any more
        return b""


if __name__ == "__main__":
    serve(PlainPython)

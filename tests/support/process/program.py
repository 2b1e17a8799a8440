"""Runs the `sandgate` program as a user does: a fresh process, real descriptors, a real terminal if asked for."""

from __future__ import annotations

import atexit
import fcntl
import functools
import json
import os
import pty
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from support.process.resident import resident
from support.suite import turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Popen = subprocess.Popen[bytes]

SOURCE = Path(__file__).resolve().parents[3] / "src"
BEGIN = "from sandgate.start import entry; entry()"
ENTRY = f"import sys; sys.path.insert(0, sys.argv.pop(1)); {BEGIN}"
PROGRAM = [sys.executable, "-I", "-c", ENTRY, str(SOURCE)]
WAIT_SECONDS = 60


class Finished:
    """A finished run and how it is read."""

    def __init__(self, code: int, out: bytes, err: bytes) -> None:
        self.code, self.out_bytes, self.err_bytes = code, out, err

    @property
    def out(self) -> str:
        return self.out_bytes.decode("utf-8", "replace")

    @property
    def err(self) -> str:
        return self.err_bytes.decode("utf-8", "replace")

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def last(self) -> dict[str, Any]:
        return self.events[-1]

    def __repr__(self) -> str:
        return f"exit {self.code}\n--- out\n{self.out}\n--- err\n{self.err}"


class Sandgate:
    """The program in one workspace with a home of its own."""

    def __init__(self, workspace: Path, home: Path) -> None:
        self.workspace, self.home = workspace, home
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8", "TERM": "dumb"}

    def __call__(self, *arguments: str | bytes, stdin: bytes = b"", **env: str) -> Finished:
        """Run without a terminal and wait for the end; where it is its turn, by a resident."""
        words = [os.fsdecode(word) for word in arguments]
        if not env and len(stdin) <= select.PIPE_BUF and turns.is_born():
            return born(*words, cwd=self.workspace, env=self.env, stdin=stdin)
        done = subprocess.run(
            [*PROGRAM, *words],
            input=stdin,
            capture_output=True,
            cwd=self.workspace,
            env={**self.env, **env},
            timeout=WAIT_SECONDS,
            check=False,
            start_new_session=True,
        )
        return Finished(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str, through: tuple[str, ...] | list[str] = (), **options: Any) -> Popen:
        """Start without waiting; `through` is a command that starts the program in its turn."""
        return subprocess.Popen([*through, *PROGRAM, *arguments], cwd=self.workspace, env=self.env, **options)

    def at_terminal(self, *arguments: str) -> Terminal:
        """Start in front of a person."""
        return Terminal([*PROGRAM, *arguments], self.workspace, self.env)


def born(*words: str, cwd: Path, env: dict[str, str], stdin: bytes = b"") -> Finished:
    """Runs the program to its end as a process that has read its modules before it begins."""
    python = resident((sys.executable, "-I"), (str(SOURCE),), ())
    with python.begin(BEGIN, *words, cwd=str(cwd), env=env) as process, ThreadPoolExecutor(1) as beside:
        bound = threading.Timer(WAIT_SECONDS, process.kill)
        bound.start()
        try:
            err = beside.submit(process.stderr.read)
            with suppress(BrokenPipeError), process.stdin:
                process.stdin.write(stdin)
            out = process.stdout.read()
            return Finished(process.wait(WAIT_SECONDS), out, err.result())
        finally:
            bound.cancel()


def in_repository(folder: Path) -> Sandgate:
    """In a fresh repository with a home beside it, both in `folder`."""
    workspace, home = folder / "repo", folder / "home"
    for place in (workspace, home):
        place.mkdir()
    make_repository(workspace)
    return Sandgate(workspace, home)


def make_repository(workspace: Path) -> None:
    """What `git init` makes there, copied: starting git takes several times as long."""
    shutil.copytree(_git_directory(), workspace / ".git", dirs_exist_ok=False)


@functools.cache
def _git_directory() -> Path:
    place = tempfile.mkdtemp(prefix="sandgate-repository-")
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    subprocess.run(["git", "init", "-q", place], check=True)
    return Path(place, ".git")


class Terminal:
    """A pseudo-terminal with the program in it and a person in front."""

    def __init__(self, argv: list[str], cwd: Path, env: dict[str, str]) -> None:
        self.pid, self._master = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execve(argv[0], argv, env)
        self.seen = ""
        self._read_to = 0
        self.code: int | None = None

    def sees(self, text: str) -> str:
        """Wait until the text appears after what was waited for before; returns everything up to it."""
        deadline = time.monotonic() + WAIT_SECONDS
        while (place := self.seen.find(text, self._read_to)) < 0:
            assert self._more(deadline), f"never saw {text!r} in:\n{self.seen}"
        self._read_to = place + len(text)
        return self.seen[: self._read_to]

    def presses(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def resizes(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def hangs_up(self) -> int:
        """The person closes the window; returns the program's exit code."""
        os.close(self._master)
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status)

    def ends(self) -> int:
        """Wait for the program's end; returns its exit code."""
        deadline = time.monotonic() + WAIT_SECONDS
        while self._more(deadline):
            continue
        _, status = os.waitpid(self.pid, 0)
        os.close(self._master)
        self.code = os.waitstatus_to_exitcode(status)
        return self.code

    def _more(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise AssertionError(f"the program hangs; seen so far:\n{self.seen}")
        try:
            data = os.read(self._master, 65536)
        except OSError:  # the last process with the terminal is gone
            return False
        self.seen += data.decode("utf-8", "replace")
        return bool(data)

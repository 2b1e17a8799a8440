"""What tests have started ends with them, also when they are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from support.process.program import Terminal
from support.process.waiting import ended
from support.suite.source_tree import REPOSITORY

RUN = """
import os, subprocess, sys
if sys.argv[1] == "kept":
    from support.suite import leftovers
    leftovers.leave_none()
reading, writing = os.pipe()
daemon = (
    "import os, time; os.setsid(); os.fork() and os._exit(0); "
    f"os.write({writing}, b'%d' % os.getpid()); time.sleep(600)"
)
subprocess.run([sys.executable, "-c", daemon], pass_fds=[writing], stdout=subprocess.DEVNULL, check=True)
print(os.getpid(), os.read(reading, 100).decode(), flush=True)
exec(sys.argv[2])
"""
GOES_ON = "sys.stdin.read()"
COUNTS = """
import signal
told = []
signal.signal(signal.SIGINT, lambda *_: told.append("once") or print("interrupted", flush=True))
signal.signal(signal.SIGTERM, lambda *_: os._exit(len(told)))
print("ready", flush=True)
while True:
    signal.pause()
"""
LIMIT_S = 60


class Run(NamedTuple):
    """`started` was asked for the tests; `tests` runs them, and left the daemon behind."""

    started: subprocess.Popen[str]
    tests: int
    daemon: int


@contextmanager
def running(code: str, kept: str = "kept") -> Iterator[Run]:
    environ = os.environ | {"PYTHONPATH": str(REPOSITORY / "tests")}
    argv = [sys.executable, "-c", RUN, kept, code]
    with subprocess.Popen(argv, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        tests, daemon = map(int, started.stdout.readline().split())
        try:
            yield Run(started, tests, daemon)
        finally:
            for pid in (daemon, tests, started.pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("killed", ["started", "tests"])
def test_a_run_that_is_killed_leaves_nothing(killed: str) -> None:
    with running(GOES_ON) as run:
        os.kill(run.started.pid if killed == "started" else run.tests, signal.SIGKILL)
        assert ended(run.daemon)
        assert ended(run.tests)
        assert run.started.wait(LIMIT_S) == (-signal.SIGKILL if killed == "started" else 128 + signal.SIGKILL)


def test_without_the_keeper_it_does() -> None:
    with running(GOES_ON, "alone") as run:
        run.started.kill()
        run.started.wait(LIMIT_S)
        os.kill(run.daemon, 0)


@pytest.mark.parametrize("code", [0, 3])
def test_a_run_that_ends_leaves_nothing_and_its_exit_code_is_told(code: int) -> None:
    with running(f"sys.exit({code})") as run:
        assert run.started.wait(LIMIT_S) == code
        assert ended(run.daemon)


def test_a_signal_reaches_the_tests_and_what_a_person_presses_once(tmp_path: Path) -> None:
    environ = os.environ | {"PYTHONPATH": str(REPOSITORY / "tests")}
    terminal = Terminal([sys.executable, "-c", RUN, "kept", COUNTS], tmp_path, environ)
    terminal.sees("ready")
    terminal.presses("\x03")
    terminal.sees("interrupted")
    os.kill(terminal.pid, signal.SIGTERM)
    assert terminal.ends() == 1

"""What looks after a running command is loaded by then, and says of it what its child knew."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandgate.execution.attendance import STOPPED_EXIT_CODE, Attendance, begun_at
from sandgate.execution.capture import Capture
from sandgate.execution.interrupts import InterruptsHeld
from sandgate.kernel.plain import PlainChild

SOURCES = Path(__file__).resolve().parents[2] / "src"
LATE = ("sandgate.execution.attendance", "sandgate.execution.lifetime", "select")


def test_nothing_of_it_is_loaded_before_a_command_runs() -> None:
    code = f"import sys; sys.path.insert(0, {str(SOURCES)!r}); import sandgate.gate.launch\n"
    code += f"print([name for name in {LATE} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture
def start() -> Iterator[Callable[..., PlainChild]]:
    children: list[PlainChild] = []

    def starting(*argv: str) -> PlainChild:
        program = shutil.which(argv[0])
        assert program is not None
        children.append(PlainChild(os.posix_spawn(program, argv, os.environ, setsid=True)))
        return children[-1]

    yield starting
    for child in children:
        child.close()


def attended(child: PlainChild, *, cancel_fd: int | None = None) -> Attendance:
    attendance = Attendance(child, [], None, begun_at(time.monotonic_ns(), None, 0), cancel_fd, None)
    with InterruptsHeld() as interrupts:
        attendance.see_through(interrupts)
    return attendance


def test_it_waits_for_the_end_and_tells_what_the_child_knew(start: Callable[..., PlainChild]) -> None:
    child = start("sh", "-c", "exit 7")
    child.locked.append("/outside")
    outcome = attended(child).outcome(Capture(), 0)
    assert outcome.result is not None
    assert (outcome.result.exit_code, outcome.result.termination, outcome.locked) == (7, "exited", ("/outside",))


def test_a_command_that_is_cancelled_is_killed(start: Callable[..., PlainChild]) -> None:
    read_end, write_end = os.pipe()
    os.close(write_end)  # readable from the first moment on
    outcome = attended(start("sleep", "1000"), cancel_fd=read_end).outcome(Capture(), 0)
    os.close(read_end)
    assert outcome.result is not None
    assert (outcome.result.exit_code, outcome.result.termination) == (STOPPED_EXIT_CODE, "cancelled")


def test_the_clock_of_a_command_runs_from_its_start(start: Callable[..., PlainChild]) -> None:
    child = start("sleep", "1000")
    begun = begun_at(time.monotonic_ns() - 2_000_000_000, 1_000, 0)  # its limit has passed before anybody waits
    attendance = Attendance(child, [], None, begun, None, None)
    with InterruptsHeld() as interrupts:
        attendance.see_through(interrupts)
    outcome = attendance.outcome(Capture(), 0)
    assert outcome.result is not None
    assert outcome.result.termination == "timed_out"

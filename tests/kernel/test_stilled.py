"""A tree of processes is stopped for the time of a question, and goes on afterwards."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from sandgate.kernel.process_tree import descendants
from sandgate.kernel.stilled import StilledTree

LIMIT_S = 30.0
# A supervisor, its init, and below it a program that leaves its session and one that counts.
COUNTS = "while :; do echo x >> {0}/{1}; sleep 0.01; done"


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    away, here = COUNTS.format(tmp_path, "away"), COUNTS.format(tmp_path, "here")
    init = f"sh -c 'setsid sh -c \"{away}\" & {here}'"
    with subprocess.Popen(["sh", "-c", f"{init}; :"]) as supervisor:
        until(lambda: (tmp_path / "away").exists() and (tmp_path / "here").exists())
        yield supervisor
        for pid in (supervisor.pid, *descendants(supervisor.pid)):
            with suppress(ProcessLookupError):  # those below an init end with it
                os.kill(pid, 9)


def until(holds: object) -> None:
    end = time.monotonic() + LIMIT_S
    while not holds():  # type: ignore[operator] # a condition
        assert time.monotonic() < end
        time.sleep(0.01)


def state(pid: int) -> str:
    """X: it was over, and its parent asked how it ended before it was stopped itself."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "X"


def test_everything_below_its_init_stops_and_goes_on(tree: subprocess.Popen[bytes], tmp_path: Path) -> None:
    """Required: also what has left the session of the command."""
    stilled = StilledTree(lambda: descendants(tree.pid)[1:])
    assert stilled(True)
    found = descendants(tree.pid)[1:]
    # A `sleep` of theirs may have been over before; whoever has just made one waits (D) until it is another program.
    until(lambda: {state(pid) for pid in found} <= {"T", "Z", "X", "D"})
    assert [state(pid) for pid in found].count("T") >= 2
    assert state(tree.pid) != "T"
    size = (tmp_path / "away").stat().st_size, (tmp_path / "here").stat().st_size
    assert stilled(False)
    until(lambda: (tmp_path / "away").stat().st_size > size[0] and (tmp_path / "here").stat().st_size > size[1])


def test_what_is_gone_is_no_reason_to_fail() -> None:
    stilled = StilledTree(lambda: descendants(1 << 22))
    assert stilled(True)
    assert stilled(False)

"""Ctrl-C and its relatives, as real signals to a real process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sandgate.surfaces.cli.interruptions import INTERRUPT_WAIT_S
from support.process.program import SOURCE, WAIT_SECONDS

TESTS = Path(__file__).resolve().parents[2]
CHILD = """
import sys
sys.path[:0] = [{source!r}, {tests!r}]
from support.agent import agent_double
from sandgate.protocol import events as told
stage = agent_double.Stage()
stage.install()
begin = told.ExecCommandBegin("c1", "turn-1", ("sleep", "100"), "/repo")
stage.story = (begin, {wait!r}, told.TurnAborted("turn-1", "interrupted"))
from sandgate.surfaces.cli import interruptions
interruptions.INTERRUPT_WAIT_S = {patience}
from sandgate.surfaces.cli.main import main
sys.exit(main(["agent", "--json", "--skip-git-repo-check", "wait"]))
"""
COMMAND_RUNS = '"item.started"'


def started(tmp_path: Path, wait: str, patience_s: float = INTERRUPT_WAIT_S) -> subprocess.Popen[str]:
    """The program in the middle of a turn, a command of which runs; a turn has `patience_s` to end by itself."""
    code = CHILD.format(source=str(SOURCE), tests=str(TESTS), wait=wait, patience=patience_s)
    child = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
    )
    assert child.stdout is not None
    while COMMAND_RUNS not in (line := child.stdout.readline()):
        assert line, child.stderr and child.stderr.read()
    return child


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_interrupts_the_turn_and_everything_ends_in_order(tmp_path: Path, number: signal.Signals) -> None:
    """Required: the running command's item is ended, then its turn, and the exit code names the signal."""
    child = started(tmp_path, "waits until it is interrupted")
    child.send_signal(number)
    out, err = child.communicate(timeout=WAIT_SECONDS)
    assert child.returncode == 128 + number
    assert [line.partition('"type": "')[2].partition('"')[0] for line in out.splitlines()] == [
        "item.completed",
        "turn.failed",
    ]
    assert err == ""


def test_a_second_signal_does_not_wait_for_a_turn_that_hangs(tmp_path: Path) -> None:
    """Required: two Ctrl-C always get the terminal back."""
    child = started(tmp_path, "waits for ever", patience_s=100 * WAIT_SECONDS)
    begun = time.monotonic()
    while child.poll() is None and time.monotonic() - begun < WAIT_SECONDS:
        child.send_signal(signal.SIGINT)
        try:
            child.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            continue
    assert child.returncode == 130
    child.communicate()


@pytest.mark.slow
def test_a_turn_that_hangs_is_ended_with_its_session_after_one_signal(tmp_path: Path) -> None:
    child = started(tmp_path, "waits for ever")
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=WAIT_SECONDS)
    assert child.returncode == 130
    assert '"item.completed"' in out

"""`sandgate run --wait-for-approvals`: nobody is at its terminal, and somebody at another one answers."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.process.program import PROGRAM, Sandgate, in_repository

pytestmark = pytest.mark.host("namespace", "notify")

LIMIT_S = 60
ASKED = re.compile(
    r"sandgate: waiting for an answer, \d+ seconds at most: (sandgate approvals resolve ([0-9a-f]{16}) \S+)"
)
RUN = ("run", "--wait-for-approvals", "-a", "untrusted")


@pytest.fixture
def sandgate(tmp_path: Path) -> Sandgate:
    return in_repository(tmp_path)


@contextmanager
def waiting(sandgate: Sandgate, *arguments: str) -> Iterator[tuple["subprocess.Popen[str]", str, str]]:
    """A run that waits, the line that says how it is answered, and the number of its question."""
    running = subprocess.Popen(
        [*PROGRAM, *arguments],
        cwd=sandgate.workspace,
        env=sandgate.env,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    ending = threading.Timer(LIMIT_S, running.kill)
    ending.start()
    try:
        assert running.stderr is not None
        found = next(filter(None, map(ASKED.match, running.stderr)), None)
        assert found, "nobody was asked"
        yield running, found[1], found[2]
    finally:
        ending.cancel()
        running.kill()
        running.communicate()


@pytest.mark.parametrize(("answer", "code"), [("approve", 0), ("deny", 77), ("abort", 77)])
def test_an_answer_from_another_terminal_counts(sandgate: Sandgate, answer: str, code: int) -> None:
    with waiting(sandgate, *RUN, "--", "touch", "made") as (running, line, number):
        assert answer in line
        assert not (sandgate.workspace / "made").exists()
        listed = sandgate("approvals", "list")
        assert number[:4] in listed.out
        assert sandgate("approvals", "resolve", number[:4], answer).code == 0
        assert running.wait(LIMIT_S) == code
    assert (sandgate.workspace / "made").exists() is (answer == "approve")


@pytest.mark.parametrize(("asks", "unconfined"), [("at-call", False), ("after", True)], ids=["at-call", "after"])
def test_what_was_refused_is_asked_about_as_well(
    sandgate: Sandgate, tmp_path: Path, asks: str, unconfined: bool
) -> None:
    """With the smallest grant, as everywhere."""
    outside = Path("/var/tmp") / f"sandgate-waits-{os.getpid()}-{tmp_path.parent.name}"
    outside.mkdir()
    try:
        settings = ("-a", "on-failure", "-c", f"sandbox.ask={asks}")
        run = ("run", "--wait-for-approvals", *settings, "--", "touch", f"{outside}/made")
        with waiting(sandgate, *run) as (running, line, number):
            assert ("approve-unsandboxed" in line) == unconfined
            assert sandgate("approvals", "resolve", number, "approve").code == 0
            assert running.wait(LIMIT_S) == 0
        assert (outside / "made").exists()
    finally:
        subprocess.run(["rm", "-rf", str(outside)], check=True)


def test_nobody_in_time_is_a_no_that_says_so(sandgate: Sandgate) -> None:
    done = sandgate(*RUN, "--approval-timeout", "0.2", "--", "touch", "made")
    assert done.code == 77
    assert "nobody answered within 0.2 seconds" in done.err
    assert not (sandgate.workspace / "made").exists()


def test_an_interrupt_takes_the_question_back(sandgate: Sandgate) -> None:
    with waiting(sandgate, *RUN, "--", "touch", "made") as (running, _line, number):
        running.send_signal(signal.SIGINT)
        assert running.wait(LIMIT_S) == 130
    assert number[:4] not in sandgate("approvals", "list").out
    assert not (sandgate.workspace / "made").exists()


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP])
def test_whoever_ends_the_program_takes_the_question_back(sandgate: Sandgate, ending: signal.Signals) -> None:
    with waiting(sandgate, *RUN, "--", "touch", "made") as (running, _line, number):
        running.send_signal(ending)
        assert running.wait(LIMIT_S) == -ending
    assert number[:4] not in sandgate("approvals", "list").out
    assert not (sandgate.workspace / "made").exists()


def test_data_on_stdout_stays_data(sandgate: Sandgate) -> None:
    with waiting(sandgate, *RUN, "--json", "--", "touch", "made") as (running, _line, number):
        assert sandgate("approvals", "resolve", number, "approve").code == 0
        out, _ = running.communicate(timeout=LIMIT_S)
    assert all(line.startswith("{") for line in out.splitlines())

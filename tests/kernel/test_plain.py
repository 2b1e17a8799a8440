"""Unconfined children."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sandgate.kernel.launcher import start
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions
from support.kernel.confined_runs import run_plan


def unconfined_plan(*argv: str, cwd: str = "/", **changes: Any) -> ConfinedCommand:
    env = {"PATH": "/usr/bin:/bin"}
    return ConfinedCommand("none", argv, cwd, env, EffectivePermissions(confined=False), **changes)


def test_unconfined_child_tells_its_exit_code_and_signal() -> None:
    assert run_plan(unconfined_plan("sh", "-c", "exit 7"))["exit_code"] == 7
    assert run_plan(unconfined_plan("sh", "-c", "kill -TERM $$"))["exit_code"] == 128 + 15


def test_unconfined_child_starts_in_its_directory_whatever_ours_is(tmp_path: Path) -> None:
    here = os.getcwd()
    assert run_plan(unconfined_plan("pwd", cwd=str(tmp_path)))["output"] == f"{tmp_path}\n"
    assert run_plan(unconfined_plan("pwd", cwd=here))["output"] == f"{here}\n"
    assert os.getcwd() == here


@pytest.mark.parametrize("place", [".", "/"], ids=["in our directory", "elsewhere"])
def test_what_our_thread_blocks_is_not_blocked_in_the_child(place: str) -> None:
    """Required: a blocked signal survives an exec, and the command could not be asked to end."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    try:
        outcome = run_plan(unconfined_plan("grep", "SigBlk", "/proc/self/status", cwd=os.path.abspath(place)))
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    assert outcome["output"] == f"SigBlk:\t{'0' * 16}\n"


@pytest.mark.parametrize(
    ("argv", "cwd", "failure"),
    [
        (("no-such-program",), "/", {"what": "program", "errno": "ENOENT"}),
        (("/etc/passwd",), "/", {"what": "program", "errno": "EACCES"}),
        (("true",), "/no/such/directory", {"what": "directory", "errno": "ENOENT"}),
    ],
)
def test_what_cannot_start_is_a_failure_and_names_the_culprit(
    argv: tuple[str, ...], cwd: str, failure: dict[str, str]
) -> None:
    assert run_plan(unconfined_plan(*argv, cwd=cwd))["failure"] == failure


@pytest.mark.parametrize("cwd", ["here", "/usr"])
def test_unconfined_child_gets_three_descriptors_only(cwd: str) -> None:
    leaks = [os.dup(0) for _ in range(5)]
    for fd in leaks:
        os.set_inheritable(fd, True)
    try:
        output = run_plan(unconfined_plan("ls", "/proc/self/fd", cwd=os.getcwd() if cwd == "here" else cwd))["output"]
    finally:
        for fd in leaks:
            os.close(fd)
    assert output.split() == ["0", "1", "2", "3"]  # 3 is the listing's own


def test_stdio_may_be_given_in_any_order() -> None:
    program = """
import os, select
from sandgate.kernel.launcher import start
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions
plan = ConfinedCommand("none", ("/bin/sh", "-c", "echo out; echo err >&2"), "/", {}, EffectivePermissions())
child = start(plan, stdin=0, stdout=2, stderr=1)
poller = select.poll()
for fd in child.descriptors():
    poller.register(fd, select.POLLIN)
poller.poll(10000)
child.close()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=30, check=True)
    assert (done.stdout, done.stderr) == (b"err\n", b"out\n")


def test_kill_tree_ends_the_whole_session_even_after_its_leader() -> None:
    reading, writing = os.pipe()
    plan = unconfined_plan("sh", "-c", "sleep 60 & sleep 60 & exit 0")
    child = start(plan, stdin=0, stdout=writing, stderr=writing)
    os.close(writing)
    try:
        while child.ended is None:
            _wait(*child.descriptors())
            for fd in child.descriptors():
                child.handle(fd)
        child.kill_tree()
        assert os.read(reading, 1) == b""  # the pipe is closed: nobody holds it any more
    finally:
        child.close()
        os.close(reading)


def _wait(*fds: int) -> None:

    poller = select.poll()
    for fd in fds:
        poller.register(fd, select.POLLIN)
    assert poller.poll(10_000)

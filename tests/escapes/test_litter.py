"""The sandbox leaves nothing behind, not even for a moment, not even when everything is killed."""

import os
import signal
import subprocess
import time

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, Stage

WAIT_S = 30
SLEEP = f"96.{os.getpid()}"  # other runs of these tests have other numbers


@BOTH_BACKENDS
def test_the_workspace_is_the_same_before_during_and_after(stage: Stage, backend: str) -> None:
    stage.repository()
    for name in (".vscode", "sub/.git"):
        (stage.repo / name).mkdir(parents=True)
    (stage.home / ".netrc").write_text("secret")
    stage.own()
    before = stage.tree()
    command = stage.script("import sys; sys.stdout.write('up'); sys.stdout.flush(); sys.exit(3)")
    ran = stage.confined(command, backend=backend)
    assert (ran.exit_code, ran.stdout) == (3, "up"), ran
    assert stage.tree() == before


@pytest.mark.host("namespace")
def test_nothing_is_left_when_everything_is_killed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.repository()
    before = stage.tree()
    killed: list[int] = []

    def run_and_kill(argv: list[str], **options: object) -> "subprocess.CompletedProcess[str]":
        options.pop("capture_output")
        options.pop("timeout")
        with subprocess.Popen(argv, stdout=subprocess.PIPE, **options) as driver:  # type: ignore[call-overload]
            during = wait_for_sleeper(stage)
            assert stage.tree() == before
            driver.send_signal(signal.SIGKILL)
            killed.append(during)
        return subprocess.CompletedProcess(argv, 0, '{"error": ["killed", ""]}\n', "")

    stage.starts_alone = True
    monkeypatch.setattr(subprocess, "run", run_and_kill)
    stage.confined(["sleep", SLEEP])
    deadline = time.monotonic() + WAIT_S  # nobody is left who could tell us
    while os.path.exists(f"/proc/{killed[0]}") and time.monotonic() < deadline:
        os.sched_yield()
    assert not os.path.exists(f"/proc/{killed[0]}")
    assert stage.tree() == before


def wait_for_sleeper(stage: Stage) -> int:
    """The pid of the confined `sleep`, once it runs."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    if file.read() == f"sleep\0{SLEEP}\0".encode() and os.stat(f"/proc/{pid}").st_uid == stage.uid:
                        return int(pid)
            except OSError:
                continue
    raise AssertionError("the command did not start")

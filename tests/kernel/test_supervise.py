"""The supervisor itself: bugs, held calls, and callers who do not read."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from sandgate.kernel import supervise
from sandgate.kernel.path_access import PathAccess
from sandgate.kernel.waiting import Observed
from support.kernel.confined_runs import confined, permissions, plan_for, run_plan

pytestmark = [pytest.mark.host("landlock"), pytest.mark.host("notify")]

pytest_plugins = ["support.kernel.landlock_fixtures"]


def test_a_bug_in_the_supervisor_leaves_the_kernel_to_judge(
    my_workspace: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Required: no hang, no gift; and nobody may conclude anything from silence."""

    def broken(_: object) -> Any:
        raise ZeroDivisionError

    for name in ("openat", "fchmodat", "chmod"):
        monkeypatch.setitem(supervise.HANDLERS, name, broken)
    outcome = confined(
        f"echo in > src/file; echo out > {outside}/file; chmod 777 {outside}/file; true", str(my_workspace)
    )
    assert (my_workspace / "src" / "file").read_text() == "in\n"
    assert ((outside / "file").read_text(), (outside / "file").stat().st_mode & 0o777) == ("before", 0o644)
    assert (outcome["reported"], outcome["refused"]) == (False, [])


def test_kill_tree_ends_a_command_whose_call_is_held(my_workspace: Path) -> None:
    from sandgate.kernel.launcher import start

    plan = plan_for(("/bin/sh", "-c", "mkfifo f; echo x > f"), str(my_workspace))  # waits for a reader for ever
    child = start(plan, stdin=0, stdout=1, stderr=2)
    killer = threading.Timer(0.3, child.kill_tree)
    killer.start()
    try:
        import select

        poller = select.poll()
        poller.register(child.descriptors()[0], select.POLLIN)
        assert poller.poll(10_000)
        child.handle(child.descriptors()[0])
        assert child.ended is not None
        assert child.ended.exit_code == 128 + 9
    finally:
        killer.join()
        child.close()


def test_output_nobody_reads_does_not_stop_the_commands_file_work(my_workspace: Path) -> None:
    """Required: the caller may be blocked on our output until this command has made a file."""
    from sandgate.kernel.launcher import start

    reading, writing = os.pipe()
    plan = plan_for(("/bin/sh", "-c", "(sleep 0.1; touch made) & head -c 1000000 /dev/zero"), str(my_workspace))
    child = start(plan, stdin=0, stdout=writing, stderr=2)
    os.close(writing)
    try:
        deadline = threading.Event()
        for _ in range(500):
            if (my_workspace / "made").exists():
                break
            deadline.wait(0.01)
        assert (my_workspace / "made").exists()
    finally:
        child.close()
        os.close(reading)


def test_a_plan_that_asks_for_no_records_is_confined_all_the_same(my_workspace: Path, outside: Path) -> None:
    plan = plan_for(("/bin/sh", "-c", f"echo x > {outside}/file"), str(my_workspace)).but(report="off")
    assert run_plan(plan)["exit_code"] != 0
    assert (outside / "file").read_text() == "before"


def test_when_sandgate_is_killed_outright_what_is_left_can_make_nothing(my_workspace: Path) -> None:
    """Known gap: the processes live on. Required: held calls fail, so no file is made or written any more."""
    program = f"""
import sys
sys.path[:0] = {sys.path!r}
from support.kernel.confined_runs import plan_for
from sandgate.kernel.launcher import start
command = "echo ready; read line; echo x > made; echo x > src/made; echo told"
child = start(plan_for(("/bin/sh", "-c", command), {str(my_workspace)!r}), stdin=0, stdout=1, stderr=1)
import time
time.sleep(60)
"""
    sandgate = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert sandgate.stdin is not None
    assert sandgate.stdout is not None
    with sandgate, sandgate.stdin, sandgate.stdout:
        assert sandgate.stdout.readline() == b"ready\n"
        sandgate.kill()
        sandgate.wait(10)
        sandgate.stdin.write(b"go\n")
        sandgate.stdin.flush()
        told = sandgate.stdout.read()
    assert told.count(b"Function not implemented") == 2
    assert told.endswith(b"told\n")
    assert sorted(path.name for path in my_workspace.rglob("made")) == []


def test_a_late_call_for_the_end_writes_into_nobody_elses_descriptor() -> None:
    """Required: the numbers of what was closed belong to whoever opens something next, such as a file of the user."""
    listener = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    supervisor = supervise.Supervisor(
        listener,
        Observed(PathAccess(permissions("/nowhere"), {}, {}), network=False, sockets=()),
        on_birth=lambda _pid: None,
    )
    supervisor.close()
    others = [os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK) for _ in range(4)]
    try:
        supervisor.wake(kill_tree=True)
        assert [select.select([fd], [], [], 0)[0] for fd in others] == [[]] * 4
    finally:
        for fd in others:
            os.close(fd)

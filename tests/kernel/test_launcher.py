"""A child without the C helper: unconfined ones, and the traps of the launcher thread."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from confined_runs import confined, plan_for, run_plan

from sandgate.errors import ConfinementError
from sandgate.kernel.launcher import start
from sandgate.protocol.confinement import ConfinedCommand, Limits
from sandgate.protocol.permissions import EffectivePermissions

RUNS = 300


def unconfined_plan(*argv: str, cwd: str = "/", **changes: Any) -> ConfinedCommand:
    env = {"PATH": "/usr/bin:/bin"}
    return ConfinedCommand("none", argv, cwd, env, EffectivePermissions(confined=False), **changes)


@pytest.fixture
def workspace(tmp_path: Path) -> str:
    return str(tmp_path)


def test_unconfined_child_tells_its_exit_code_and_signal() -> None:
    assert run_plan(unconfined_plan("sh", "-c", "exit 7"))["exit_code"] == 7
    assert run_plan(unconfined_plan("sh", "-c", "kill -TERM $$"))["exit_code"] == 128 + 15


def test_unconfined_child_starts_in_its_directory_whatever_ours_is(tmp_path: Path) -> None:
    here = os.getcwd()
    assert run_plan(unconfined_plan("pwd", cwd=str(tmp_path)))["output"] == f"{tmp_path}\n"
    assert run_plan(unconfined_plan("pwd", cwd=here))["output"] == f"{here}\n"
    assert os.getcwd() == here


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


def test_plans_for_other_backends_are_not_started() -> None:
    plan = unconfined_plan("true").but(backend="namespace")
    with pytest.raises(ConfinementError, match="namespace"):
        start(plan, stdin=0, stdout=1, stderr=2)


def test_plain_path_imports_neither_ctypes_nor_threading() -> None:
    program = "import sys, sandgate.kernel.plain, sandgate.kernel.launcher; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=30, check=True)
    assert not {"ctypes", "threading", "subprocess", "signal", "dataclasses", "enum"} & set(
        done.stdout.decode().split()
    )


@pytest.mark.host("landlock")
def test_the_launcher_restricts_its_own_thread_only(workspace: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Trap: a pooled thread would poison later work of ours."""
    outside = tmp_path_factory.mktemp("outside") / "file"
    assert confined(f"echo x > {outside}", workspace)["exit_code"] == 2
    outside.write_text("we still may")
    assert "NoNewPrivs:\t0" in Path("/proc/self/status").read_text()


@pytest.mark.host("landlock")
def test_the_launcher_keeps_our_directory_and_gives_the_child_its_own(workspace: str) -> None:
    here = os.getcwd()
    assert confined("pwd", workspace)["output"] == f"{workspace}\n"
    assert os.getcwd() == here


@pytest.mark.host("landlock")
def test_the_launcher_thread_outlives_a_child_that_wants_to_die_with_its_parent(workspace: str) -> None:
    """Trap: PR_SET_PDEATHSIG means the thread that started the child, not the process."""
    program = "import ctypes, time; ctypes.CDLL(None).prctl(1, 9); time.sleep(0.3); print('alive')"
    outcome = confined(("/usr/bin/python3", "-c", program), workspace)
    assert (outcome["exit_code"], outcome["output"]) == (0, "alive\n")


@pytest.mark.host("landlock")
def test_confined_child_gets_three_descriptors_only(workspace: str) -> None:
    leak = os.dup(0)
    os.set_inheritable(leak, True)
    try:
        assert confined("ls /proc/self/fd", workspace)["output"].split() == ["0", "1", "2", "3"]
    finally:
        os.close(leak)


@pytest.mark.host("landlock")
def test_limits_hold_from_the_first_instruction(workspace: str) -> None:
    plan = plan_for(("sh", "-c", "ulimit -c; ulimit -Hn"), workspace).but(limits=Limits(open_files=99))
    assert run_plan(plan)["output"] == "0\n99\n"


@pytest.mark.host("landlock")
def test_confined_program_that_does_not_exist_is_a_failure(workspace: str) -> None:
    assert confined(("nowhere",), workspace)["failure"] == {"what": "program", "errno": "ENOENT"}
    (Path(workspace) / "text").write_text("not a program")
    (Path(workspace) / "text").chmod(0o755)
    assert confined(("./text",), workspace)["failure"] == {"what": "program", "errno": "ENOEXEC"}


@pytest.mark.host("landlock")
@pytest.mark.slow
def test_many_runs_leave_no_thread_descriptor_or_process(workspace: str) -> None:
    confined("true", workspace)  # the kept rule set and the loaded libraries are not leaks
    before = _holdings()
    for index in range(RUNS):
        confined(("/bin/true",) if index % 3 else ("nowhere",), workspace)
    assert _holdings() == before


def _holdings() -> tuple[int, int, list[str]]:
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    for _ in range(1000):
        if len(os.listdir("/proc/self/task")) == 1:
            break
        os.sched_yield()  # the last instructions of a thread that has already said goodbye
    return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd")), children


def _wait(*fds: int) -> None:
    import select

    poller = select.poll()
    for fd in fds:
        poller.register(fd, select.POLLIN)
    assert poller.poll(10_000)

"""The synchronous API on the real kernel: one session, many commands, nothing left behind."""

from __future__ import annotations

import gc
import json
import os
import threading
from functools import partial
from pathlib import Path

import pytest

from sandgate.config import TypedOverrides
from sandgate.errors import RequestError
from sandgate.protocol.commands import CommandRequest
from sandgate.runtime import Environment, Runtime, open_runtime
from sandgate.testing import ReviewerDouble
from support.machine.ordinary_user import OrdinaryUser
from support.process.waiting import leaves_as_it_was
from support.suite.sampling import full

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

pytestmark = pytest.mark.host("namespace", "notify")

COMMANDS_IN_A_ROW = 500 if full() else 100  # what each of them left would be seen after the first
WARM_UP = 20  # caches and lazily opened descriptors settle


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    """A directory that is no writable root."""
    place = Path("/var/tmp") / f"sandgate-{os.getpid()}-{tmp_path.name}"
    place.mkdir()
    yield place
    for left in place.iterdir():
        left.unlink()
    place.rmdir()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    place = tmp_path / "repo"
    place.mkdir()
    return place


def session(
    repo: Path, *reviewers: ReviewerDouble, approval: str = "on-failure", asks: str = "at-call", **typed: Any
) -> Runtime:
    home = repo.parent / "home"
    home.mkdir(exist_ok=True)
    return open_runtime(
        Environment(
            cwd=str(repo),
            environ={"PATH": "/usr/bin:/bin", "HOME": str(home)},
            overrides=(f"sandbox.ask={asks}",),
            typed=TypedOverrides(approval_policy=approval, sandbox_mode="workspace-write", **typed),
        ),
        reviewers=reviewers,
    )


def test_five_lines_run_a_governed_command(repo: Path) -> None:
    runtime = session(repo)
    passage = runtime.run(runtime.request(("sh", "-c", "echo hi; echo x > made")))
    assert passage.result is not None
    assert (passage.result.exit_code, passage.result.stdout) == (0, b"hi\n")
    assert (repo / "made").exists()


@pytest.mark.parametrize(("asks", "runs"), [("at-call", [1, 1]), ("after", [2, 1])])
def test_an_approval_for_the_session_is_asked_once_and_then_used_at_once(
    repo: Path, outside: Path, asks: str, runs: list[int]
) -> None:
    (outside / "file").write_text("")
    colleague = ReviewerDouble(always="approved_for_session")
    runtime = session(repo, colleague, asks=asks)
    command = runtime.request(("sh", "-c", f"echo line >> {outside}/file"))
    first, second = runtime.run(command), runtime.run(command)
    assert [len(first.attempts), len(second.attempts)] == runs
    assert len(colleague.asked) == 1
    assert (outside / "file").read_text() == "line\nline\n"


def test_an_approval_once_is_asked_again(repo: Path, outside: Path) -> None:
    (outside / "file").write_text("")
    colleague = ReviewerDouble(always="approved")
    runtime = session(repo, colleague)
    command = runtime.request(("sh", "-c", f"echo line >> {outside}/file"))
    runtime.run(command)
    runtime.run(command)
    assert len(colleague.asked) == 2


@pytest.mark.parametrize(("asks", "stages"), [("at-call", ["held", "held"]), ("after", ["retry"])])
def test_a_grant_opens_that_path_and_nothing_beside_it(repo: Path, outside: Path, asks: str, stages: list[str]) -> None:
    (outside / "wanted").write_text("")
    (outside / "beside").write_text("")
    colleague = ReviewerDouble("approved", always="denied")
    runtime = session(repo, colleague, asks=asks)
    script = f"echo x >> {outside}/wanted || exit 1; echo y >> {outside}/beside; true"
    passage = runtime.run(runtime.request(("sh", "-c", script)))
    assert (outside / "wanted").read_text() == "x\n"
    assert (outside / "beside").read_text() == ""
    assert passage.attempts[-1].denial.denied
    assert [each.stage for each in colleague.asked] == stages


def test_without_a_reviewer_nothing_is_approved(repo: Path, outside: Path) -> None:
    runtime = session(repo)
    passage = runtime.run(runtime.request(("touch", f"{outside}/file")))
    assert (passage.decisions[0].decision, passage.decisions[0].source) == ("denied", "none")
    assert list(outside.iterdir()) == []


def test_a_descriptor_cancels(repo: Path) -> None:
    reader, writer = os.pipe()
    runtime = session(repo)
    os.write(writer, b"x")
    passage = runtime.run(runtime.request(("sleep", "600")), cancel_fd=reader)
    os.close(reader)
    os.close(writer)
    assert passage.result is not None
    assert passage.result.termination == "cancelled"


@pytest.mark.parametrize("argv", [(), ("",), ("echo", "a\0b")])
def test_an_argv_no_kernel_takes_is_refused_with_a_reason(repo: Path, argv: tuple[str, ...]) -> None:
    with pytest.raises(RequestError):
        session(repo).request(argv)


def test_a_forecast_runs_nothing_and_says_what_would(repo: Path) -> None:
    runtime = session(repo, approval="untrusted")
    forecast = runtime.forecast(runtime.request(("touch", "made")))
    assert (type(forecast.verdict).__name__, forecast.backend, forecast.network) == ("Ask", "namespace", "off")
    assert str(repo) in forecast.writable
    assert list(repo.iterdir()) == []


def census() -> tuple[set[str], set[str], int]:
    """Our descriptors, our children, and the mounts we see."""
    children = {pid for pid in os.listdir("/proc") if pid.isdigit() and _parent_of(pid) == os.getpid()}
    mounts = len(Path("/proc/self/mountinfo").read_text().splitlines())
    return set(os.listdir("/proc/self/fd")), children, mounts


def _parent_of(pid: str) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def run_many(runtime: Runtime, command: CommandRequest) -> None:
    for _ in range(COMMANDS_IN_A_ROW):
        passage = runtime.run(command)
        assert passage.result is not None
        assert passage.result.exit_code == 0


@pytest.mark.slow
def test_hundreds_of_commands_leave_no_process_descriptor_mount_or_file(repo: Path, outside: Path) -> None:
    """Required. What a session keeps for its next command goes with the session."""
    gc.collect()
    at_first = census()[:2]
    runtime = session(repo, approval="never")
    script = f"sleep 600 & touch {outside}/no .codex 2>/dev/null; setsid sleep 600 & true"
    command = runtime.request(("sh", "-c", script))
    for _ in range(WARM_UP):
        runtime.run(command)
    assert leaves_as_it_was(census, partial(run_many, runtime, command))
    assert list(repo.iterdir()) == []
    assert list(outside.iterdir()) == []
    del runtime
    gc.collect()
    assert census()[:2] == at_first


def test_threads_share_a_session_and_each_gets_its_own_result(repo: Path) -> None:
    runtime = session(repo)
    seen: dict[int, bytes] = {}

    def run(number: int) -> None:
        result = runtime.run(runtime.request(("echo", str(number)))).result
        seen[number] = result.stdout if result is not None else b""

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert seen == {number: f"{number}\n".encode() for number in range(8)}


SESSION = """
import json, os, sys
from sandgate.runtime import Environment, open_runtime
workspace = os.path.join(os.environ["HOME"], "workspace")
os.mkdir(workspace)
environment = Environment(cwd=workspace, environ=dict(os.environ), overrides=("approval_policy=never",))
runtime = open_runtime(environment)
asking = ("sh", "-c", "readlink /proc/self/ns/net /proc/self/ns/user; grep Cpus_allowed: /proc/self/status; id -u")
said = [runtime.run(runtime.request(asking)).attempts[0] for _ in range(4)]
print(json.dumps([(one.backend, one.result.exit_code, one.result.stdout.decode().split()) for one in said]))
"""


def test_a_session_of_an_ordinary_user_lends_its_network_and_nothing_else(as_user: OrdinaryUser) -> None:
    done = as_user.run_python(SESSION)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    allowed = next(line for line in Path("/proc/self/status").read_text().splitlines() if "Cpus_allowed:" in line)
    assert {(backend, code, *words[2:]) for backend, code, words in said} == {
        ("namespace", 0, *allowed.split(), str(as_user.uid))  # on the processors that the caller may use
    }
    networks, users = ([words[kind] for _backend, _code, words in said] for kind in (0, 1))
    assert networks == networks[:1] * 4
    assert os.readlink("/proc/self/ns/net") not in networks
    assert os.readlink("/proc/self/ns/user") not in users


LOCKING = """
import json, os, subprocess, sys
from sandgate.errors import ConfinementError
from sandgate.runtime import Environment, open_runtime
home = os.path.join(os.environ["HOME"], sys.argv[1])
workspace = os.path.join(home, "workspace")
hook = os.path.join(workspace, "sub/.git/hooks/pre-commit")
key = os.path.join(home, ".ssh/id_x")
for path in (hook, key):
    os.makedirs(os.path.dirname(path))
    open(path, "w").write("mine")
opening = f"chmod 700 sub; echo planted > {hook}; mv sub/.git sub/other; chmod 700 {home}/.ssh; cat {key}"
mode = "sandbox_workspace_write.writable_roots=" + json.dumps([home])
insists = "sandbox.allow_broad_workspace=true"
def run(script):
    if sys.argv[1] == "unconfined":
        return subprocess.run(["sh", "-c", script], cwd=workspace, capture_output=True, text=True).stdout
    try:
        return runtime.run(runtime.request(("sh", "-c", script))).attempts[-1].result.stdout.decode()
    except ConfinementError as problem:
        return f"{problem}: {problem.hint}"
environ = {**os.environ, "HOME": home}
runtime = open_runtime(Environment(cwd=workspace, environ=environ, overrides=("approval_policy=never", mode, insists)))
said = [run("true"), run("true"), run("true")]
said += [run(f"chmod 000 sub {home}/.ssh"), run(opening)]
os.chmod(os.path.join(workspace, "sub"), 0o700)
said.append(os.path.exists(hook) and open(hook).read())
os.chmod(workspace, 0o300)
said.append(run("true"))
os.chmod(workspace, 0o700)
print(json.dumps(said))
"""


@pytest.mark.parametrize("how", ["unconfined", "confined"])
def test_a_mode_that_keeps_us_out_hides_nothing_from_us(as_user: OrdinaryUser, how: str) -> None:
    """Required: one command locks a directory, so that nobody finds what must be protected, and the next opens it."""
    done = as_user.run_python(LOCKING, how)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    if how == "unconfined":
        assert said[4:6] == ["mine", False]
        return
    assert said[4:6] == ["", "mine"]
    assert said[6].startswith("cannot look for protected files in")
    assert "chmod u+rx" in said[6]


def test_a_program_that_lies_in_the_workspace_is_not_the_one_that_is_known_to_read(repo: Path) -> None:
    with session(repo, approval="untrusted") as runtime:
        asked = {}
        for planted in (False, True):
            plain = runtime.request(("ls",))
            path = f"{repo}/tools:{plain.env['PATH']}"
            verdict = runtime.gate.verdict(plain.but(env={**plain.env, "PATH": path}))
            asked[planted] = type(verdict).__name__
            (repo / "tools").mkdir(exist_ok=True)
            (repo / "tools" / "ls").write_text("#!/bin/sh\n")
            (repo / "tools" / "ls").chmod(0o755)
    assert asked == {False: "Allow", True: "Ask"}

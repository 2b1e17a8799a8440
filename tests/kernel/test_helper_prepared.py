"""A helper that waits for its plan: what it has ready, and that nothing of it stays behind."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from sandgate.errors import RequestError
from sandgate.kernel import helper as helper_module
from sandgate.kernel.child import Ended
from sandgate.kernel.plan_codec import PLAN, PREPARE, request
from sandgate.protocol.confinement import ConfinedCommand, SetupFailure
from support.kernel.helper_runs import attend, plan_for
from support.process.waiting import is_dead, leaves_as_it_was, wait_until

pytestmark = pytest.mark.host("namespace")

ROUNDS = 200
WAIT_LIMIT_S = 10
RECVMSG = {"x86_64": "47", "aarch64": "212"}.get(os.uname().machine, "")
READ = {"x86_64": "0", "aarch64": "63"}.get(os.uname().machine, "")


def state() -> tuple[list[str], str, str]:
    """Our descriptors, mounts and children."""
    return (
        sorted(os.listdir("/proc/self/fd")),
        Path("/proc/self/mountinfo").read_text(),
        Path(f"/proc/self/task/{os.getpid()}/children").read_text(),
    )


def descendants(pid: int) -> list[int]:
    children = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [*children, *(below for child in children for below in descendants(child))]


def wait_until_built(prepared: helper_module.Prepared, call: str = RECVMSG) -> tuple[int, int]:
    """Init and the command task, once that one sleeps in its wait for the plan; or in `read`, for the word to begin."""
    found: list[int] = []

    def waits() -> bool:
        found[:] = descendants(prepared._pid)
        return len(found) == 2 and Path(f"/proc/{found[1]}/syscall").read_text().split()[0] == call

    assert wait_until(waits)
    return found[0], found[1]


def test_prepared_helper_runs_the_plan_that_comes_later(helper: str, null: int) -> None:
    prepared = helper_module.prepare(helper, network="off")
    wait_until_built(prepared)
    reading, writing = os.pipe()
    child = prepared.start(plan_for("sh", "-c", "echo out"), stdin=null, stdout=writing, stderr=null)
    os.close(writing)
    attend(child)
    assert (child.ended, os.read(reading, 100)) == (Ended(0, None), b"out\n")
    os.close(reading)


def writing_plan(mark: Path) -> ConfinedCommand:
    return plan_for("touch", str(mark), write=(str(mark.parent),))


def test_a_plan_that_waits_runs_when_it_may(helper: str, null: int, tmp_path: Path) -> None:
    """The signal comes behind the word that it may begin, and is for the command."""
    prepared = helper_module.prepare(helper, network="off")
    child = prepared.start(plan_for("sleep", "60"), stdin=null, stdout=null, stderr=null, waits=True)
    child.begin()
    child.kill_tree()
    attend(child)
    assert child.ended == Ended(137, 9)
    prepared = helper_module.prepare(helper, network="off")
    child = prepared.start(writing_plan(tmp_path / "mark"), stdin=null, stdout=null, stderr=null, waits=True)
    wait_until_built(prepared, READ)
    assert not (tmp_path / "mark").exists()
    child.begin()
    attend(child)
    assert (child.ended, (tmp_path / "mark").exists()) == (Ended(0, None), True)


@pytest.mark.parametrize("built", [True, False])
@pytest.mark.parametrize("failure", [SetupFailure("changed", "ESTALE"), None])
def test_a_plan_that_waits_and_may_not_never_runs(
    helper: str, null: int, tmp_path: Path, built: bool, failure: SetupFailure | None
) -> None:
    before = state()
    prepared = helper_module.prepare(helper, network="off")
    child = prepared.start(writing_plan(tmp_path / "mark"), stdin=null, stdout=null, stderr=null, waits=True)
    if built:
        wait_until_built(prepared, READ)
    if failure is None:
        child.close()
    else:
        child.give_up(failure)
    assert (child.failure, child.descriptors(), state()) == (failure, (), before)
    assert not (tmp_path / "mark").exists()


def test_another_word_does_not_let_a_plan_begin(helper: str, null: int, tmp_path: Path) -> None:
    prepared = helper_module.prepare(helper, network="off")
    child = prepared.start(writing_plan(tmp_path / "mark"), stdin=null, stdout=null, stderr=null, waits=True)
    child.signal_group(10)
    attend(child)
    assert child.failure == SetupFailure("wait to begin", "ECONNRESET")
    assert not (tmp_path / "mark").exists()


def test_files_made_after_the_preparation_are_seen(helper: str, null: int, tmp_path: Path) -> None:
    """Required: only mounts date from the preparation, and no plan speaks of those."""
    prepared = helper_module.prepare(helper, network="off")
    wait_until_built(prepared)
    late = tmp_path / "late"
    late.mkdir()
    plan = plan_for("sh", "-c", "echo text > file", write=(str(late),), cwd=str(late))
    attend(prepared.start(plan, stdin=null, stdout=null, stderr=null))
    assert (late / "file").read_text() == "text\n"


def test_command_gets_the_three_streams_and_nothing_else_that_was_sent(helper: str, null: int) -> None:
    prepared = helper_module.prepare(helper, network="off")
    reading, writing = os.pipe()
    child = prepared.start(plan_for("sh", "-c", "echo /proc/self/fd/*"), stdin=null, stdout=writing, stderr=null)
    os.close(writing)
    attend(child)
    # 3 is the directory that the shell reads to expand the pattern.
    assert os.read(reading, 200).split() == [b"/proc/self/fd/%d" % number for number in range(4)]
    os.close(reading)


def test_discarding_leaves_nothing_at_whatever_time(helper: str) -> None:
    def discard_many() -> None:
        for round_number in range(ROUNDS):
            prepared = helper_module.prepare(helper, network="off" if round_number % 2 else "on")
            if round_number % 20 == 0:
                wait_until_built(prepared)
            prepared.discard()
            prepared.discard()

    assert leaves_as_it_was(state, discard_many)


def test_plan_that_cannot_be_encoded_discards(helper: str, null: int) -> None:
    before = state()
    prepared = helper_module.prepare(helper, network="off")
    with pytest.raises(RequestError):
        prepared.start(plan_for("a\0b"), stdin=null, stdout=null, stderr=null)
    assert state() == before


def test_stream_that_is_not_open_discards(helper: str, null: int) -> None:
    before = state()
    prepared = helper_module.prepare(helper, network="off")
    with pytest.raises(OSError, match="Bad file descriptor"):
        prepared.start(plan_for("true"), stdin=1 << 20, stdout=null, stderr=null)
    assert state() == before


@pytest.mark.parametrize("network", ["off", "on"])
def test_plan_with_another_network_mode_never_runs(helper: str, null: int, tmp_path: Path, network: str) -> None:
    """Required: in neither direction, whatever our own side believes."""
    mark = tmp_path / "ran"
    plan = plan_for("touch", str(mark), write=(str(tmp_path),), network=network)
    prepared = helper_module.prepare(helper, network="on" if network == "off" else "off")
    child = prepared.start(plan, stdin=null, stdout=null, stderr=null)
    attend(child)
    assert (child.failure, child.ended) == (SetupFailure("match network", "EBADMSG"), None)
    assert not mark.exists()


@pytest.mark.parametrize(
    ("message", "count"),
    [(b"x", 0), (request(PLAN), 0), (request(PLAN), 3), (request(PLAN), 5), (request(PREPARE), 4), (b"\0" * 9, 4)],
)
def test_message_that_is_no_plan_ends_the_helper(helper: str, null: int, message: bytes, count: int) -> None:
    from array import array
    from socket import SCM_RIGHTS, SOL_SOCKET

    prepared = helper_module.prepare(helper, network="off")
    status = prepared._status
    assert status is not None
    rights = [(SOL_SOCKET, SCM_RIGHTS, array("i", [null] * count))] if count else []
    status.sendmsg([message], rights)
    child = helper_module.HelperChild(prepared._pid, status)
    attend(child)
    assert (child.failure, child.ended) == (SetupFailure("receive plan", "EBADMSG"), None)


@pytest.mark.parametrize("late", [False, True])
def test_sandbox_that_cannot_be_built_is_told_when_a_plan_is_started(
    helper: str, null: int, tmp_path: Path, late: bool
) -> None:
    """The preparation fails while nobody listens; what is told is the cause, not the broken socket."""
    cramped = tmp_path / "cramped"
    cramped.write_text(f"#!/bin/sh\nulimit -n 6; exec {helper}\n")
    cramped.chmod(0o755)
    prepared = helper_module.prepare(str(cramped), network="off")
    assert not late or wait_until(lambda: is_dead(str(prepared._pid)))
    child = prepared.start(plan_for("true"), stdin=null, stdout=null, stderr=null)
    attend(child)
    assert (child.failure, child.ended) == (SetupFailure("socketpair", "EMFILE"), None)


PARENT = """
import sys
sys.path[:0] = {path!r}
from sandgate.kernel import helper
prepared = helper.prepare({helper!r}, network="off")
print(prepared._pid, flush=True)
sys.stdin.read()
"""


def test_prepared_helper_does_not_outlive_who_started_it(helper: str) -> None:
    """Required: also between the preparation and the plan, and without a chance to clean up."""
    source = PARENT.format(path=[str(Path(__file__).parent), *sys.path], helper=helper)
    parent = subprocess.Popen([sys.executable, "-c", source], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    assert parent.stdin is not None
    with parent.stdout as output, parent.stdin:
        pid = int(output.readline())
        family = [pid]
        assert wait_until(lambda: len(descendants(pid)) == 2)
        family += descendants(pid)
        parent.kill()
        assert wait_until(lambda: all(is_dead(str(member)) for member in family))
        assert output.read() == b"", "nobody else holds it"
    parent.wait(WAIT_LIMIT_S)


def test_prepared_helper_holds_nothing_of_ours(helper: str) -> None:
    pipe = os.pipe()
    for fd in pipe:
        os.set_inheritable(fd, True)
    prepared = helper_module.prepare(helper, network="off")
    family = [prepared._pid, *wait_until_built(prepared)]
    ours = {os.readlink(f"/proc/self/fd/{fd}") for fd in (0, 1, 2, *pipe)}
    try:
        # The command task may wait already while the others still close theirs.
        assert wait_until(lambda: not any(held(pid) & ours for pid in family))
    finally:
        prepared.discard()
        for fd in pipe:
            os.close(fd)


def held(pid: int) -> set[str]:
    """What the descriptors of a process are; those that it closes meanwhile are none."""
    found = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            found.add(os.readlink(descriptor))
    return found

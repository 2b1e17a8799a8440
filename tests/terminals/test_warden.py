"""Sessions that end with us, also when we get no chance to end them ourselves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

from sandgate.kernel.session_tree import members
from sandgate.terminals.warden import Warden
from support.process.waiting import LIMIT_S, ended, none_left_open, open_descriptors, readable, wait_until

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Starts sessions, has them watched, says which, and waits to be killed.
OWNER = """
import subprocess, sys
from sandgate.terminals.warden import Warden
warden = Warden("SANDGATE_SESSION_ID=" + sys.argv.pop(1))
script = "sleep 1000 & sh -c 'sleep 1000 | cat' & trap '' HUP TERM INT; while :; do sleep 1000; done"
sessions = [subprocess.Popen(["sh", "-c", script], start_new_session=True).pid for _ in range(3)]
env = {"PATH": "/usr/bin:/bin", "SANDGATE_SESSION_ID": warden._mark.partition("=")[2]}
subprocess.run(["sh", "-c", "setsid sh -c 'setsid sleep 1000 & exec setsid sleep 1000' &"], env=env)
for session in sessions:
    warden.add(session)
for gone in sys.argv[1:]:
    warden.drop(sessions[int(gone)])
print(*sessions, flush=True)
sys.stdin.read()
"""


def kill_members(session: int) -> None:
    for pid in members((session,)):
        with suppress(ProcessLookupError):  # it ended with the one before
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def warden() -> Iterator[Warden]:
    made = Warden(f"SANDGATE_SESSION_ID={os.urandom(16).hex()}")
    yield made
    made.close()


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(["sh", "-c", "sleep 1000 & exec sleep 1000"], start_new_session=True)
    yield process
    kill_members(process.pid)
    process.wait()


def owner(*dropped: str, mark: str = "none") -> tuple[subprocess.Popen[bytes], list[int]]:
    """A process with three watched sessions, and their numbers; and with daemons that carry `mark`."""
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, mark, *dropped],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    readable(process.stdout.fileno())
    return process, [int(each) for each in process.stdout.readline().split()]


def finish(process: subprocess.Popen[bytes]) -> None:
    process.wait(LIMIT_S)
    for stream in (process.stdin, process.stdout):
        assert stream is not None
        stream.close()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_sessions_die_with_an_owner_that_is_killed(how: signal.Signals) -> None:
    """Required: the runtime killed with SIGKILL."""
    process, sessions = owner()
    assert wait_until(lambda: all(len(members((each,))) >= 4 for each in sessions))
    process.send_signal(how)
    finish(process)
    assert wait_until(lambda: members(sessions) == [])


def test_a_session_that_was_dropped_is_left_alone() -> None:
    """Required: its number may be somebody else's by then."""
    process, (first, second, third) = owner("1")
    process.kill()
    finish(process)
    try:
        assert wait_until(lambda: members((first, third)) == [])
        assert members((second,)) != []
    finally:
        kill_members(second)
    assert wait_until(lambda: members((second,)) == [])


def marked(mark: str) -> list[int]:
    """Processes that were started with the mark, whatever session they are in."""
    return [pid for pid in everybody() if f"SANDGATE_SESSION_ID={mark}".encode() in environment(pid)]


def everybody() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdecimal()]


def environment(pid: int) -> list[bytes]:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []


def test_daemons_that_left_their_session_die_with_an_owner_that_is_killed() -> None:
    """Required: everything is gone when the owner ends, by whatever means."""
    mark = os.urandom(16).hex()
    process, _sessions = owner(mark=mark)
    assert wait_until(lambda: len(marked(mark)) == 2)
    process.kill()
    finish(process)
    assert wait_until(lambda: marked(mark) == [])


def test_there_is_no_guard_before_there_is_something_to_guard_and_one_until_the_end(
    warden: Warden, sleeper: subprocess.Popen[bytes]
) -> None:
    before = open_descriptors()
    assert not warden.is_needed
    warden.add(sleeper.pid)
    warden.drop(sleeper.pid)
    assert warden.is_needed, "something may have left its session"
    guard = warden._pid
    warden.close()
    assert ended(guard)
    assert sleeper.poll() is None, "what was dropped lives on"
    assert none_left_open(before)


def test_dropping_what_was_never_watched_does_nothing(warden: Warden, sleeper: subprocess.Popen[bytes]) -> None:
    warden.drop(sleeper.pid)
    warden.add(sleeper.pid)
    warden.drop(sleeper.pid + 1)
    assert warden._pid
    warden.close()
    assert sleeper.wait(LIMIT_S) == -signal.SIGKILL


def test_closing_kills_what_is_left_and_returns_when_that_is_done(
    warden: Warden, sleeper: subprocess.Popen[bytes]
) -> None:
    warden.add(sleeper.pid)
    warden.close()
    assert members((sleeper.pid,)) == []
    warden.close()


def test_closing_a_warden_kills_no_other_session(warden: Warden, sleeper: subprocess.Popen[bytes]) -> None:
    """Required: the numbers are compared whole; 12 is not 123, and our own session is nobody's business."""
    other = subprocess.Popen(["sh", "-c", "exec sleep 1000"], start_new_session=True)
    try:
        warden.add(sleeper.pid)
        warden.add(other.pid)
        warden.drop(other.pid)
        warden.close()
        assert sleeper.wait(LIMIT_S) == -signal.SIGKILL
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_the_guard_belongs_to_no_terminal_and_holds_nothing_of_ours(
    warden: Warden, sleeper: subprocess.Popen[bytes]
) -> None:
    """Required: a Ctrl-C for us must not take it along, and it must not keep anybody's pipe open."""
    fd = os.open(os.devnull, os.O_RDONLY)
    os.set_inheritable(fd, True)
    warden.add(sleeper.pid)
    assert os.getsid(warden._pid) == warden._pid
    held = f"/proc/{warden._pid}/fd"
    assert wait_until(lambda: sorted(os.listdir(held)) == ["0", "1", "2"])
    assert os.readlink(f"{held}/1") == os.readlink(f"{held}/2") == os.devnull
    os.close(fd)


def test_a_guard_that_was_killed_is_replaced_by_one_that_knows_everybody(
    warden: Warden, sleeper: subprocess.Popen[bytes]
) -> None:
    """Required: an unconfined command can kill it; what starts afterwards is guarded again, and so is what lives."""
    other = subprocess.Popen(["sh", "-c", "exec sleep 1000"], start_new_session=True)
    try:
        warden.add(sleeper.pid)
        first = warden._pid
        os.kill(first, signal.SIGKILL)
        assert ended(first)
        warden.add(other.pid)
        assert warden._pid not in (0, first)
        warden.close()
        assert other.wait(LIMIT_S) == -signal.SIGKILL
        assert wait_until(lambda: members((sleeper.pid,)) == [])
    finally:
        if other.poll() is None:
            other.kill()
            other.wait()


def test_a_guard_that_was_killed_does_not_keep_us_from_ending(warden: Warden, sleeper: subprocess.Popen[bytes]) -> None:
    warden.add(sleeper.pid)
    os.kill(warden._pid, signal.SIGKILL)
    assert ended(warden._pid)
    warden.drop(sleeper.pid)
    warden.close()
    assert not warden.is_needed


def test_hundreds_of_sessions_come_and_go_on_one_guard(warden: Warden, sleeper: subprocess.Popen[bytes]) -> None:
    """More than a pipe holds at once, and more than the shell would keep."""
    warden.add(sleeper.pid)
    guard = warden._pid
    for number in range(1_000_000, 1_000_500):  # no session has such a number: beyond every pid
        warden.add(number)
        warden.drop(number)
    assert warden._pid == guard
    warden.close()
    assert sleeper.wait(LIMIT_S) == -signal.SIGKILL

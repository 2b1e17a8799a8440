"""A fork bomb stays small and is gone at once when it is stopped (threat table, row 28)."""

import os

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, Stage

# Counts what it could start; bounded, so that the unconfined half is harmless.
FORKS = """
import os, signal, sys
wanted, started = int(sys.argv[1]), []
for _ in range(wanted):
    try:
        child = os.fork()
    except OSError:
        break
    if child == 0:
        signal.pause()
    started.append(child)
print(len(started), flush=True)
if len(sys.argv) > 2:
    signal.pause()
for child in started:
    os.kill(child, 9)
"""


@pytest.mark.host("namespace")
def test_an_ordinary_users_limit_holds(stage: Stage) -> None:
    if stage.uid == 0:
        return  # RLIMIT_NPROC does not bind root
    attack = stage.script(FORKS, "40")
    assert stage.unconfined(attack).stdout == "40\n"
    assert int(stage.confined(attack, limits={"processes": 20}).stdout) < 20


@pytest.mark.host("namespace")
def test_without_any_configured_limit_a_bomb_ends_at_the_sandboxes_own_also_as_root(stage: Stage) -> None:
    """A pid namespace has a highest pid of its own since Linux 6.14; before, root has no such limit."""
    if tuple(map(int, os.uname().release.split("-")[0].split(".")[:2])) < (6, 14):
        return
    attack = stage.script(FORKS, "4200")
    assert stage.unconfined(attack).stdout == "4200\n"
    assert int(stage.confined(attack).stdout) < 4096


@BOTH_BACKENDS
def test_a_whole_tree_is_gone_after_the_time_limit(stage: Stage, backend: str) -> None:
    mark = f"sandgate-bomb-{os.getpid()}-{stage.uid}-{backend}"
    ran = stage.confined(stage.script(FORKS, "40", mark), backend=backend, timeout_ms=1500)
    assert (ran.termination, ran.stdout) == ("timed_out", "40\n")
    assert processes_with(mark) == []


def processes_with(mark: str) -> list[str]:
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read()
        except OSError:
            continue
        if mark.encode() in words and int(pid) != os.getpid():
            found.append(pid)
    return found

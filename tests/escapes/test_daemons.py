"""Nothing survives the command that started it (threat table, row 30)."""

import os
import time

import pytest

from support.escape.escape_stage import Stage
from support.process.waiting import PAUSE_S

LIMIT_S = 30
SLEEP = f"sleep 97.{os.getpid()}"  # other runs of these tests have other numbers
SURVIVORS = {
    "background": f"{SLEEP} & ",
    "nohup": f"nohup {SLEEP} >/dev/null 2>&1 & ",
    "setsid": f"setsid {SLEEP} >/dev/null 2>&1 & ",
    "double fork": f"( ( setsid {SLEEP} & ) & ) >/dev/null 2>&1; ",
}


def sleepers(uid: int) -> list[str]:
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().rstrip(b"\0").split(b"\0")
            is_ours = b" ".join(words) == SLEEP.encode() and os.stat(f"/proc/{pid}").st_uid == uid
        except OSError:
            continue
        if is_ours:
            found.append(pid)
    return found


@pytest.mark.host("namespace")
@pytest.mark.parametrize("way", SURVIVORS)
def test_a_daemon_ends_with_its_command(stage: Stage, way: str) -> None:
    attack = ["sh", "-c", SURVIVORS[way] + "echo started"]
    before = set(sleepers(stage.uid))
    stage.unconfined([*attack[:2], attack[2].replace(SLEEP, f"{SLEEP} >/dev/null 2>&1")])
    survivors = new_sleepers(stage.uid, before, wanted=1)
    assert len(survivors) == 1
    for pid in survivors:
        os.kill(int(pid), 9)
    assert stage.confined(attack).stdout == "started\n"
    assert new_sleepers(stage.uid, before | survivors, wanted=0) == set()


def new_sleepers(uid: int, known: set[str], *, wanted: int) -> set[str]:
    """Those that are there once as many are as `wanted`; no event tells when a process has become `sleep`."""
    deadline = time.monotonic() + LIMIT_S
    while len(found := set(sleepers(uid)) - known) != wanted and time.monotonic() < deadline:
        time.sleep(PAUSE_S)
    return found

"""Thousands of protected names neither stop all work nor leave one of them open (threat table, row 14)."""

import os
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from sandgate.sandbox.mount_budget import MOUNTS_MAX, MOUNTS_WANTED
from support.escape.escape_stage import BOTH_BACKENDS, USERS, Stage, stage_as

WRITE = """
import sys
for path in sys.argv[1:]:
    try:
        with open(path, "w") as file:
            file.write("evil")
        print(path)
    except OSError:
        pass
"""

COUNT_MOUNTS = """
import os
print(sum(line.split()[4].startswith(os.getcwd()) for line in open("/proc/self/mountinfo")))
"""


class Crowd(NamedTuple):
    below: str  # the directory of the workspace in which they lie
    directories: int
    shut: list[str]  # what is closed then
    left: list[str]  # what stays open


CROWDS = {
    "in the root": Crowd(".", MOUNTS_MAX + 1, ["d7/.envrc", f"d{MOUNTS_MAX}/.envrc", "file"], ["src/file"]),
    "in a directory": Crowd(
        "planted", MOUNTS_WANTED + 1, ["planted/d7/.envrc", "planted/d7/other"], ["src/file", "file"]
    ),
}


# With as few system calls as it takes, and by the user whose they are: on a busy disk nothing here costs more.
PLANT = """
import os, sys
below, count = sys.argv[1], int(sys.argv[2])
os.makedirs(below, exist_ok=True)
os.mkdir("src")
for number in range(count):
    os.mkdir(f"{below}/d{number}")
    os.mknod(f"{below}/d{number}/.envrc", 0o644)
"""


def plant(stage: Stage, crowd: Crowd) -> None:
    ran = stage.unconfined(stage.script(PLANT, crowd.below, str(crowd.directories)))
    assert ran.exit_code == 0, ran


def take_back(stage: Stage, crowd: Crowd) -> None:
    """What the attack before has written on the same stage."""
    for path in [stage.repo / name for name in (*crowd.shut, *crowd.left)]:
        if path.name == ".envrc":
            os.truncate(path, 0)
        else:
            path.unlink(missing_ok=True)


@pytest.fixture(scope="module", params=[(user, where) for user in USERS for where in CROWDS], ids=" ".join)
def crowded(request: pytest.FixtureRequest, helper: str | None) -> Iterator[tuple[Stage, Crowd]]:
    """One tree for both backends: to make and remove it takes longer than the attack."""
    user, where = request.param
    with stage_as(user, request, helper) as stage:
        plant(stage, CROWDS[where])
        yield stage, CROWDS[where]


@pytest.mark.slow
@BOTH_BACKENDS
def test_a_crowd_closes_what_holds_it_with_few_mounts_and_one_line_said(
    crowded: tuple[Stage, Crowd], backend: str
) -> None:
    """Required: whoever plants them would otherwise slow down every command, or stop it."""
    stage, crowd = crowded
    take_back(stage, crowd)
    options = ("--backend", backend, "-s", "workspace-write", "-a", "never")
    command = stage.script(WRITE + COUNT_MOUNTS, *crowd.shut, *crowd.left)
    ran = stage.sandgate("run", *options, "--", *command)
    *written, mounts = ran.stdout.splitlines()
    assert (ran.exit_code, written) == (0, crowd.left), ran
    assert int(mounts) <= MOUNTS_WANTED
    (line,) = [line for line in ran.stderr.splitlines() if "read-only as a whole" in line]
    assert f"`{stage.repo / crowd.below}`" in line
    assert stage.unconfined(command).stdout.splitlines()[:-1] == [*crowd.shut, *crowd.left]

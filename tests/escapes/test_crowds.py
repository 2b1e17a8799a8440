"""Thousands of protected names neither stop all work nor leave one of them open (threat table, row 14)."""

import pytest

from escape_stage import BOTH_BACKENDS, ENTRY, Stage
from sandgate.sandbox.crowded import MOUNTS_MAX, MOUNTS_WANTED

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


def crowd(stage: Stage, below: str, count: int) -> None:
    for number in range(count):
        directory = stage.repo / below / f"d{number}"
        directory.mkdir(parents=True)
        (directory / ".envrc").touch()
    (stage.repo / "src").mkdir()
    stage.own()


CROWDS = [
    (".", MOUNTS_MAX + 1, ["d7/.envrc", f"d{MOUNTS_MAX}/.envrc", "file"], ["src/file"]),
    ("planted", MOUNTS_WANTED + 1, ["planted/d7/.envrc", "planted/d7/other"], ["src/file", "file"]),
]
"""Where they lie, how many, what is closed then, and what stays open."""


@pytest.mark.slow
@BOTH_BACKENDS
@pytest.mark.parametrize(("below", "count", "shut", "left"), CROWDS, ids=["in the root", "in a directory"])
def test_a_crowd_closes_what_holds_it_with_few_mounts_and_one_line_said(
    stage: Stage, backend: str, below: str, count: int, shut: list[str], left: list[str]
) -> None:
    """Required: whoever plants them would otherwise slow down every command, or stop it."""
    crowd(stage, below, count)
    options = ("--backend", backend, "-s", "workspace-write", "-a", "never")
    command = stage.script(WRITE + COUNT_MOUNTS, *shut, *left)
    ran = stage.unconfined([*stage.script(ENTRY, stage.import_path), "run", *options, "--", *command])
    *written, mounts = ran.stdout.splitlines()
    assert (ran.exit_code, written) == (0, left), ran
    assert int(mounts) <= MOUNTS_WANTED
    (line,) = [line for line in ran.stderr.splitlines() if "read-only as a whole" in line]
    assert f"`{stage.repo / below}`" in line
    assert stage.unconfined(command).stdout.splitlines()[:-1] == [*shut, *left]

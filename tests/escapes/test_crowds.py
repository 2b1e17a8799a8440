"""Thousands of protected names neither stop all work nor leave one of them open (threat table, row 14)."""

import pytest

from escape_stage import BOTH_BACKENDS, Stage
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


def crowd(stage: Stage, below: str, count: int) -> None:
    for number in range(count):
        directory = stage.repo / below / f"d{number}"
        directory.mkdir(parents=True)
        (directory / ".envrc").touch()
    (stage.repo / "src").mkdir()
    stage.own()


@BOTH_BACKENDS
def test_a_crowd_in_one_directory_closes_that_one(stage: Stage, backend: str) -> None:
    crowd(stage, "planted", MOUNTS_WANTED + 1)
    attack = ["planted/d7/.envrc", "planted/d7/other", "src/file", "file"]
    ran = stage.confined(stage.script(WRITE, *attack), backend=backend)
    assert (ran.error, ran.stdout.splitlines()) == (None, ["src/file", "file"])
    assert stage.unconfined(stage.script(WRITE, *attack)).stdout.splitlines() == attack


@BOTH_BACKENDS
def test_a_crowd_of_directories_in_the_root_leaves_the_clean_ones_open(stage: Stage, backend: str) -> None:
    if stage.account is not None:
        pytest.skip("one user is enough for so many files: nothing here depends on who it is")
    crowd(stage, ".", MOUNTS_MAX + 1)
    attack = ["d7/.envrc", "d12000/.envrc", "src/file", "file"]
    ran = stage.confined(stage.script(WRITE, *attack), backend=backend)
    assert (ran.error, ran.stdout.splitlines()) == (None, ["src/file"])

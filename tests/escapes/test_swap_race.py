"""A directory that turns into a link while commands start never lets one out (threat table, row 2)."""

import os
import subprocess

import pytest

from support.escape.escape_stage import Stage

pytestmark = pytest.mark.host("namespace")

STARTS = 12
FLIPPER = """
import os, sys
repo, outside = sys.argv[1:]
one, two = repo + "/build", repo + "/spare"
os.symlink(outside, two)
print("flipping", flush=True)
while True:
    os.rename(one, repo + "/third"); os.rename(two, one); os.rename(repo + "/third", two)
"""


def test_a_protected_name_that_flips_to_a_link_never_opens_the_outside(stage: Stage) -> None:
    """`build` is a root of its own; whatever it is at the moment of the mount, only the workspace may be written."""
    (stage.repo / "build").mkdir()
    stage.own()
    before = sorted(os.listdir(stage.outside))
    flipper = subprocess.Popen(stage.script(FLIPPER, stage.repo, stage.outside), stdout=subprocess.PIPE, text=True)
    try:
        assert flipper.stdout is not None
        assert flipper.stdout.readline() == "flipping\n"
        endings = set()
        for _ in range(STARTS):
            attack = ["sh", "-c", "echo escaped > build/file; echo ran"]
            ran = stage.confined(attack, roots=[stage.repo / "build"])
            endings.add("ran" if ran.stdout == "ran\n" else "refused")
            assert ran.error is not None or ran.failure is not None or ran.exit_code is not None
            assert sorted(os.listdir(stage.outside)) == before
    finally:
        flipper.kill()
        flipper.wait()
        assert flipper.stdout is not None
        flipper.stdout.close()
    assert endings <= {"ran", "refused"}

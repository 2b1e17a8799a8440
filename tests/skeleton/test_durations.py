"""The limit for one test: what counts against it, what does not, and that it is enforced."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.suite.durations import Moment, Stalls
from support.suite.source_tree import REPOSITORY

START = Moment(100.0, 7.0, 40.0)

EXAMPLES = """
import pytest

def test_computes():
    assert sum(range(200_000))

@pytest.mark.proof
def test_proves():
    assert sum(range(200_000))

def test_breaks():
    assert False, "for a reason of its own"
"""

WITH_NO_TIME_ALLOWED = """
import sys
import pytest
from support.suite import durations
durations.LIMIT_S = -1.0
sys.exit(pytest.main(sys.argv[2:], plugins=[durations.Durations(sys.argv[1])]))
"""


@pytest.mark.parametrize(
    ("end", "counted"),
    [
        (Moment(112.0, 8.0, 40.0), 12.0),  # it waited for something, and nobody else kept it waiting
        (Moment(112.0, 8.0, 52.0), 1.0),  # a busy machine: what it computed is all that is sure
        (Moment(112.0, 19.0, 52.0), 12.0),  # what it computed counts on any machine
        (Moment(112.0, 8.0, 61.0), 1.0),  # it waited for a processor and a disk at once
        (Moment(112.0, 8.0, None), 1.0),
    ],
)
def test_only_what_is_sure_to_be_its_own_counts(end: Moment, counted: float) -> None:
    assert START.counted(end) == counted


def test_the_kernel_is_read_as_it_writes(tmp_path: Path) -> None:
    for name, total in (("cpu", 2_500_000), ("io", 250_000)):
        (tmp_path / name).write_text(f"some avg10=1.00 avg60=0.00 avg300=0.00 total={total}\nfull avg10=0 total=9\n")
    assert Stalls(tmp_path).read() == 2.75


@pytest.mark.parametrize("said", [None, "", "nothing of the kind\n"])
def test_a_kernel_that_says_nothing_makes_no_difference(tmp_path: Path, said: str | None) -> None:
    if said is not None:
        (tmp_path / "cpu").write_text(said)
    assert Stalls(tmp_path).read() is None


def test_a_test_above_the_limit_fails_unless_it_is_marked(tmp_path: Path) -> None:
    """Required: whoever adds a long test hears of it at once; what failed anyway keeps its own reason."""
    examples, record = tmp_path / "test_examples.py", tmp_path / "record"
    examples.write_text(EXAMPLES)
    argv = [
        sys.executable,
        "-c",
        WITH_NO_TIME_ALLOWED,
        str(record),
        "-p",
        "no:cacheprovider",
        "-rA",
        "--strict-markers",
    ]
    argv += ["-o", "markers=proof", "--rootdir", str(tmp_path), str(examples)]
    environ = os.environ | {"PYTHONPATH": str(REPOSITORY / "tests"), "PYTEST_ADDOPTS": ""}
    ended = subprocess.run(argv, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=60, check=False)
    assert "1 passed" in ended.stdout, ended.stdout + ended.stderr
    assert "PASSED test_examples.py::test_proves" in ended.stdout
    assert "s of its own; shorten it, or mark it `proof` (limit: -1 s)" in ended.stdout
    assert "AssertionError: for a reason of its own" in ended.stdout
    assert [line.split()[2] for line in record.read_text().splitlines()] == [
        f"test_examples.py::test_{name}" for name in ("computes", "proves", "breaks")
    ]

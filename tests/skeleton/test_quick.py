"""The quick tests are those that were quick the last time, and those of which nobody knows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from support.suite import durations
from support.suite.quick import long_ones
from support.suite.source_tree import REPOSITORY

EXAMPLES = """
import pytest

@pytest.mark.parametrize("word", ["a b", "c"])
def test_known(word): ...

def test_new(): ...
"""

WITH = """
import pathlib, pytest, sys
from support.suite import quick
pytest.main(sys.argv[2:], plugins=[quick.Quick(pathlib.Path(sys.argv[1]))])
"""


def test_what_counts_is_the_processor_and_not_the_clock() -> None:
    lines = ["9.00 0.02 a.py::one", "0.20 0.03 a.py::two[x y]"]
    assert long_ones(lines, ["a.py::one", "a.py::two[x y]"]) == {"a.py::two[x y]"}


def test_in_another_turn_a_long_test_is_long_as_well() -> None:
    lines = ["1.00 1.00 a.py::one[root-x]", "0.01 0.01 a.py::one[root-y]"]
    assert long_ones(lines, ["a.py::one[root-y]", "a.py::one[ordinary-x]", "a.py::two[x]"]) == {"a.py::one[ordinary-x]"}


def test_only_what_took_long_is_left_out_and_counted(tmp_path: Path) -> None:
    """Required: a test that nobody has seen yet runs."""
    (tmp_path / "test_examples.py").write_text(EXAMPLES)
    record = tmp_path / "record"
    known = "1.00 1.00 test_examples.py::test_known[a b]\n0.00 0.00 test_examples.py::test_known[c]\n"
    record.write_text(f"{known}1.00 1.00 test_gone.py::test_gone\n")
    environ = os.environ | {"PYTHONPATH": str(REPOSITORY / "tests"), "PYTEST_ADDOPTS": ""}
    argv = [sys.executable, "-c", WITH, str(record), "-p", "no:cacheprovider", "--rootdir", str(tmp_path), "-rA"]
    ended = subprocess.run(argv, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=60, check=False)
    passed = [line for line in ended.stdout.splitlines() if line.startswith("PASSED")]
    assert passed == ["PASSED test_examples.py::test_known[c]", "PASSED test_examples.py::test_new"], ended.stdout
    assert "2 passed, 1 deselected" in ended.stdout


def test_it_reads_what_the_durations_write(tmp_path: Path) -> None:
    record = tmp_path / "record"
    plugin = durations.Durations(str(record))
    plugin.pytest_collection_finish()
    plugin.pytest_runtest_logfinish("test_a.py::test_[x y]")
    plugin.pytest_sessionfinish()
    line, test = record.read_text().rstrip("\n").replace(" 0.0", " 7.0", 1), "test_a.py::test_[x y]"
    assert long_ones([line], [test]) == {test}

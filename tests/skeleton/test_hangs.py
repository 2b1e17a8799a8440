"""A test that hangs says where it does, and the next ones are watched as well."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from support.suite.source_tree import REPOSITORY

EXAMPLES = """
import os

def test_passes():
    pass

def test_hangs_until_it_is_seen_to():
    with open(os.environ["TOLD"]) as told:
        assert any("in test_hangs_until_it_is_seen_to" in line for line in told)
"""

SOON = """
import os, sys
import pytest
from support.suite import hangs
hangs.HANGS_S, hangs.FRESH_S = 1.0, 0.0  # who looks at a thread that still runs may crash: it hangs by then
sys.exit(pytest.main(sys.argv[1:], plugins=[hangs.Hangs(os.open(os.environ["TOLD"], os.O_WRONLY))]))
"""


def test_a_test_that_hangs_is_told_with_its_place(tmp_path: Path) -> None:
    examples, told = tmp_path / "test_examples.py", tmp_path / "told"
    examples.write_text(EXAMPLES)
    os.mkfifo(told)
    watched = os.open(told, os.O_RDWR)  # so that neither end waits for the other to be opened
    environ = os.environ | {"PYTHONPATH": str(REPOSITORY / "tests"), "PYTEST_ADDOPTS": "", "TOLD": str(told)}
    argv = [sys.executable, "-c", SOON, "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(examples)]
    ended = subprocess.run(argv, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=60, check=False)
    os.close(watched)
    assert "2 passed" in ended.stdout, (ended.returncode, ended.stdout + ended.stderr)

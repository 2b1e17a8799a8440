"""A test that hangs says where it does, and the next ones are watched as well."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import takewhile
from pathlib import Path

from support.suite.source_tree import REPOSITORY

EXAMPLES = """
import faulthandler, os

def test_passes():
    pass

def test_hangs_until_it_is_seen_to():
    os.read(int(os.environ["SEEN"]), 1)
    faulthandler.cancel_dump_traceback_later()  # before it looks again, at a thread that runs
"""

SOON = """
import os, sys
import pytest
from support.suite import hangs
hangs.HANGS_S, hangs.FRESH_S = 1.0, 0.0  # who looks at a thread that still runs may crash: it hangs by then
sys.exit(pytest.main(sys.argv[1:], plugins=[hangs.Hangs(int(os.environ["TOLD"]))]))
"""
LIMIT_S = 60
OUTERMOST = re.compile(r'  File "<string>", line \d+ in <module>\n')
HANGS_AT = ", line 8 in test_hangs_until_it_is_seen_to\n"


def test_a_test_that_hangs_is_told_with_its_place(tmp_path: Path) -> None:
    """It is let go when all of it is told: the frames of a thread that runs on may go while they are looked at."""
    examples = tmp_path / "test_examples.py"
    examples.write_text(EXAMPLES)
    (told, telling), (seen, seeing) = os.pipe(), os.pipe()
    environ = os.environ | {"PYTHONPATH": str(REPOSITORY / "tests"), "PYTEST_ADDOPTS": ""}
    environ |= {"TOLD": str(telling), "SEEN": str(seen)}
    argv = [sys.executable, "-c", SOON, "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(examples)]
    with (
        (tmp_path / "said").open("w+") as said,
        subprocess.Popen(argv, cwd=tmp_path, env=environ, stdout=said, stderr=said, pass_fds=(telling, seen)) as tests,
        open(told, encoding="utf-8") as lines,
        open(seeing, "wb", buffering=0) as let_go,
    ):
        os.close(telling)
        os.close(seen)
        until_all_is_told = [*takewhile(lambda line: not OUTERMOST.fullmatch(line), lines)]
        let_go.write(b"x")
        ended = tests.wait(timeout=LIMIT_S)
        said.seek(0)
        assert "2 passed" in (report := said.read()), (ended, report)
    assert any(line.endswith(HANGS_AT) for line in until_all_is_told), until_all_is_told

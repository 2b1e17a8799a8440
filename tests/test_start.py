"""What the program does before anything else: the standard numbers are taken, whatever the caller closed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.process import waiting
from support.process.program import SOURCE

# The numbers in `{closed}` are closed when the program starts; then each is used as what it is.
TRIED = """
import os, sys
sys.path.insert(0, {source!r})
from sandgate.start import occupy_standard
for number in {closed}:
    os.close(number)
occupy_standard()
def said(use):
    try:
        return use() or "fine"
    except OSError as problem:
        return problem.strerror
uses = [lambda: os.read(0, 1), lambda: os.write(1, b"x"), lambda: os.write(2, b"x")]
answers = [said(use) for use in uses]
places = [os.readlink(f"/proc/self/fd/{{number}}") for number in {closed}]
inherited = [os.get_inheritable(number) for number in {closed}]
with open({answer!r}, "w") as file:
    print(file.fileno() > 2, [answers[number] for number in {closed}], places, inherited, file=file)
"""
EBADF_WORDS = "Bad file descriptor"


@pytest.mark.parametrize("closed", [[0], [1], [2], [0, 2], [0, 1, 2]])
def test_a_closed_number_is_taken_and_whoever_uses_it_is_told(closed: list[int], tmp_path: object) -> None:
    """Required: nothing that is opened later gets one of these numbers, and no output disappears with a success."""
    answer = f"{tmp_path}/answer"
    code = TRIED.format(source=str(SOURCE), closed=closed, answer=answer)
    subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=waiting.LIMIT_S, check=True)
    all_of = len(closed)
    with open(answer) as file:
        assert file.read().strip() == (f"True {[EBADF_WORDS] * all_of} {['/dev/null'] * all_of} {[True] * all_of}")


def test_a_package_that_anybody_can_change_is_not_run(tmp_path: Path) -> None:
    """Required: one clear error, and nothing is executed."""
    package = tmp_path / "sandgate"
    shutil.copytree(SOURCE / "sandgate", package, ignore=shutil.ignore_patterns("__pycache__"))
    code = "import sys; sys.path.insert(0, sys.argv.pop(1)); from sandgate.start import entry; entry()"
    command = [sys.executable, "-I", "-c", code, str(tmp_path), "--version"]
    assert subprocess.run(command, capture_output=True, timeout=waiting.LIMIT_S).returncode == 0
    package.chmod(0o777)
    ended = subprocess.run(command, capture_output=True, text=True, timeout=waiting.LIMIT_S)
    assert (ended.returncode, ended.stdout) == (125, "")
    assert ended.stderr == f"sandgate: anybody can change `{package}`, so it is not run: chmod o-w {package}\n"

"""The page about sessions in a program: its code runs, says what the page says, and is strictly typed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "how-to" / "sessions-in-python.md").read_text()
(CODE,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
(SAYS,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.host("namespace", "notify")
def test_the_example_runs_and_says_what_the_page_says(tmp_path: Path) -> None:
    cart, home = tmp_path / "cart", tmp_path / "home"
    shutil.copytree(ROOT / "docs" / "examples" / "cart", cart)
    (cart / ".git").mkdir()
    home.mkdir()
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", CODE], cwd=cart, env=env, capture_output=True, text=True, check=False, timeout=100
    )
    assert (done.stdout, done.returncode) == (SAYS, 0), done.stderr
    assert not (cart / "seen").exists(), "the turn could only read"


def test_the_example_is_strictly_typed(tmp_path: Path) -> None:
    (tmp_path / "example.py").write_text(CODE)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache"), "."]
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "MYPYPATH": str(ROOT / "src")}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout

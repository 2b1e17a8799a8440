"""The Python of the README runs as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FIRST, SECOND = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)


def run(code: str, directory: Path) -> str:
    env = {"PATH": "/usr/bin:/bin", "HOME": str(directory), "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=directory, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.host("namespace")
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ('("make", "test")', None),
        ('("sh", "-c", "exit 3")', "3 []\n"),
        ('("touch", "/etc/x")', "1 ['/etc/x']\n"),
        ('("rm", "-rf", "/")', "`rm -rf /` rejected: blocked by policy"),
    ],
)
def test_the_example_says_how_any_command_went(tmp_path: Path, command: str, said: str | None) -> None:
    code = FIRST.replace('("make", "test")', '("true",)' if said is None else command)
    assert run(code, tmp_path).startswith(said if said is not None else "0 []\n")


def test_the_reviewer_is_one(tmp_path: Path) -> None:
    code = FIRST.partition("runtime = ")[0] + SECOND + 'print(runtime.run(runtime.request(("true",))).result.exit_code)'
    assert run(code, tmp_path) == "0\n"

"""The Python of the README and of its how-to page runs as it stands, and prints what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
PAGE = (ROOT / "docs" / "how-to" / "python.md").read_text()
IN_README = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
ON_PAGE = GOVERNED, LIVE, PATCH, ONE_COMMAND, REVIEWER = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
LIVE_SAYS, PATCH_SAYS = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
README_LINES_MAX = 200


def test_the_readme_is_short_and_shows_what_the_page_shows() -> None:
    assert IN_README == [GOVERNED, ONE_COMMAND]
    assert README.count("\n") <= README_LINES_MAX


def run(code: str, directory: Path, typed: str = "") -> str:
    home = directory.with_name(f"{directory.name}-home")
    home.mkdir(exist_ok=True)
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=directory, env=env, input=typed, capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_block_is_strictly_typed(tmp_path: Path) -> None:
    for number, block in enumerate((*IN_README, *ON_PAGE)):
        (tmp_path / f"block_{number}.py").write_text(block)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache"), "."]
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "MYPYPATH": str(ROOT / "src")}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


@pytest.mark.host("namespace")
def test_a_few_lines_govern_a_shell_tool(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("test:\n\t@echo tested\n")
    said = run(GOVERNED.replace("make test", "echo tested"), tmp_path)
    assert re.fullmatch(
        r"Chunk ID: [0-9a-f]{6}\nWall time: \d+\.\d{4} seconds\nProcess exited with code 0\n"
        r"Original token count: 2\nOutput:\ntested\n\n",
        said,
    )


@pytest.mark.host("namespace")
@pytest.mark.parametrize(("typed", "written"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_the_reviewer_in_it_decides(tmp_path: Path, typed: str, written: bool) -> None:
    home = tmp_path / "home"
    (home / "work").mkdir(parents=True)
    code = GOVERNED.replace("make test", f"rm -rf {home}/work ; echo x > {home}/note").replace(
        "open_gate(",
        f"open_gate({str(home / 'work')!r}, overrides=('approval_policy=on-failure',"
        "'sandbox_workspace_write.exclude_slash_tmp=true'), ",
    )
    said = run(code, home, typed * 4)
    assert (home / "note").exists() == written
    assert ("which the sandbox stopped" in said) == written, "the second question is about that"


@pytest.mark.host("namespace")
@pytest.mark.host("sqlite3")
def test_a_session_with_two_programs_and_a_shell_goes_as_shown(tmp_path: Path) -> None:
    wanted = re.escape(LIVE_SAYS).replace("…", r"\d+")
    assert re.fullmatch(wanted, run(LIVE, tmp_path))
    assert (tmp_path / "session.cast").read_text().startswith('{"version": 3')


@pytest.mark.host("namespace")
def test_a_patch_is_applied_and_taken_back(tmp_path: Path) -> None:
    assert run(PATCH, tmp_path) == PATCH_SAYS
    assert list(tmp_path.glob("greeting*")) == []


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
    code = ONE_COMMAND.replace('("make", "test")', '("true",)' if said is None else command)
    assert run(code, tmp_path).startswith(said if said is not None else "0 []\n")


def test_the_reviewer_is_one(tmp_path: Path) -> None:
    code = ONE_COMMAND.partition("runtime = ")[0] + REVIEWER
    code += 'print(runtime.run(runtime.request(("true",))).result.exit_code)'
    assert run(code, tmp_path) == "0\n"

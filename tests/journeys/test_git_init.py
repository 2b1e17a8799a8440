"""A repository is begun in an empty directory as everywhere, and nothing that git would obey comes with it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from support.escape.escape_stage import BOTH_BACKENDS
from support.machine.ordinary_user import OrdinaryUser
from support.process.program import Sandgate

LIMIT_S = 60
AUTHOR = {"GIT_AUTHOR_NAME": "x", "GIT_AUTHOR_EMAIL": "x", "GIT_COMMITTER_NAME": "x", "GIT_COMMITTER_EMAIL": "x"}


@pytest.fixture
def sandgate(tmp_path: Path) -> Sandgate:
    for name in ("empty", "home"):
        (tmp_path / name).mkdir()
    return Sandgate(tmp_path / "empty", tmp_path / "home")


@BOTH_BACKENDS
def test_git_init_works_and_what_it_made_is_protected(sandgate: Sandgate, backend: str) -> None:
    done = sandgate("run", "--backend", backend, "--", "git", "init", "-q", "-b", "main")
    assert (done.code, done.err) == (0, ""), done
    assert (sandgate.workspace / ".git/HEAD").read_text() == "ref: refs/heads/main\n"
    sandgate("run", "--backend", backend, "--", "sh", "-c", "echo evil > .git/hooks/pre-commit")
    assert not (sandgate.workspace / ".git/hooks/pre-commit").exists()


@BOTH_BACKENDS
def test_a_first_commit_in_one_line_works_for_an_ordinary_user(as_user: OrdinaryUser, backend: str) -> None:
    place = as_user.home / f"begun-{backend}"
    as_user.run(["mkdir", str(place)])
    line = "git init -q && git add -A && git commit -qm first --allow-empty && git log --format=%s"
    done = as_user.sandgate("run", "--backend", backend, "-C", str(place), "--", "sh", "-c", line, env=AUTHOR)
    assert (done.returncode, done.stdout, done.stderr) == (0, "first\n", "")
    shutil.rmtree(place)


@pytest.mark.parametrize("line", ["git init -q --template=evil", "GIT_TEMPLATE_DIR=$PWD/evil git init -q"])
def test_orders_said_in_the_line_are_not_brought_along(sandgate: Sandgate, line: str) -> None:
    (sandgate.workspace / "evil/hooks").mkdir(parents=True)
    (sandgate.workspace / "evil/hooks/pre-commit").write_text("evil")
    git, hook = sandgate.workspace / ".git", sandgate.workspace / ".git/hooks/pre-commit"
    subprocess.run(["sh", "-c", line], cwd=sandgate.workspace, check=True, timeout=30)
    assert hook.read_text() == "evil"
    shutil.rmtree(git)
    done = sandgate("run", "--", "sh", "-c", line)
    assert (done.code != 0, git.exists()) == (True, False)
    assert f"denied: create {git}" in done.err


@BOTH_BACKENDS
def test_orders_that_come_with_it_are_moved_away(sandgate: Sandgate, backend: str) -> None:
    """A variable of the person's own names the template here; what no line says is found on the disk."""
    (sandgate.workspace / "evil/hooks").mkdir(parents=True)
    (sandgate.workspace / "evil/hooks/pre-commit").write_text("evil")
    done = sandgate("run", "--backend", backend, "--", "git", "init", "-q",
                    GIT_TEMPLATE_DIR=str(sandgate.workspace / "evil"))  # fmt: skip
    git = sandgate.workspace / ".git"
    assert not git.exists()
    assert f"`{git}` was created in spite of its protection and was moved to" in done.err


def attempts_beside(sandgate: Sandgate, *elsewhere: str) -> tuple[int, int]:
    """Exit codes of `git init` while another command runs, and after its end."""
    os.mkfifo(sandgate.workspace / "ready")
    line = f"echo > {sandgate.workspace}/ready; exec sleep 600"
    other = sandgate.start("run", *elsewhere, "--", "sh", "-c", line)
    (sandgate.workspace / "ready").read_text()
    try:
        beside = sandgate("run", "--", "git", "init", "-q").code
        assert (sandgate.workspace / ".git").exists() == (beside == 0)
    finally:
        other.send_signal(signal.SIGTERM)
        other.wait(LIMIT_S)
    return beside, sandgate("run", "--", "git", "init", "-q").code


def test_beside_another_command_of_the_project_nothing_is_begun(sandgate: Sandgate) -> None:
    """That one would not find the repository protected."""
    assert attempts_beside(sandgate) == (1, 0)


@BOTH_BACKENDS
def test_beside_a_command_of_another_project_that_may_write_here_nothing_is_begun(
    sandgate: Sandgate, tmp_path: Path, backend: str
) -> None:
    (tmp_path / "elsewhere").mkdir()
    other = ("--backend", backend, "-C", str(tmp_path / "elsewhere"), "--add-dir", str(sandgate.workspace))
    assert attempts_beside(sandgate, *other) == (1, 0)


def test_beside_a_command_of_another_project_that_may_not_write_here_it_is_begun(
    sandgate: Sandgate, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    ready = tmp_path / "elsewhere/ready"
    os.mkfifo(ready)
    other = sandgate.start("run", "-C", str(ready.parent), "--", "sh", "-c", "echo > ready; exec sleep 600")
    ready.read_text()
    try:
        assert sandgate("run", "--", "git", "init", "-q").code == 0
    finally:
        other.send_signal(signal.SIGTERM)
        other.wait(LIMIT_S)

"""The names in a git directory agree with what git itself makes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from sandgate.places.git import BARE_DIRECTORIES, BARE_MARK, CODE, DIRECTORY, HOOKS, WORKTREE_CODE


@pytest.mark.skipif(shutil.which("git") is None, reason="git is the judge")
def test_git_makes_what_we_take_for_its_marks(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    git = tmp_path / DIRECTORY
    assert (git / BARE_MARK).is_file()
    assert all((git / name).is_dir() for name in BARE_DIRECTORIES)
    samples = {path.name.removesuffix(".sample") for path in (git / "hooks").glob("*.sample")}
    assert samples <= set(HOOKS)


def test_what_names_other_code_is_itself_code() -> None:
    assert {"hooks", "config", "config.worktree", "commondir"} <= set(CODE)
    assert "gitdir" in WORKTREE_CODE

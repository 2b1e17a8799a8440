"""The names in a git directory agree with what git itself makes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from sandgate.places.git import BARE_DIRECTORIES, BARE_MARK, CODE, DIRECTORY, HOOKS, WORKTREE_CODE, opened_together


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


@pytest.mark.parametrize(
    ("path", "places"),
    [
        ("index.lock", ""),
        ("objects/69", ""),
        ("refs/heads/a/b.lock", ""),
        ("config.lock", " config"),
        ("worktrees/w/index.lock", " worktrees/w"),
        ("worktrees/w/config.worktree.lock", " worktrees/w worktrees/w/config.worktree"),
        ("worktrees/w", ""),
        ("modules/sub/index.lock", "modules/sub"),
        ("modules/sub/refs/heads/x.lock", "modules/sub"),
        ("modules/vendor/lib/objects/12", "modules/vendor/lib"),
        ("modules/sub/config.lock", "modules/sub modules/sub/config"),
        ("modules/sub/worktrees/w/HEAD.lock", "modules/sub modules/sub/worktrees/w"),
        ("modules/a/modules/b/HEAD.lock", "modules/a/modules/b"),
    ],
)
def test_what_a_git_command_takes_is_known_by_its_first_step(path: str, places: str) -> None:
    git = "/r/.git"
    expected = tuple(f"{git}/{place}".rstrip("/") for place in places.split(" "))
    assert opened_together(f"{git}/{path}") == expected


def test_what_is_code_takes_nothing_along() -> None:
    """Required: a hook, or a word that leads elsewhere, is opened by its own name or not at all."""
    for name in (*CODE, *(f"{each}/x" for each in CODE), *(f"worktrees/w/{each}" for each in WORKTREE_CODE)):
        assert opened_together(f"/r/.git/{name}") == ()
    assert opened_together("/r/.git/config", renamed=True) == ("/r/.git", "/r/.git/config")
    assert opened_together("/r/.git/hooks/x", renamed=True) == ()
    for path in ("/r/.git", "/r/.git/", "/r/.gitx/y", "/r/config.lock", ""):
        assert opened_together(path) == ()

"""Git directories and the files that point to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.sandbox.looking import Look
from sandgate.sandbox.repositories import (
    common_directory,
    looks_like_git_directory,
    pointed_to,
    points_back,
)


@pytest.mark.parametrize("missing", ["", "HEAD", "objects", "refs"])
def test_a_git_directory_has_what_git_itself_looks_for(tmp_path: Path, missing: str) -> None:
    (tmp_path / "HEAD").write_text("ref: refs/heads/main")
    for name in ("objects", "refs"):
        (tmp_path / name).mkdir()
    assert looks_like_git_directory(str(tmp_path), Look())
    if missing:
        (tmp_path / missing).rename(tmp_path / "gone")
        assert not looks_like_git_directory(str(tmp_path), Look())


@pytest.mark.parametrize(
    ("text", "leads"),
    [
        ("gitdir: ../real\n", True),
        ("gitdir: gone", False),
        ("gitdir:", False),
        ("gitdir: re\0al", False),
        ("../real", False),
    ],
)
def test_a_pointer_names_an_existing_directory_or_nothing(tmp_path: Path, text: str, leads: bool) -> None:
    for name in ("tree", "real"):
        (tmp_path / name).mkdir()
    (tmp_path / "tree" / ".git").write_text(text)
    assert pointed_to(f"{tmp_path}/tree/.git", Look()) == (f"{tmp_path}/real" if leads else None)


def test_a_pointer_that_is_a_link_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("gitdir: .")
    (tmp_path / ".git").symlink_to("file")
    assert pointed_to(f"{tmp_path}/.git", Look()) is None


def test_a_worktree_shares_the_directory_it_names_and_says_whose_it_is(tmp_path: Path) -> None:
    worktree = tmp_path / "main" / "worktrees" / "w"
    worktree.mkdir(parents=True)
    assert common_directory(str(worktree), Look()) == str(worktree)
    (worktree / "commondir").write_text("../..\n")
    (worktree / "gitdir").write_text(f"{tmp_path}/tree/.git\n")
    assert common_directory(str(worktree), Look()) == f"{tmp_path}/main"
    assert points_back(str(worktree), f"{tmp_path}/tree/.git", Look())
    assert not points_back(str(worktree), f"{tmp_path}/other/.git", Look())

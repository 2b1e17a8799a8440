"""Git directories are closed as a whole, or what in them is code. More in test_protected.py, through the walk."""

from __future__ import annotations

import os
from itertools import combinations
from pathlib import Path

import pytest

from sandgate.places.git import CODE
from sandgate.sandbox import git_directories
from sandgate.sandbox.closing import Closing, FoundProtected
from sandgate.sandbox.git_directories import GitDirectories, subdirectories
from sandgate.sandbox.looking import Look
from support.suite.rows import every


def make(directory: Path) -> Path:
    for name in ("objects/info", "refs", "hooks", "info"):
        (directory / name).mkdir(parents=True)
    (directory / "HEAD").write_text("ref: refs/heads/main\n")
    (directory / "config").write_text("")
    return directory


def splitting(root: Path) -> tuple[GitDirectories, Closing]:
    closing = Closing((str(root),), Look())
    return GitDirectories(closing, "hooks-and-config"), closing


def closed(found: FoundProtected) -> set[str]:
    return {*found.protected, *found.absent}


def test_the_code_of_submodules_is_closed_whatever_slashes_their_names_have(tmp_path: Path) -> None:
    """Required: `git submodule add … vendor/lib` keeps its settings in .git/modules/vendor/lib."""
    git = make(tmp_path / ".git")
    modules = [make(git / "modules" / name) for name in ("plain", "vendor/lib", "a/b/c")]
    directories, closing = splitting(tmp_path)
    directories.named(str(git), follows=True)
    assert {f"{module}/{name}" for module in modules for name in CODE} <= closed(closing.found())


def test_a_bare_repository_further_down_keeps_its_code_and_takes_commits(tmp_path: Path) -> None:
    bare = make(tmp_path / "lib.git")
    directories, closing = splitting(tmp_path)
    directories.bare(str(bare), follows=False)
    assert {f"{bare}/config", f"{bare}/hooks"} <= set(closing.found().protected)
    assert str(bare) not in closing.found().protected


def test_more_than_can_be_looked_into_are_closed_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_directories, "GIT_DIRECTORIES_MAX", 1)
    directories, closing = splitting(tmp_path)
    for name in ("one.git", "two.git"):
        directories.bare(str(make(tmp_path / name)), follows=False)
    assert f"{tmp_path}/two.git" in closing.found().protected


PARTS = ("HEAD", "objects", "refs", "commondir", "gitdir", "config")


@every("parts", [parts for count in range(len(PARTS)) for parts in combinations(PARTS, count)])
@every("kind", ["file", "directory", "link"])
def test_what_lies_in_a_directory_is_never_noted_as_absent(tmp_path: Path, parts: tuple[str, ...], kind: str) -> None:
    """What is absent before a command and there after it is moved away: a file called HEAD is its owner's."""
    for name in parts:
        if kind == "link":
            (tmp_path / name).symlink_to("nowhere")
        elif kind == "directory" and name in ("objects", "refs", "config"):
            (tmp_path / name).mkdir()
        else:
            (tmp_path / name).write_text("ref: refs/heads/main\n")
    if {"HEAD", "objects", "refs"} <= set(parts) and kind == "directory":
        return  # a bare repository
    directories, closing = splitting(tmp_path)
    directories.never_bare(str(tmp_path))
    found = closing.found()
    assert [path for path in found.absent if os.path.lexists(path)] == []
    assert closed(found), "nothing keeps it from becoming a repository"


def test_the_own_directory_of_a_linked_worktree_keeps_what_redirects_it(tmp_path: Path) -> None:
    for name in ("HEAD", "commondir", "gitdir", "index"):
        (tmp_path / name).write_text("")
    directories, closing = splitting(tmp_path)
    directories.never_bare(str(tmp_path))
    found = closing.found()
    assert found.protected == (f"{tmp_path}/commondir", f"{tmp_path}/gitdir")
    assert found.absent == (f"{tmp_path}/config", f"{tmp_path}/config.worktree")


def test_links_are_no_subdirectories(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert subdirectories(str(tmp_path), Look()) == [f"{tmp_path}/real"]

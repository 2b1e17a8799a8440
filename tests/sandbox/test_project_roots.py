from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandgate.sandbox.project_roots import is_marked, project_root

WORLD_WRITABLE = 0o1777


@pytest.fixture
def below(tmp_path: Path) -> Path:
    """A directory two steps below one in which anybody may make entries, and somebody made a `.git`."""
    os.chmod(tmp_path, WORLD_WRITABLE)
    (tmp_path / ".git").mkdir()
    place = tmp_path / "mine" / "deep"
    place.mkdir(parents=True)
    return place


def test_the_nearest_marked_directory_is_the_root(below: Path) -> None:
    (below.parent / ".git").symlink_to("nowhere")
    assert project_root(str(below), (".git", "")) == str(below.parent)
    assert project_root(str(below), ("pyproject.toml",)) == str(below)


def test_what_another_user_put_where_anybody_may_marks_nothing(below: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: somebody's /tmp/.git would make one project of all that lies below /tmp."""
    assert project_root(str(below), (".git",)) == str(below.parent.parent)
    someone = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: someone)
    assert project_root(str(below), (".git",)) == str(below)
    os.chmod(below.parent.parent, 0o755)  # nobody else can have put it there
    assert project_root(str(below), (".git",)) == str(below.parent.parent)


def test_a_path_that_is_none_marks_nothing() -> None:
    assert not is_marked("/\0", ".git")

"""Which repository a directory lies in: git takes the nearest above."""

from pathlib import Path

from sandgate.sandbox.enclosing_repository import repository_around
from sandgate.sandbox.looking import Look


def repository(at: Path) -> None:
    for name in ("objects", "refs"):
        (at / ".git" / name).mkdir(parents=True)
    (at / ".git/HEAD").write_text("ref: refs/heads/main\n")


def test_the_nearest_above_counts(tmp_path: Path) -> None:
    repository(tmp_path)
    repository(tmp_path / "a")
    (tmp_path / "a/b/c").mkdir(parents=True)
    found = repository_around(str(tmp_path / "a/b/c"), Look())
    assert found is not None
    assert (found.worktree, found.git_directory) == (f"{tmp_path}/a", f"{tmp_path}/a/.git")


def test_its_own_does_not_count(tmp_path: Path) -> None:
    repository(tmp_path)
    repository(tmp_path / "a")
    found = repository_around(str(tmp_path / "a"), Look())
    assert found is not None
    assert found.worktree == str(tmp_path)


def test_a_pointer_leads_to_where_the_repository_is(tmp_path: Path) -> None:
    repository(tmp_path / "main")
    (tmp_path / "linked/b").mkdir(parents=True)
    (tmp_path / "linked/.git").write_text(f"gitdir: {tmp_path}/main/.git\n")
    found = repository_around(str(tmp_path / "linked/b"), Look())
    assert found is not None
    assert (found.worktree, found.git_directory) == (f"{tmp_path}/linked", f"{tmp_path}/main/.git")

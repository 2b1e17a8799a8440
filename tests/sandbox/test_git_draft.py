"""The upper layer of an overlay over a git directory, made by hand as the kernel makes it."""

import os
import stat
from pathlib import Path

import pytest

from sandgate.sandbox import git_draft
from sandgate.sandbox.git_draft import Draft, Unwanted, Written, read_draft

MAKES_DEVICES = pytest.mark.skipif(os.geteuid() != 0, reason="outside of a user namespace only root makes whiteouts")


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    upper, real = tmp_path / "upper", tmp_path / "real"
    for place in (upper, real):
        place.mkdir()
    return upper, real


def put(directory: Path, *names: str) -> None:
    for name in names:
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(name)


def gone(upper: Path, name: str) -> None:
    (upper / name).parent.mkdir(parents=True, exist_ok=True)
    os.mknod(upper / name, stat.S_IFCHR)


def read(places: tuple[Path, Path]) -> Draft:
    return read_draft(*map(str, places))


def test_an_empty_one_says_nothing(places: tuple[Path, Path]) -> None:
    assert read(places) == Draft()


def test_files_are_told_with_their_kinds(places: tuple[Path, Path]) -> None:
    put(places[0], "HEAD", "refs/heads/x", "index.lock", "hooks/pre-commit")
    put(places[1], "hooks/pre-commit")
    found = read(places)
    assert [(each.path, each.kind) for each in found.written] == [("HEAD", "ref"), ("refs/heads/x", "ref")]
    assert found.unwanted == (Unwanted("write", "hooks/pre-commit"),)


def test_what_is_no_file_is_not_wanted(places: tuple[Path, Path]) -> None:
    (places[0] / "HEAD").symlink_to("/etc/passwd")
    os.mkfifo(places[0] / "ORIG_HEAD")
    put(places[0], "logs/HEAD")
    (places[0] / "refs").symlink_to(places[0] / "logs")
    found = read(places)
    assert found.unwanted == (Unwanted("create", "HEAD"), Unwanted("create", "ORIG_HEAD"), Unwanted("create", "refs"))
    assert found.written == (Written("logs/HEAD", "log", 0o644),)


@MAKES_DEVICES
def test_names_that_are_gone(places: tuple[Path, Path]) -> None:
    """Required: no hook, setting, index or object goes, whoever deletes it."""
    put(places[1], "refs/heads/a", "refs/heads/b/c", "config", "hooks/h", "index", "HEAD", "objects/aa/" + "1" * 38)
    for name in ("refs/heads/a", "refs/heads/b", "config", "hooks", "index", "HEAD", "objects"):
        gone(places[0], name)
    found = read(places)
    assert found.gone == ("refs/heads/a", "refs/heads/b/c")
    assert {each.path for each in found.unwanted} == {"config", "hooks", "index", "HEAD"}


@MAKES_DEVICES
def test_a_worktree_that_is_removed_takes_its_index_along(places: tuple[Path, Path]) -> None:
    put(places[1], "worktrees/w/index", "worktrees/w/HEAD", "worktrees/w/gitdir")
    gone(places[0], "worktrees")
    assert read(places).gone == ("worktrees/w/HEAD", "worktrees/w/gitdir", "worktrees/w/index")
    assert read(places).unwanted == ()


def test_a_directory_that_was_made_anew_hides_what_was_there(places: tuple[Path, Path]) -> None:
    put(places[1], "rebase-merge/onto", "rebase-merge/done")
    put(places[0], "rebase-merge/done")
    os.setxattr(places[0] / "rebase-merge", "user.overlay.opaque", b"y")
    assert read(places).gone == ("rebase-merge/onto",)


@pytest.mark.parametrize(("mark", "name"), [("user.overlay.redirect", "refs"), ("user.overlay.metacopy", "HEAD")])
def test_marks_that_lead_elsewhere_are_not_followed(places: tuple[Path, Path], mark: str, name: str) -> None:
    put(places[0], "refs/heads/x", "HEAD")
    os.setxattr(places[0] / name, mark, b"/etc")
    found = read(places)
    assert found.unwanted == (Unwanted("create", name),)
    assert not any(each.path.startswith(name) for each in found.written)


def test_more_files_than_are_looked_at(places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: a command that fills its draft costs a bounded time."""
    monkeypatch.setattr(git_draft, "ENTRIES_MAX", 10)
    put(places[0], *(f"refs/heads/b{number}/x" for number in range(20)))
    assert read(places).is_overfull

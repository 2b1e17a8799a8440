"""Indexes that the real git wrote, and what hostile hands make of them."""

import hashlib
import subprocess
from pathlib import Path

import pytest

from sandgate.sandbox.git_entries import IndexEntries


def git(at: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(at), *words], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    for name in ("a", "dir/b", "dir/" + "c" * 200):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    git(tmp_path, "add", ".")
    git(tmp_path, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},dir/sub")
    return tmp_path


def changed(index: bytes, old: bytes, new: bytes) -> bytes:
    assert old in index
    assert len(old) == len(new)
    body = index[:-20].replace(old, new)
    return body + hashlib.sha1(body, usedforsecurity=False).digest()


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_every_entry_is_read(repository: Path, version: str) -> None:
    git(repository, "update-index", "--index-version", version)
    entries = IndexEntries((repository / ".git/index").read_bytes())
    assert entries.damage == ""
    listed = git(repository, "ls-files").split()
    assert [name.decode() for name, _ in entries.found] == listed
    assert entries.gitlinks() == {b"dir/sub"}


@pytest.mark.parametrize("name", [b".git/b", b"../u/b", b".GIT/b", b"/our/b", b"f//r/b", b"f/./ub"[:6]])
def test_names_that_git_would_write_elsewhere_are_found(repository: Path, name: bytes) -> None:
    """Required: `git restore .` outside writes every entry where its name says."""
    git(repository, "update-index", "--add", "--cacheinfo", f"100644,{'1' * 40},four/b")
    index = (repository / ".git/index").read_bytes()
    assert IndexEntries(changed(index, b"four/b", name)).damage == f"it has the entry `{name.decode()}`"


def test_a_split_one_is_told_by_what_helps(repository: Path) -> None:
    git(repository, "update-index", "--split-index")
    (repository / "a").write_text("more")
    for _ in range(2):
        assert "core.splitIndex=false" in IndexEntries((repository / ".git/index").read_bytes()).damage
        git(repository, "add", "a")  # an entry without a name takes the place of another


def test_a_name_is_no_part_of_the_index(repository: Path) -> None:
    """Required: `link` and the zeros behind it are a name as well."""
    for name in ("link", "alink", "an-odd-link", "an-other-link"):
        (repository / name).touch()
    git(repository, "add", ".")
    assert IndexEntries((repository / ".git/index").read_bytes()).damage == ""


def test_a_sparse_one_has_directories_as_a_whole(repository: Path) -> None:
    git(repository, "rm", "-q", "--cached", "dir/sub")
    git(repository, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "one")
    git(repository, "sparse-checkout", "set", "--cone", "--sparse-index", "other")
    entries = IndexEntries((repository / ".git/index").read_bytes())
    assert entries.damage == ""
    assert entries.directories() == {b"dir/": git(repository, "rev-parse", "HEAD:dir").strip()}


def test_a_file_that_is_cut_short_or_has_another_sum_is_no_index(repository: Path) -> None:
    index = (repository / ".git/index").read_bytes()
    assert IndexEntries(index[:-1]).damage == "it is no index"
    assert IndexEntries(index[:100] + b"\xff" + index[101:]).damage == "it is no index"
    assert IndexEntries(b"").damage == "it is no index"
    more = index[:8] + (99).to_bytes(4, "big") + index[12:-20]
    assert IndexEntries(more + hashlib.sha1(more, usedforsecurity=False).digest()).damage != ""


def test_what_sends_git_to_other_entries_is_left_out(repository: Path) -> None:
    """Required: git reads an index in pieces where a part of it says so, and commits the trees that another names."""
    git(repository, "update-index", "--force-remove", "dir/sub")
    git(repository, "write-tree")
    index = (repository / ".git/index").read_bytes()
    more = index[:-20] + b"IEOT" + (4).to_bytes(4, "big") + b"evil"
    entries = IndexEntries(more + hashlib.sha1(more, usedforsecurity=False).digest())
    assert b"TREE" in index
    assert entries.damage == ""
    assert (b"IEOT" in entries.plain, b"TREE" in entries.plain) == (False, False)
    (repository / ".git/index").write_bytes(entries.plain)
    assert len(git(repository, "ls-files").split()) == len(entries.found) == 3
    assert IndexEntries(entries.plain).plain == entries.plain
    cut = more[:-2]
    assert IndexEntries(cut + hashlib.sha1(cut, usedforsecurity=False).digest()).damage == "it ends too early"

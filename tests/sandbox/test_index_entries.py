"""What an index says, beside what git says of it."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

from sandgate.sandbox import index_entries as module
from sandgate.sandbox.index_entries import UnreadIndex, index_entries, staged_tree

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="makes a repository")


def git(repo: Path, *words: str) -> str:
    identity = ["-c", "user.name=n", "-c", "user.email=e"]
    return subprocess.run(["git", "-C", repo, *identity, *words], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Names of every length modulo eight, since entries are filled up; and one that looks like an extension."""
    git(tmp_path, "init", "-q", str(tmp_path))
    (tmp_path / "deep").mkdir()
    for length in range(1, 18):
        (tmp_path / ("n" * length)).write_text("x")
    (tmp_path / "TREE").write_text("x")
    (tmp_path / "deep/TREE").write_text("x")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    return tmp_path


def index_of(repo: Path) -> bytes:
    return (repo / ".git/index").read_bytes()


def test_every_entry_is_found_in_its_order(repo: Path) -> None:
    listed = [line.split() for line in git(repo, "ls-files", "--stage").splitlines()]
    found = [[f"{each.mode:o}", each.blob.hex(), "0", each.path.decode()] for each in index_entries(index_of(repo))]
    assert found == listed
    about = (repo / "n").stat()
    assert index_entries(index_of(repo))[-17].changed[2:] == divmod(about.st_mtime_ns, 10**9)


def test_the_staged_tree_is_known_until_something_is_staged(repo: Path) -> None:
    assert staged_tree(index_of(repo)).hex() == git(repo, "rev-parse", "HEAD^{tree}").strip()
    (repo / "n").write_text("staged")
    git(repo, "add", "n")
    assert staged_tree(index_of(repo)) == b""


@pytest.mark.parametrize("damage", ["cut", "changed", "version", "split", "count"])
def test_a_damaged_one_and_other_forms_are_not_read(repo: Path, damage: str) -> None:
    index = index_of(repo)
    body = {
        "cut": index[:200],
        "changed": index[:40] + b"\xff" + index[41:],
        "version": index[:7] + b"\4" + index[8:-20],
        "split": index[:-20] + b"link\0\0\0\0",
        "count": index[:8] + b"\0\0\0\xff" + index[12:-20],
    }[damage]
    sum_ = b"" if damage == "changed" else hashlib.sha1(body, usedforsecurity=False).digest()
    with pytest.raises(UnreadIndex):
        index_entries(body + sum_)


def test_more_entries_than_the_limit_are_not_read(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ENTRIES_MAX", len(index_entries(index_of(repo))) - 1)
    with pytest.raises(UnreadIndex):
        index_entries(index_of(repo))

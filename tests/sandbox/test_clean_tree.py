"""When a hard reset throws nothing away, in repositories that git itself made."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.deletions import Deletion
from sandgate.protocol.permissions import WorkspaceWrite
from sandgate.sandbox import clean_tree
from sandgate.sandbox.clean_tree import loses_nothing
from sandgate.sandbox.program_facts import programs_on_disk

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="makes a repository")


def git(repo: Path, *words: str) -> str:
    identity = ["-c", "user.name=n", "-c", "user.email=e", "-c", "protocol.file.allow=always"]
    return subprocess.run(["git", "-C", repo, *identity, *words], check=True, capture_output=True, text=True).stdout


def put(path: Path, text: str) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.write_text(text)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Two commits: the second changes `a`, removes `gone` and `old/deep`, and brings `new/b`."""
    top = tmp_path / "repo"
    git(tmp_path, "init", "-q", str(top))
    for name in ("a", "gone", "old/deep", "src/deep/c"):
        put(top / name, name)
    (top / "points").symlink_to("a")
    put(top / ".gitignore", "ignored*\n.env\n")
    git(top, "add", ".")
    git(top, "commit", "-qm", "one")
    put(top / "a", "changed")
    put(top / "new/b", "b")
    git(top, "rm", "-q", "gone", "old/deep")
    git(top, "add", ".")
    git(top, "commit", "-qm", "two")
    return top


def loses(repo: Path, revision: str = "HEAD", below: str = "") -> bool:
    return not loses_nothing(str(repo / below), revision, [str(repo)])


@pytest.mark.parametrize("revision", ["HEAD", "HEAD~1", "@^", "HEAD@{1}"])
def test_a_clean_tree_loses_nothing(repo: Path, revision: str) -> None:
    put(repo / "untracked", "stays, whatever is reset")
    put(repo / "ignored/x", "so does this")
    assert not loses(repo, revision)
    assert not loses(repo, revision, "src/deep")
    git(repo, "reset", "--hard", revision)
    assert (repo / "untracked").exists()


def test_files_that_were_only_touched_or_packed_are_as_they_were(repo: Path) -> None:
    git(repo, "gc", "-q")
    for path in (repo / "a", repo / "src/deep/c"):
        os.utime(path, ns=(1, 1))
    assert not loses(repo, "HEAD~1")


def staged_and_back(repo: Path) -> None:
    put(repo / "a", "staged work")
    git(repo, "add", "a")
    put(repo / "a", "changed")


def without_a_word_of_git(repo: Path) -> None:
    """Same length, same time of change; only the moment of the change of the inode tells."""
    about = (repo / "a").stat()
    put(repo / "a", "chanGed")
    os.utime(repo / "a", ns=(about.st_atime_ns, about.st_mtime_ns))


def linked_elsewhere(repo: Path) -> None:
    (repo / "src").rename(repo.parent / "moved")
    (repo / "src").symlink_to(repo.parent / "moved")


def with_submodule(repo: Path) -> None:
    git(repo, "clone", "-q", str(repo), str(repo.parent / "other"))
    git(repo, "submodule", "add", "-q", str(repo.parent / "other"), "sub")
    git(repo, "commit", "-qm", "three")


def without_log(repo: Path) -> None:
    (repo / ".git/logs/HEAD").unlink()


def worktree_elsewhere(repo: Path) -> None:
    git(repo, "config", "core.worktree", str(repo.parent))


def damaged(repo: Path) -> None:
    index = repo / ".git/index"
    content = bytearray(index.read_bytes())
    content[20] ^= 1
    index.write_bytes(content)


@pytest.mark.parametrize(
    "work",
    [
        lambda repo: put(repo / "a", "work"),
        lambda repo: put(repo / "src/deep/c", "work"),
        lambda repo: git(repo, "rm", "-q", "--cached", "a"),
        lambda repo: (put(repo / "fresh", "work"), git(repo, "add", "fresh")),
        lambda repo: (put(repo / "fresh", "work"), git(repo, "add", "-N", "fresh")),
        lambda repo: (repo / "a").chmod(0o755),
        lambda repo: ((repo / "points").unlink(), (repo / "points").symlink_to("elsewhere")),
        lambda repo: ((repo / "a").unlink(), put(repo / "a/inside", "work")),
        lambda repo: (repo / "a").unlink(),
        lambda repo: (git(repo, "update-index", "--assume-unchanged", "a"), put(repo / "a", "work")),
        lambda repo: (git(repo, "update-index", "--skip-worktree", "a"), put(repo / "a", "work")),
        lambda repo: git(repo, "update-index", "--index-version", "4"),
        staged_and_back,
        without_a_word_of_git,
        linked_elsewhere,
        with_submodule,
        without_log,
        worktree_elsewhere,
        damaged,
    ],
)
def test_work_that_no_commit_has_or_what_cannot_be_known_is_asked_about(
    repo: Path, work: Callable[[Path], object]
) -> None:
    assert not loses(repo)
    work(repo)
    assert loses(repo)


@pytest.mark.parametrize("place", ["gone", "old", "old/deep", "old/deep/inside"])
def test_what_lies_where_the_other_commit_has_a_file_would_be_overwritten(repo: Path, place: str) -> None:
    """Git itself does not warn: the file is untracked or ignored now, and was not once."""
    put(repo / place, "notes of a person")
    assert not loses(repo, "HEAD")
    assert loses(repo, "HEAD~1")


def with_lossy_filter(repo: Path) -> None:
    """Git keeps of `a` and `old/deep` what the filter leaves, and takes both for unchanged."""
    git(repo, "config", "filter.f.clean", "sed /work/d")
    put(repo / ".git/info/attributes", "* filter=f\n")
    for place in ("a", "src/deep/c"):
        put(repo / place, (repo / place).read_text() + "\nwork\n")
        git(repo, "add", place)
    git(repo, "commit", "-qm", "filtered")
    later_ns = (repo / "a").stat().st_ctime_ns + 10**9
    os.utime(repo / ".git/index", ns=(later_ns, later_ns))  # else they would be too young to be believed
    assert not git(repo, "status", "--short")


@pytest.mark.parametrize("revision", ["HEAD~1", "HEAD~2"])
def test_what_a_filter_left_out_of_a_file_that_changes_is_work(repo: Path, revision: str) -> None:
    """Required: both halves; git does not warn, and no commit has it."""
    with_lossy_filter(repo)
    assert not loses(repo, "HEAD")
    assert loses(repo, revision)
    git(repo, "reset", "-q", "--hard", "HEAD")
    assert "work" in (repo / "a").read_text()
    git(repo, "reset", "-q", "--hard", revision)
    assert "work" not in (repo / "a").read_text()


@pytest.mark.parametrize("packed", [False, True])
def test_a_replaced_commit_is_not_the_one_that_is_read(repo: Path, packed: bool) -> None:
    put(repo / "gone", "notes of a person")
    assert not loses(repo, "HEAD")
    git(repo, "replace", "HEAD", "HEAD~1")
    if packed:
        git(repo, "pack-refs", "--all")
        shutil.rmtree(repo / ".git/refs/replace", ignore_errors=True)
    assert loses(repo, "HEAD")
    git(repo, "reset", "-q", "--hard", "HEAD")
    assert (repo / "gone").read_text() == "gone"


def may_lose(repo: Path) -> bool:
    return not loses_nothing(str(repo), "HEAD", [str(repo)], may_turn=True)


@pytest.mark.parametrize("place", ["untracked", "ignored", "src/untracked", "empty/"])
def test_a_revision_that_may_be_another_then_takes_a_tree_with_nothing_else_in_it(repo: Path, place: str) -> None:
    """Required: what is fetched may have a file wherever one lies that no commit of now has."""
    assert not may_lose(repo)
    (repo / place).mkdir() if place.endswith("/") else put(repo / place, "notes")
    assert not loses(repo, "HEAD~1")
    assert may_lose(repo)


def test_a_revision_that_may_be_another_then_takes_files_as_they_are_in_the_commit(repo: Path) -> None:
    with_lossy_filter(repo)
    assert may_lose(repo)


def test_a_file_where_there_was_a_directory_is_asked_about(repo: Path) -> None:
    git(repo, "rm", "-q", "-r", "src")
    put(repo / "src", "a file")
    git(repo, "add", "src")
    git(repo, "commit", "-qm", "three")
    assert not loses(repo, "HEAD")
    assert loses(repo, "HEAD~1")


def test_only_a_repository_at_a_root_and_no_bare_one_is_believed(repo: Path, tmp_path: Path) -> None:
    git(repo, "clone", "-q", str(repo), str(repo / "ignored-clone"))
    assert loses(repo, "HEAD", "ignored-clone")
    git(repo, "init", "-q", "--bare", str(repo / "ignored-bare"))
    assert loses(repo, "HEAD", "ignored-bare")
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"))
    assert not loses_nothing(str(tmp_path / "linked"), "HEAD", [str(tmp_path / "linked")])
    assert not loses_nothing(str(tmp_path), "HEAD", [str(tmp_path)])


@pytest.mark.parametrize("revision", ["none", "HEAD~9", "HEAD^{tree}", "HEAD:a", "-x", "HEAD\nHEAD"])
def test_what_is_no_commit_is_asked_about(repo: Path, revision: str) -> None:
    assert loses(repo, revision)


@pytest.mark.parametrize("limit", ["INDEX_BYTES_MAX", "COMPARED_BYTES_MAX", "TREES_MAX", "CONFIG_BYTES_MAX"])
def test_behind_each_limit_somebody_is_asked(repo: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    os.utime(repo / "a", ns=(1, 1))
    assert not loses(repo, "HEAD~1")
    monkeypatch.setattr(clean_tree, limit, 1)
    assert loses(repo, "HEAD~1")


def test_no_program_of_the_repository_is_run_to_find_out(repo: Path) -> None:
    """A filter, a monitor of files and a hook that git would run for `git status` and `git diff`."""
    put(repo.parent / "ran.sh", f"#!/bin/sh\ntouch {repo.parent}/ran\ncat\n")
    (repo.parent / "ran.sh").chmod(0o755)
    git(repo, "config", "core.fsmonitor", str(repo.parent / "ran.sh"))
    git(repo, "config", "filter.f.clean", str(repo.parent / "ran.sh"))
    put(repo / ".git/info/attributes", "* filter=f\n")
    os.utime(repo / "a", ns=(1, 1))
    loses(repo, "HEAD~1")
    assert not (repo.parent / "ran").exists()
    git(repo, "status")
    assert (repo.parent / "ran").exists()  # they are what git would run


@pytest.mark.parametrize(
    ("variable", "spared"), [("PAGER", True), ("GIT_SSL_CAINFO", True), ("GIT_DIR", False), ("GIT_CONFIG_COUNT", False)]
)
def test_a_variable_that_leads_git_elsewhere_is_asked_about(repo: Path, variable: str, spared: bool) -> None:
    command = CommandRequest(("git", "reset", "--hard"), str(repo), {variable: "x"})
    places = programs_on_disk(WorkspaceWrite(), str(repo))(command)
    assert places.makes_again(Deletion(reset_to="HEAD")) is spared

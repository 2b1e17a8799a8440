"""Where remotes lead, beside what git itself says; and when nothing is said."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from sandgate.assessment.static import assess
from sandgate.gate.target_facts import facts_for
from sandgate.protocol.commands import CommandRequest
from sandgate.sandbox import git_remotes
from sandgate.sandbox.git_remotes import remotes_of

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="makes a repository")


def git(repo: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", repo, *words], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(git_remotes, "MACHINE_SETTINGS", str(tmp_path / "gitconfig"))
    (tmp_path / "home").mkdir()
    top = tmp_path / "repo"
    git(tmp_path, "init", "-q", str(top))
    git(top, "remote", "add", "origin", "../bare.git")
    git(top, "remote", "add", "two.parts", "/srv/a.git")
    git(top, "remote", "set-url", "--add", "two.parts", "/srv/b.git")
    git(top, "remote", "set-url", "--push", "origin", "https://example.com/r.git")
    return top


def known(repo: Path) -> object:
    return remotes_of(str(repo), {"HOME": str(repo.parent / "home")})


def test_each_remote_has_the_addresses_that_git_says(repo: Path) -> None:
    found = remotes_of(str(repo), {"HOME": str(repo.parent / "home")})
    assert found is not None
    for name, (fetched, pushed) in found.items():
        assert list(fetched) == git(repo, "remote", "get-url", "--all", name).splitlines()
        assert list(pushed) == git(repo, "remote", "get-url", "--all", "--push", name).splitlines()
    assert sorted(found) == git(repo, "remote").split()


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("repo/.git/config", '[url "https://example.com/"]\n\tinsteadOf = ../\n'),
        ("repo/.git/config", '[url "https://example.com/"]\n\tpushInsteadOf = ../\n'),
        ("repo/.git/config", "[include]\n\tpath = ../more\n"),
        ("repo/.git/config", '[remote "origin"]\n\treceivepack = ./x\n'),
        ("repo/.git/config", '[remote "origin"]\n\tvcs = x\n'),
        ("repo/.git/config", '[branch "main"]\n\tpushRemote = https://example.com/\n'),
        ("repo/.git/config", "[remote]\n\tpushDefault = elsewhere\n"),
        ("repo/.git/config", "[extensions]\n\tworktreeConfig = true\n"),
        ("repo/.git/remotes/old", "URL: https://example.com/\n"),
        ("home/.gitconfig", '[url "https://example.com/"]\n\tINSTEADOF = ../\n'),
        ("home/.gitconfig", '[includeIf "gitdir:~/"]\n\tpath = more\n'),
        ("home/.gitconfig", '[remote "origin"]\n\turl = https://example.com/\n'),
        ("home/.config/git/config", '[url "https://example.com/"]\n\tinsteadOf = ../\n'),
        ("gitconfig", '[url "https://example.com/"]\n\tinsteadOf = ../\n'),
    ],
)
def test_where_something_else_may_count_nothing_is_said(repo: Path, file: str, text: str) -> None:
    assert known(repo) is not None
    place = repo.parent / file
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("a") as settings:
        settings.write(text)
    assert known(repo) is None


def test_another_repository_in_the_directory_is_not_this_one(repo: Path) -> None:
    """Required: git takes a directory with what a bare one has for one, and its settings count."""
    below = repo / "sub/deep"
    below.mkdir(parents=True)
    environ = {"HOME": str(repo.parent / "home"), "PATH": "/usr/bin:/bin"}
    assert remotes_of(str(repo), environ, at=str(below)) is not None
    git(repo, "init", "-q", "--bare", str(repo / "sub"))
    assert git(repo / "sub", "rev-parse", "--git-dir").strip() == "."
    assert remotes_of(str(repo), environ, at=str(below)) is None
    assert remotes_of(str(repo), environ, at=str(repo)) is not None


def test_settings_that_lie_in_another_directory_are_not_read(repo: Path) -> None:
    (repo / ".git/commondir").write_text("../../other/.git\n")
    assert known(repo) is None


def test_a_config_that_is_too_long_or_no_file_says_nothing(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_remotes, "CONFIG_BYTES_MAX", 10)
    assert known(repo) is None
    monkeypatch.undo()
    (repo / ".git/config").unlink()
    assert known(repo) is None


def test_a_pipe_behind_the_settings_keeps_what_is_in_it(repo: Path) -> None:
    """Required: a command can make its settings a link to a pipe whose bytes somebody else is to read."""
    reader, writer = os.pipe()
    try:
        os.write(writer, b"an answer")
        (repo / ".git/config").unlink()
        (repo / ".git/config").symlink_to(f"/proc/{os.getpid()}/fd/{reader}")
        assert known(repo) is None
        assert os.read(reader, 100) == b"an answer"
    finally:
        os.close(reader)
        os.close(writer)


def test_an_assessment_of_a_real_push_knows_where_it_goes(repo: Path) -> None:
    git(repo, "remote", "set-url", "--push", "origin", "../bare.git")
    environ = {"HOME": str(repo.parent / "home"), "PATH": "/usr/bin:/bin"}
    command = CommandRequest(("git", "push", "origin", "main"), str(repo), environ)
    risk = assess(command, facts=facts_for(command, environ=environ, writable=(str(repo),)), denial=None)
    assert risk is not None
    assert f"{repo.parent}/bare.git on this machine" in risk.description

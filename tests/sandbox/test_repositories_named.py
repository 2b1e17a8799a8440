"""A rule that takes a command out of the sandbox speaks for no repository that commands may have made."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from sandgate.sandbox import repositories_named
from sandgate.sandbox.repositories_named import WORDS_MAX, repository_worked_with
from sandgate.testing import ReviewerDouble
from support.terminal.live_sessions import Workplace

PUSHING = 'prefix_rule(pattern=["git", "push"], decision="allow", sandbox="bypass")\n'
PLANTING = """
    git init -q --bare r.git; printf '#!/bin/sh\\ntouch {mark}\\n' >evil; chmod +x evil
    for hook in pre-receive update; do cp evil r.git/hooks/$hook; done
    git init -q x; git -C x config receive.denyCurrentBranch ignore
    git -C x -c user.name=a -c user.email=a@b commit -q --allow-empty -m y; git -C x remote add origin "$PWD/r.git"
    for hook in pre-push pre-receive; do cp evil x/.git/hooks/$hook; done
    mkdir sub; ln -s ../r.git sub/link; echo "gitdir: r.git" >pointer
"""
WAYS = [
    ("git push origin HEAD", "x"),
    ("git push r.git HEAD", "."),
    ("git push r HEAD", "."),
    ("git push ./sub/link HEAD", "."),
    ("git push r.g?t HEAD", "."),
    ("git push x HEAD:refs/heads/new", "."),
    ("git push {here}/r.git HEAD", "."),
    ("git push file://{here}/r%2Egit HEAD", "."),
    ("git push pointer HEAD", "."),
    ("git push r.git HEAD", "sub"),  # git goes to the top of its repository first
]


def workplace(place: Workplace) -> Path:
    rules = place.home / ".sandgate" / "rules"
    rules.mkdir(parents=True)
    (rules / "default.rules").write_text(PUSHING)
    make = "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x"
    subprocess.run(make, shell=True, check=True, cwd=place.repo)
    return place.home / "mark"


@pytest.mark.host("namespace", "notify")
@pytest.mark.parametrize(("line", "directory"), WAYS)
def test_a_push_with_a_planted_repository_stays_in_the_sandbox(place: Workplace, line: str, directory: str) -> None:
    """Required: hooks that a command has written never run outside, whatever a rule says about `git push`."""
    mark = workplace(place)
    colleague = ReviewerDouble(always="denied")
    runtime = place.session(reviewer=colleague, approval_policy="on-request", environ={"PATH": "/usr/bin:/bin"})
    assert runtime.exec_command(PLANTING.format(mark=mark)).exit_code == 0
    line = line.format(here=place.repo)
    runtime.exec_command(line, workdir=directory)
    assert not mark.exists()
    subprocess.run(["sh", "-c", line], cwd=place.repo / directory, check=False, capture_output=True)
    assert mark.exists() or line.endswith("pointer HEAD")  # unconfined, it runs


@pytest.mark.host("namespace", "notify")
def test_a_push_of_the_workspace_itself_leaves_the_sandbox_as_the_rule_says(
    place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandgate.sandbox.program_facts.SHARED", ())  # the test's own place lies in /tmp
    workplace(place)
    subprocess.run(["git", "init", "-q", "--bare", str(place.outside / "r.git")], check=True)
    runtime = place.session(approval_policy="on-request", environ={"PATH": "/usr/bin:/bin"})
    assert runtime.exec_command(f"git push {place.outside}/r.git HEAD").exit_code == 0


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("ws/.git", "ws/a/b", "ws/x/.git", "ws/x/deep/er", "ws/h/.hg", "out/y/.git"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("objects", "refs"):
        (tmp_path / "ws/bare.git" / name).mkdir(parents=True)
    (tmp_path / "ws/bare.git/HEAD").write_text("ref: refs/heads/x")
    (tmp_path / "ws/into").symlink_to("x/deep")
    (tmp_path / "ws/out").symlink_to(tmp_path / "out")
    return tmp_path


@pytest.mark.parametrize(
    ("cwd", "words", "found"),
    [
        ("ws", (), ""),
        ("ws/a/b", ("origin", "HEAD", "a", "..", "."), ""),
        ("ws/x", (), "x"),
        ("ws/x/deep/er", (), "x"),
        ("ws/into", (), "x"),
        ("ws/h", (), "h"),
        ("ws", ("x",), "x"),
        ("ws/a/b", ("x",), "x"),
        ("ws", ("--repo=x",), "x"),
        ("ws", ("bare",), "bare.git"),
        ("ws", ("into/er",), "x"),
        ("ws", ("[w-y]",), "x"),
        ("ws/a", ("../x/deep",), "x"),
        ("out", ("../ws/x",), "x"),
        ("out/y", (), ""),  # where no command may write
        ("ws", ("out/y", "https://example.org/x", "missing", "a\0b", "x" * 5000), ""),
    ],
)
def test_where_a_command_works_and_what_it_names(tree: Path, cwd: str, words: tuple[str, ...], found: str) -> None:
    answer = repository_worked_with(str(tree / cwd), words, (str(tree / "ws"),), "/home/me")
    assert answer == (str(tree / "ws" / found) if found else "")


def test_what_cannot_be_told_is_taken_for_one(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ends = (str(tree / "ws"),)
    assert repository_worked_with(str(tree / "ws"), ("{a,x}",), ends, "") == "{a,x}"
    assert repository_worked_with(str(tree / "ws"), ("w",) * (WORDS_MAX + 1), ends, "") == "w"
    monkeypatch.setattr(repositories_named, "GLOBBED_MAX", 1)
    assert repository_worked_with(str(tree / "ws"), ("[ao]*",), ends, "") == "[ao]*"


def test_a_home_is_looked_into_where_it_may_be_written(tree: Path) -> None:
    home = str(tree / "ws")
    assert repository_worked_with(str(tree / "ws"), ("~/x",), (home,), home) == str(tree / "ws" / "x")

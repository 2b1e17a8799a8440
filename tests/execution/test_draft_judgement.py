"""What files in a draft say, judged: linked worktrees, submodules, logs that two have written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandgate.execution.draft_judgement import Circumstances, DraftJudgement
from sandgate.execution.held_tree import HeldTree
from sandgate.sandbox.git_draft import read_draft

ZERO, ONE = "0" * 40, "1" * 40
LINE = f"{ZERO} {ONE} n <e> 1700000000 +0000\t"


class Bench:
    def __init__(self, place: Path) -> None:
        self.worktree, self.upper = place / "repo", place / "upper"
        self.real = self.worktree / ".git"
        self.real.mkdir(parents=True)
        self.upper.mkdir()
        self.began_ns = 1 << 62
        self.held = [os.open(path, os.O_RDONLY | os.O_DIRECTORY) for path in (self.upper, self.real)]

    def put(self, top: Path, name: str, text: str) -> None:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)

    def judged(self) -> DraftJudgement:
        known = Circumstances(self.began_ns, (str(self.worktree),), lambda: True)
        trees = HeldTree(self.held[0], str(self.upper)), HeldTree(self.held[1], str(self.real))
        judgement = DraftJudgement(*trees, read_draft(str(self.upper), str(self.real)), known)
        judgement.index()
        judgement.objects.carry(lambda _path, _content: None)
        judgement.rest()
        return judgement


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    for held in made.held:
        os.close(held)


def worktree(bench: Bench, at: str, pointer: str) -> None:
    bench.put(bench.upper, "worktrees/w/gitdir", at + "\n")
    bench.put(bench.upper, "worktrees/w/commondir", "../..\n")
    bench.put(bench.upper, "worktrees/w/HEAD", "ref: refs/heads/w\n")
    bench.put(bench.worktree, "w/.git", pointer)


def test_a_linked_worktree_below_the_workspace_is_accepted(bench: Bench) -> None:
    worktree(bench, f"{bench.worktree}/w/.git", f"gitdir: {bench.real}/worktrees/w\n")
    judged = bench.judged()
    assert {one.path for one in judged.state} == {f"worktrees/w/{name}" for name in ("gitdir", "commondir", "HEAD")}
    assert (judged.files.blocked, judged.files.refused) == ("", {})


@pytest.mark.parametrize(
    ("at", "pointer"),
    [
        ("/etc/.git", ""),
        ("{worktree}/w/.git", "gitdir: /elsewhere"),
        ("{worktree}/w/../w/.git", ""),
        ("{worktree}/none/.git", ""),
    ],
)
def test_one_that_leads_elsewhere_does_not_come_about(bench: Bench, at: str, pointer: str) -> None:
    worktree(bench, at.format(worktree=bench.worktree), pointer or f"gitdir: {bench.real}/worktrees/w\n")
    judged = bench.judged()
    assert (judged.state, list(judged.files.refused)) == ([], ["worktrees/w/gitdir"])


def test_a_submodules_directory_with_other_settings_does_not_come_about(bench: Bench) -> None:
    for name in ("good", "evil"):
        bench.put(bench.upper, f"modules/{name}/HEAD", "ref: refs/heads/main\n")
        bench.put(bench.upper, f"modules/{name}/config", f"[core]\n\tbare = false\n\tworktree = ../../../{name}\n")
    with (bench.upper / "modules/evil/config").open("a") as config:
        config.write("\tfsmonitor = x\n")
    judged = bench.judged()
    assert [one.path for one in (*judged.settings, *judged.state)] == ["modules/good/config", "modules/good/HEAD"]


@pytest.mark.parametrize("place", ["../../../../out", "/", "../..", "../../../a/.git/b"])
def test_nor_one_whose_working_tree_lies_elsewhere(bench: Bench, place: str) -> None:
    bench.put(bench.upper, "modules/m/config", f"[core]\n\tworktree = {place}\n")
    assert bench.judged().settings == []


def test_logs_that_two_have_written_are_joined(bench: Bench) -> None:
    bench.put(bench.real, "logs/HEAD", f"{LINE}one\n{LINE}theirs\n")
    bench.put(bench.upper, "logs/HEAD", f"{LINE}one\n{LINE}ours\n")
    bench.began_ns = 0
    assert bench.judged().state[0].content.decode() == f"{LINE}one\n{LINE}theirs\n{LINE}ours\n"
    bench.began_ns = 1 << 62  # nobody else has written: a command may shorten a log
    assert bench.judged().state[0].content.decode() == f"{LINE}one\n{LINE}ours\n"


def test_steps_that_run_something_hold_back_all(bench: Bench) -> None:
    bench.put(bench.upper, "rebase-merge/git-rebase-todo", "exec touch x\n")
    bench.put(bench.upper, "HEAD", ONE)
    judged = bench.judged()
    assert "git-rebase-todo" in judged.files.blocked
    assert list(judged.files.refused) == ["rebase-merge/git-rebase-todo"]

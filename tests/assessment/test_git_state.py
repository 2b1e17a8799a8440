"""Which commands of git change what it keeps, and where that lies."""

from __future__ import annotations

from posixpath import join, normpath

import pytest

from sandgate.assessment.facts import TargetFacts
from sandgate.assessment.judges.git_state import WHY
from sandgate.assessment.listing import phrases
from support.command.assessing import HOME, PROJECT, facts, judged
from support.suite.rows import every


def kept(script: str, git_root: str | None = PROJECT) -> list[tuple[str, str]]:
    """Where `script` changes a repository, when `git_root` is the one around the project and around `sub`."""
    around = TargetFacts(exists=True, is_directory=True, git_root=git_root)
    about = facts(sub=around)
    about.targets[PROJECT] = around
    return [(fact.kind, fact.target) for fact in judged(script, about).facts if fact.why == WHY]


@every(
    "script",
    phrases("""git commit -am wip, git stash, git stash pop, git checkout -b new, git checkout main, git switch -c new,
    git rebase main, git add -A, git reset HEAD~1, git merge x, git branch new, git branch -D old, git tag v1,
    git restore a.txt, git rm a.txt, git fetch, git pull, git config user.name me, git worktree add ../x, git gc,
    git -c core.abbrev=8 commit -m x, cd sub && git add ."""),
)
def test_what_changes_the_repository_says_so(script: str) -> None:
    assert kept(script) == [("writes", f"{PROJECT}/.git")]


@pytest.mark.parametrize(
    "script",
    phrases("""git status, git log -3, git diff, git branch, git branch -a, git tag -l, git stash list,
    git config user.name, git commit --help, git apply x.patch, git archive HEAD, git clean -fd, git push,
    git worktree list, git remote -v, git bisect log, ssh build git commit -m x"""),
)
def test_what_leaves_it_alone_does_not(script: str) -> None:
    assert kept(script) == []


def test_it_lies_where_the_command_says() -> None:
    assert kept("git init") == [("writes", f"{PROJECT}/.git")]
    assert kept("git init -q sub") == [("writes", f"{PROJECT}/sub/.git")]
    assert kept("git --git-dir=/srv/x.git commit -m x") == [("writes", "/srv/x.git")]
    assert kept("git -C /srv/x commit -m x") == [("writes", "/srv/x/.git")]  # nobody looked there


def test_where_no_repository_is_nothing_of_it_changes() -> None:
    assert kept("git commit -m x", git_root=None) == []


def test_it_adds_no_risk() -> None:
    assert judged("git branch new").risk_level == "low"
    assert judged("git commit -m x").description == "Records a commit."


@pytest.mark.parametrize(
    ("script", "place"),
    [
        ("git worktree add ../x", "../x"),
        ("git worktree add -b new --reason why ../x main", "../x"),
        ("git worktree add --detach sub/x v1", f"{PROJECT}/sub/x"),
        ("git worktree move ../x ../y", "../y"),
        ("git -C sub worktree add y", f"{PROJECT}/sub/y"),
        ("git worktree list", None),
        ("git worktree add", None),
    ],
)
def test_where_a_working_tree_comes_to_be_is_written(script: str, place: str | None) -> None:
    """Beside the repository it is what the sandbox stops, and what `sandgate check` has to tell."""
    wanted = normpath(join(PROJECT, place)) if place else None
    found = [fact.target for fact in judged(script).facts if fact.kind == "writes" and fact.target[:1] == "/"]
    assert [target for target in found if not target.endswith(".git")] == ([wanted] if wanted else [])


@every("script", phrases("git worktree add ../x, git worktree add -b new ../x main"))
def test_a_working_tree_is_spoken_of_once(script: str) -> None:
    assert judged(script).description == "Creates a working tree in /home/u/code/x."


@pytest.mark.parametrize(
    ("script", "file"),
    [
        ("git config --global user.name Foo", f"{HOME}/.gitconfig"),
        ("git config --global alias.st status", f"{HOME}/.gitconfig"),
        ("git config --global alias.x '!make'", f"{HOME}/.gitconfig"),
        ("git config --global --unset user.name", f"{HOME}/.gitconfig"),
        ("git config --system user.name Foo", "/etc/gitconfig"),
        ("git config --global user.name", None),
        ("git config --global --list", None),
    ],
)
def test_settings_of_every_repository_lie_in_a_file_that_is_named(script: str, file: str | None) -> None:
    """It is what the sandbox stops, and what `sandgate check` has to tell."""
    found = {fact.target for fact in judged(script).facts if fact.kind == "writes"}
    assert {target for target in found if "gitconfig" in target} == ({file} if file else set())


def test_the_settings_lie_in_the_home_that_git_is_told() -> None:
    about = facts().but(environment={"HOME": "/srv/other"})
    assert "/srv/other/.gitconfig" in {fact.target for fact in judged("git config --global a.b c", about).facts}

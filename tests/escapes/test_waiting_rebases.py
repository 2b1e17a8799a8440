"""An `exec` line for the person's next `git rebase --continue` cannot be planted, or it is told.

With `sandbox.protect_git = "all"` no command writes into `.git`; with `hooks-and-config`, under which commands rebase,
it may, and a line says so.
"""

from __future__ import annotations

import shutil

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, Ran, Stage

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="the victim's git is the judge")

IN_ONE_BEGUN = """
import sys
with open(".git/rebase-merge/git-rebase-todo", "a") as todo:
    todo.write("exec touch " + sys.argv[1] + "\\n")
"""
WITH_ONE_OF_ITS_OWN = """
import os, sys
with open(".git/refs/heads/main") as head:
    now = head.read()
os.mkdir(".git/rebase-merge")
state = {"interactive": "", "head-name": "refs/heads/main\\n", "onto": now, "orig-head": now, "msgnum": "1\\n"}
for name, text in {**state, "end": "1\\n", "git-rebase-todo": "exec touch " + sys.argv[1] + "\\n"}.items():
    with open(".git/rebase-merge/" + name, "w") as file:
        file.write(text)
"""
SETTING_UP = [
    ["init", "-q", "-b", "main", "."],
    ["config", "user.name", "n"],
    ["config", "user.email", "e"],
    ["commit", "-q", "--allow-empty", "-m", "one"],
]


ATTACKS = pytest.mark.parametrize(
    ("code", "begun"), [(IN_ONE_BEGUN, True), (WITH_ONE_OF_ITS_OWN, False)], ids=["begun", "own"]
)


def git(stage: Stage, *words: str, **env: str) -> Ran:
    return stage.unconfined(["git", *words], env=env)


def repository(stage: Stage, *, begun: bool) -> None:
    """`begun`: in the middle of a rebase, which a person stopped by `break`."""
    for words in SETTING_UP:
        assert git(stage, *words).exit_code == 0
    if begun:
        assert git(stage, "rebase", "-q", "-i", "HEAD", GIT_SEQUENCE_EDITOR="echo break >").exit_code == 0


def goes_on(stage: Stage) -> bool:
    """Whether what was planted runs when the person goes on."""
    git(stage, "rebase", "--continue", GIT_EDITOR="true")
    return (stage.outside / "mark").exists()


def attacked(stage: Stage, code: str, backend: str, mode: str | None) -> Ran:
    """`mode`: None for the one that nobody chose."""
    command = stage.script(code, stage.outside / "mark")
    chosen = () if mode is None else ("-c", f"sandbox.protect_git={mode}")
    options = ("--backend", backend, "-s", "workspace-write", "-a", "never", *chosen)
    return stage.sandgate("run", *options, "--", *command)


@ATTACKS
def test_unconfined_it_runs(stage: Stage, code: str, begun: bool) -> None:
    repository(stage, begun=begun)
    assert stage.unconfined(stage.script(code, stage.outside / "mark")).exit_code == 0
    assert goes_on(stage)


@BOTH_BACKENDS
@ATTACKS
def test_where_git_is_closed_nothing_is_planted(stage: Stage, backend: str, code: str, begun: bool) -> None:
    repository(stage, begun=begun)
    assert attacked(stage, code, backend, "all").exit_code == 1
    assert not goes_on(stage)


@BOTH_BACKENDS
@ATTACKS
def test_where_commands_may_rebase_it_is_told(stage: Stage, backend: str, code: str, begun: bool) -> None:
    repository(stage, begun=begun)
    ran = attacked(stage, code, backend, "hooks-and-config")
    assert ran.exit_code == 0, ran
    assert f"`{stage.repo}/.git/rebase-merge/git-rebase-todo`" in ran.stderr
    assert "git rebase --continue" in ran.stderr


@BOTH_BACKENDS
def test_nobody_is_surprised_who_chose_nothing(stage: Stage, backend: str) -> None:
    repository(stage, begun=True)
    ran = attacked(stage, IN_ONE_BEGUN, backend, None)
    assert "git-rebase-todo`" in ran.stderr or not goes_on(stage)

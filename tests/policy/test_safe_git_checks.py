"""Which commands of git only read, where that hangs on more than their options."""

from __future__ import annotations

import pytest

from sandgate.commandline.words import split
from sandgate.policy.safe_git_checks import GIT_CHECKS
from sandgate.policy.safety import is_safe


@pytest.mark.parametrize(
    ("reads", "acts"),
    [
        ("git branch --list 'x*'", "git branch x"),
        ("git tag -l 'v*'", "git tag v1"),
        ("git remote -v", "git remote remove origin"),
        ("git stash list", "git stash drop"),
        ("git worktree list", "git worktree remove x"),
        ("git config --get user.name", "git config user.name x"),
        ("git -c color.ui=never log -1", "git -c core.pager=./x log -1"),
        ("git -c core.pager=cat log -1", "git -c alias.log=!x log -1"),
        ("git log --format='%h %s'", "git log --format=%GG"),
        ("git reflog show", "git reflog expire --all"),
        ("git submodule status", "git submodule foreach ls"),
    ],
)
def test_looking_passes_and_changing_does_not(reads: str, acts: str) -> None:
    harmless, harmful = split(reads), split(acts)
    assert harmless is not None
    assert harmful is not None
    assert is_safe(harmless)
    assert not is_safe(harmful)


def test_every_check_has_a_name_of_its_own() -> None:
    assert len(set(GIT_CHECKS.values())) == len(GIT_CHECKS)

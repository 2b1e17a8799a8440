"""Reading what git names by a commit's number needs no question; what anybody could have named still does."""

from __future__ import annotations

import pytest

from sandgate.commandline.split import segments
from sandgate.policy.safety import safe_commands


def only_reads(script: str) -> bool:
    return all(safe_commands(segments(("bash", "-lc", script))))


@pytest.mark.parametrize(
    "script",
    [
        "git log $(git merge-base HEAD main)..HEAD",
        'git diff "$(git merge-base HEAD origin/main)" -- src',
        "git show $(git rev-parse --short HEAD~3):src/a.py",
    ],
)
def test_commits_that_git_found_are_read_unasked(script: str) -> None:
    assert only_reads(script)


@pytest.mark.parametrize(
    "script",
    [
        "git show $(git rev-parse HEAD --output=x)",  # it prints options it does not know
        "git show $(git rev-parse --foo)",
        "git log $(git rev-parse $(cat name))",
        "git diff $(git merge-base a b)$(cat x)",
        "git diff --output=$(git rev-parse HEAD)",
        "git log $(git describe --tags)..HEAD",
        "git log $(git rev-parse 'HEAD)' --output=x)",
        "git() { echo --output=x; }; git log $(git rev-parse HEAD)",
        "git log $(git rev-parse HEAD; cat x)",
        "git log $(git rev-parse HEAD\n cat x)",
    ],
)
def test_words_that_may_become_options_are_asked_about(script: str) -> None:
    assert not only_reads(script)

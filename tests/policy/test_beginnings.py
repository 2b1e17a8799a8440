"""Which lines begin a repository with git alone."""

from __future__ import annotations

import pytest

from sandgate.policy.beginnings import COMMANDS_MAX, begins_repository
from support.suite.rows import every


@pytest.mark.parametrize(
    "line",
    [
        "git init",
        "git init -q .",
        "git init -b main",
        "git init --initial-branch=main --quiet",
        "/usr/bin/git init 2>/dev/null",
        "git init && git add -A && git commit -qm first",
        "git init; git config user.name x; git config user.email 'x y'; git commit -m first --allow-empty",
        "git init && git commit --allow-empty --message=first && git status",
    ],
)
def test_git_alone_begins_a_repository(line: str) -> None:
    assert begins_repository(("bash", "-lc", line))
    if "&" not in line and ";" not in line and ">" not in line:
        assert begins_repository(tuple(line.split()))


@every(
    "line",
    [
        "git status",
        "git init elsewhere",
        "git init --template=evil",
        "git init --separate-git-dir=evil",
        "git init --bare",
        "git init --shared",
        "git -c core.fsmonitor=evil init",
        "git -C elsewhere init",
        "./git init",
        "GIT_TEMPLATE_DIR=evil git init",
        "GIT_TEMPLATE_DIR=evil; git init",
        "cd elsewhere && git init",
        "git init && evil",
        "git init && git config core.fsmonitor evil",
        "git init && git config --add user.name evil",
        "git init && git commit",
        "git init && git hook run pre-commit",
        "git init && git submodule add evil",
        "git init > .git/hooks/pre-commit",
        "git init $(evil)",
        "git init & evil",
        " && ".join(["git init"] * (COMMANDS_MAX + 1)),
    ],
)
def test_whatever_else_is_said_it_is_no_plain_beginning(line: str) -> None:
    assert not begins_repository(("bash", "-lc", line))

"""Commands of developers' tools that only read."""

from __future__ import annotations

import shlex

import pytest

from sandgate.policy.safe_subcommands import SUBCOMMANDS
from sandgate.policy.safe_tool_commands import TOOL_COMMANDS
from sandgate.policy.safety import is_safe
from support.suite.rows import every


def test_these_lines_are_part_of_the_one_table() -> None:
    assert TOOL_COMMANDS.keys() <= SUBCOMMANDS.keys()


@pytest.mark.parametrize(
    "command",
    [
        "rustup toolchain list",
        "pip config list",
        "npm config get registry",
        "git apply --check p.diff",
        "git clean -nfd",
        "git format-patch --stdout HEAD~1",
        "gh config list",
        "conda env list",
        "apt-mark showhold",
    ],
)
def test_looking_is_safe(command: str) -> None:
    assert is_safe(tuple(shlex.split(command)))


@every(
    "command",
    [
        "rustup toolchain install nightly",
        "pip config set a b",
        "npm config set registry x",
        "npm pkg set a=b",
        "npm version patch",
        "npm run build",
        "git apply p.diff",
        "git apply --check --apply p.diff",
        "git clean -fd",
        "git format-patch HEAD~1",
        "git hash-object -w a",
        "cargo tree",
        "cargo metadata",
        "cargo install ripgrep",
        "go env -w A=b",
        "go list -toolexec=./x ./...",
        "go list -mod=mod ./...",
        "gh pr list",
        "poetry version 2.0",
        "uv tree",
        "conda env remove -n a",
        "gem list --remote",
        "brew install x",
    ],
)
def test_changing_and_asking_a_server_are_not(command: str) -> None:
    """Required."""
    assert not is_safe(tuple(shlex.split(command)))

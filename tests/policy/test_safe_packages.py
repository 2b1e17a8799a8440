"""Package managers: questions are known, and what changes the machine stays out."""

from __future__ import annotations

import shlex

import pytest

from sandgate.policy.safe_packages import PACKAGE_COMMANDS, PACKAGE_PROGRAMS
from sandgate.policy.safe_programs import SAFE
from sandgate.policy.safe_subcommands import SUBCOMMANDS
from sandgate.policy.safety import is_safe


def test_every_line_is_found() -> None:
    assert set(PACKAGE_PROGRAMS) <= set(SAFE)
    assert set(PACKAGE_COMMANDS) <= set(SUBCOMMANDS)


@pytest.mark.parametrize(
    "command",
    [
        "dnf list installed",
        "dnf repolist -v",
        "yum info httpd",
        "dnf history",
        "dnf history info 3",
        "dnf repoquery --requires bash",
        "zypper lr -u",
        "zypper search -i",
        "apt-get -s upgrade",
        "apt-get --dry-run install nginx",
        "apt-file search libfoo",
        "emerge -pv bash",
        "nix-env -q",
        "guix package -I",
        "guix package --list-installed",
        "debsums -s",
    ],
)
def test_a_question_is_not_asked_about(command: str) -> None:
    assert is_safe(tuple(shlex.split(command)))
    assert is_safe(tuple(shlex.split(command)), confined=False) == (command[:7] == "debsums")


@pytest.mark.parametrize(
    "command",
    [
        "dnf install x",
        "dnf",
        "dnf history undo 3",
        "dnf group install x",
        "dnf -c /tmp/evil.conf list",
        "dnf --setopt=pluginpath=. list",
        "zypper in x",
        "zypper",
        "apt-get install x",
        "apt-get -s -o Dir::Bin::dpkg=./x install y",
        "emerge -q x",
        "emerge x",
        "nix-env -i x",
        "nix-env -f ./x -q",
        "guix package -i x",
        "guix package",
        "guix",
    ],
)
def test_what_changes_or_may_run_something_is_asked_about(command: str) -> None:
    assert not is_safe(tuple(shlex.split(command)))

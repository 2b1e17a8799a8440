"""Developers' tools: what reads is known, and the doors beside it stay shut."""

from __future__ import annotations

import shlex

import pytest

from sandgate.policy.safe_programs import SAFE
from sandgate.policy.safe_tools import TOOLS
from sandgate.policy.safety import is_safe
from support.suite.rows import every


def test_every_line_is_found_unless_the_first_table_says_more() -> None:
    assert set(TOOLS) <= set(SAFE)


@pytest.mark.parametrize(
    "command",
    [
        "ruby -c a.rb",
        "node --check a.js",
        "pacman -Ss openssl",
        "sqlite3 -readonly a.db .tables",
        "shellcheck -x a.sh",
        "gofmt -l .",
        "php -m",
        "bash -n a.sh",
        "pg_restore -l a.dump",
    ],
)
def test_looking_is_safe(command: str) -> None:
    assert is_safe(tuple(shlex.split(command)))


@every(
    "command",
    [
        "yarn",  # installs
        "deno",  # runs its input
        "php",  # runs its input
        "bash a.sh",
        "bash -n -c id",
        "sh",
        "ant -v",  # builds, and talks
        "pytest -v",
        "rake -v",
        "phpunit -v",
        "ruby -v a.rb",
        "ruby a.rb",
        "node a.js",
        "python -v",
        "bundle list",  # runs the Gemfile
        "pacman -S openssl",
        "pacman -Sc",
        "pacman -Ssu",
        "pacman -Syu",
        "gofmt -w .",
        "cargo --version build",
        "python3 -m pip install x",
        "python3 -m http.server",
        "sqlite3 a.db .tables",  # creates it
        "xmllint --noout http://a/b.xml",
        "sqlite3 a.db",
        "sqlite3 -readonly a.db 'drop table t'",
        "sqlite3 -readonly -cmd '.shell id' a.db .tables",
        "gcc -v a.c",
        "npm view left-pad",  # asks a server
    ],
)
def test_running_installing_and_asking_a_server_are_not(command: str) -> None:
    """Required."""
    assert not is_safe(tuple(shlex.split(command)))


def test_what_reads_the_settings_of_a_project_is_safe_only_in_the_sandbox() -> None:
    told = (
        "hg status", "composer show", "uv pip list", "python3 -m pip list", "cargo --version", "go version",
        "mvn --version", "pytest --version",
    )  # fmt: skip
    assert [one for one in told if not is_safe(tuple(one.split()))] == []
    assert [one for one in told if is_safe(tuple(one.split()), confined=False)] == []

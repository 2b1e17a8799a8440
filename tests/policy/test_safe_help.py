"""Asking a program to explain itself needs no question, and nothing else may hide behind it."""

from __future__ import annotations

import pytest

from sandgate.policy.safe_help import EXPLAINS_ITSELF
from sandgate.policy.safe_programs import SAFE
from sandgate.policy.safety import is_safe


@pytest.mark.parametrize(
    "argv", [("rm", "--help"), ("sudo", "--version"), ("wipefs", "--help"), ("/usr/bin/ssh", "--help")]
)
def test_help_alone_is_not_asked_about(argv: tuple[str, ...]) -> None:
    assert is_safe(argv)


@pytest.mark.parametrize(
    "argv",
    [
        ("rm", "--help", "x"),
        ("rm", "-h"),
        ("./rm", "--help"),
        ("pytest", "--help"),
        ("unknown-tool", "--help"),
        ("rm",),
    ],
)
def test_anything_beside_help_is_judged_as_ever(argv: tuple[str, ...]) -> None:
    assert not is_safe(argv)


def test_a_word_the_shell_may_change_is_not_taken_for_help() -> None:
    assert not is_safe(("rm", "--help"), sure=("exact", "expanded"))


def test_programs_that_load_a_project_first_are_left_out() -> None:
    assert not EXPLAINS_ITSELF & {
        "prisma",
        "pytest",
        "tox",
        "scons",
        "gulp",
        "grunt",
        "rails",
        "yarn",
        "pnpm",
        "gradlew",
        "cargo",
    }


@pytest.mark.parametrize("program", ["cargo", "npm", "kubectl", "git", "rustup"])
@pytest.mark.parametrize("before", [(), ("",), ("-",), ("--",)])
def test_help_behind_nothing_or_an_empty_word_has_an_answer(program: str, before: tuple[str, ...]) -> None:
    assert is_safe((program, *before, "--help")) in (True, False)


@pytest.mark.parametrize(
    "argv",
    [
        ("ip", "netns", "add", "--help"),
        ("tmux", "new", "evil", "--help"),
        ("podman", "unshare", "evil", "--help"),
        ("machinectl", "shell", "host", "--help"),
        ("kubectl", "exec", "pod", "--help"),
    ],
)
def test_help_is_not_believed_where_it_may_be_a_name_or_somebody_elses(argv: tuple[str, ...]) -> None:
    assert not is_safe(argv)


def test_no_help_is_vouched_for_outside_the_sandbox_where_the_program_is_not() -> None:
    """The tables' `confined` counts for every word: `terraform --version` asks a server, and runs plugins."""
    confined_only = [name for name, line in SAFE.items() if "confined" in line.split()]
    assert {"terraform", "tofu", "docker", "kubectl", "gh", "az"} <= set(confined_only)
    for name in confined_only:
        for option in ("--help", "--version"):
            assert not is_safe((name, option), confined=False), (name, option)


@pytest.mark.parametrize("name", ["packer", "sops", "msbuild", "terraform"])
def test_what_asks_a_server_or_reads_the_directory_explains_itself_in_the_sandbox_alone(name: str) -> None:
    assert is_safe((name, "--version"))
    assert not is_safe((name, "--version"), confined=False)
    assert is_safe(("rm", "--version"), confined=False)


def test_vagrant_runs_its_file_before_it_explains_itself() -> None:
    assert is_safe(("vagrant", "--version"), confined=False)
    assert not is_safe(("vagrant", "--help"))
    assert not is_safe(("vagrant", "up", "--help"))

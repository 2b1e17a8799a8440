"""The table of git, pip and npm commands that only read."""

from __future__ import annotations

import pytest

from sandgate.commandline.arguments import grammar
from sandgate.policy.safe_checks import CHECKS
from sandgate.policy.safe_programs import SAFE
from sandgate.policy.safe_subcommands import FRAGMENTS, SUBCOMMANDS
from sandgate.policy.safety import is_safe
from support.suite.rows import every


@every("key", sorted(SUBCOMMANDS))
def test_every_line_belongs_to_a_program_with_commands(key: str) -> None:
    read = grammar(SUBCOMMANDS[key], FRAGMENTS)
    assert "sub" in SAFE[key.split()[0]].split()
    assert {mark[6:] for mark in read.marks if mark.startswith("check:")} <= CHECKS.keys()


WRITES_OR_RUNS = (
    "--output=x",
    "--output",
    "--outp=x",
    "--ext-diff",
    "--textconv",
    "--exec=x",
    "--paginate",
    "--open-files-in-pager",
)


@pytest.mark.parametrize("argument", WRITES_OR_RUNS)
def test_no_git_command_writes_or_runs(argument: str) -> None:
    git = [key.split() for key in SUBCOMMANDS if key.startswith("git ")]
    assert [words for words in git if is_safe((*words, argument, "x"))] == []


@pytest.mark.parametrize(
    "option",
    [
        ("-c", "a=b"),
        ("-ca=b",),
        ("--config-env=a=b",),
        ("--exec-path=x",),
        ("--git-dir=x",),
        ("--git-dir", "x"),
        ("--work-tree=x",),
        ("--namespace=x",),
        ("--super-prefix=x",),
        ("-p",),
    ],
)
def test_git_itself_takes_no_option_that_points_elsewhere(option: tuple[str, ...]) -> None:
    assert not is_safe(("git", *option, "status"))
    assert is_safe(("git", "-C", "dir", "--no-pager", "status"))


def test_a_line_of_these_tables_is_not_a_program() -> None:
    assert not is_safe(("git log",))
    assert not is_safe(("git_log_options",))

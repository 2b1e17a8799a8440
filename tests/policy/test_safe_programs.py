"""The table of programs that only read: its lines are well-formed, say what they must, and say it once."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from sandgate.commandline.arguments import ANY_NUMBER, grammar
from sandgate.policy.safe_checks import CHECKS
from sandgate.policy.safe_git_checks import GIT_CHECKS
from sandgate.policy.safe_programs import SAFE, SAFE_WRAPPERS
from sandgate.policy.safe_system_checks import SYSTEM_CHECKS
from sandgate.policy.safety import is_safe
from support.suite.rows import every

TABLES = sorted(Path("src/sandgate/policy").glob("safe_*.py"))
MARKS = {"any", "!", "sub", "alone", "confined", "exact", "program", "words", "stop", "-NUM"}


@every("program", sorted(SAFE))
def test_every_line_is_a_grammar_with_known_marks(program: str) -> None:
    read = grammar(SAFE[program], SAFE)
    unknown = {mark for mark in read.marks - MARKS if not mark.startswith(("needs:", "check:"))}
    assert unknown == set()
    assert {mark[6:] for mark in read.marks if mark.startswith("check:")} <= CHECKS.keys()


@every("file", TABLES)
def test_a_table_is_put_together_by_what_refuses_a_name_twice(file: Path) -> None:
    """A dictionary written out lets a later row replace an earlier one; `{**table, …}` does so unseen."""
    for written in ast.walk(ast.parse(file.read_text())):
        if isinstance(written, ast.Dict) and len(written.keys) > 1:
            keys = [key.value for key in written.keys if isinstance(key, ast.Constant)]
            assert len(keys) == len(set(keys))
            assert None not in written.keys or file.stem == "safe_checks"


def test_no_check_replaces_another_of_its_name() -> None:
    assert all(CHECKS[name] is check for table in (GIT_CHECKS, SYSTEM_CHECKS) for name, check in table.items())


@every("program", [name for name, line in SAFE.items() if "!" in line.split() and "any" not in line])
def test_a_program_harmless_with_anything_takes_any_number_of_inputs(program: str) -> None:
    assert grammar(SAFE[program], SAFE).operands_max == ANY_NUMBER


@every("program", sorted(SAFE))
def test_no_program_takes_an_option_nobody_described(program: str) -> None:
    if "any" not in SAFE[program].split():
        assert not is_safe((program, "--no-such-option-anywhere"))


@pytest.mark.parametrize("name", sorted(SAFE_WRAPPERS))
def test_a_wrapper_is_as_safe_as_what_it_runs(name: str) -> None:
    extra = ("5",) if "skip1" in SAFE_WRAPPERS[name] else ()
    assert is_safe((name, *extra, "cat", "x"))
    assert not is_safe((name, *extra, "rm", "x"))
    assert not is_safe((name, *extra, "./cat", "x"))

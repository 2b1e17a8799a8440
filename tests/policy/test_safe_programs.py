"""The table of programs that only read: its lines are well-formed and say what they must."""

from __future__ import annotations

import pytest

from sandgate.commandline.arguments import ANY_NUMBER, grammar
from sandgate.policy.safe_checks import CHECKS
from sandgate.policy.safe_programs import SAFE, SAFE_WRAPPERS
from sandgate.policy.safety import is_safe

MARKS = {"any", "!", "sub", "alone", "confined", "exact", "program", "words", "stop", "-NUM"}


@pytest.mark.parametrize("program", sorted(SAFE))
def test_every_line_is_a_grammar_with_known_marks(program: str) -> None:
    read = grammar(SAFE[program], SAFE)
    unknown = {mark for mark in read.marks - MARKS if not mark.startswith(("needs:", "check:"))}
    assert unknown == set()
    assert {mark[6:] for mark in read.marks if mark.startswith("check:")} <= CHECKS.keys()


@pytest.mark.parametrize("program", [name for name, line in SAFE.items() if "!" in line.split() and "any" not in line])
def test_a_program_harmless_with_anything_takes_any_number_of_inputs(program: str) -> None:
    assert grammar(SAFE[program], SAFE).operands_max == ANY_NUMBER


@pytest.mark.parametrize("program", sorted(SAFE))
def test_no_program_takes_an_option_nobody_described(program: str) -> None:
    if "any" not in SAFE[program].split():
        assert not is_safe((program, "--no-such-option-anywhere"))


@pytest.mark.parametrize("name", sorted(SAFE_WRAPPERS))
def test_a_wrapper_is_as_safe_as_what_it_runs(name: str) -> None:
    extra = ("5",) if "skip1" in SAFE_WRAPPERS[name] else ()
    assert is_safe((name, *extra, "cat", "x"))
    assert not is_safe((name, *extra, "rm", "x"))
    assert not is_safe((name, *extra, "./cat", "x"))

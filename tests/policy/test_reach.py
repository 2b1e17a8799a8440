"""Which rules speak about a segment, and about what it starts. `test_wrapped_rules.py` has every wrapper."""

from __future__ import annotations

import pytest

from sandgate.commandline import segments
from sandgate.policy.reach import reaching, tightening
from sandgate.policy.rules.model import Rule, RuleSet


def rule(text: str, decide: str = "allow") -> Rule:
    return Rule(tuple((word,) for word in text.split()), decide)  # type: ignore[arg-type]  # one of the three words


@pytest.mark.parametrize(
    ("prefix", "command", "reaches"),
    [
        ("env", "env rm x", False),
        ("env rm", "env rm x", True),
        ("rg", "rg --pre ./x y", False),
        ("rg", "rg y", True),
        ("make", "make all", True),
        ("bash x.sh", "bash x.sh y", True),
        ("bash", "bash -c ls", False),
    ],
)
def test_an_allowing_rule_ends_where_another_program_begins(prefix: str, command: str, reaches: bool) -> None:
    found = reaching(tuple(command.split()), (rule(prefix),))
    assert (found == (rule(prefix),)) is reaches


def test_rules_that_ask_or_forbid_reach_whatever_stands_behind_them() -> None:
    asking = rule("env", "ask")
    assert reaching(("env", "rm", "x"), (asking,)) == (asking,)


def test_rules_about_a_program_inside_only_tighten() -> None:
    forbidding, allowing = rule("rm", "forbid"), rule("rm")
    argv = ("env", "A=1", "nice", "rm", "x")
    assert tightening(segments(argv), argv, RuleSet((forbidding, allowing))) == (forbidding,)
    assert tightening(segments(("ls",)), ("ls",), RuleSet((forbidding,))) == ()

"""How often a command needs the rules that hold only so many times."""

from __future__ import annotations

import pytest

from sandgate.policy.approval import judge
from sandgate.policy.limited import holding, times_needed
from sandgate.policy.program_places import ProgramPlaces
from sandgate.policy.rules.model import Rule, RuleSet
from sandgate.protocol.permissions import WorkspaceWrite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.policy.limited import Judging

SYSTEM = ProgramPlaces("/", "/usr/bin", ())
THREE = Rule((("make",),), "allow", uses=3)
ALL = Rule((("make",), ("all",)), "allow", uses=1)
OUT = THREE.but(sandbox="bypass")


def judging(*argv: str) -> Judging:
    return lambda rules: judge(argv, policy="untrusted", sandbox=WorkspaceWrite(), rules=rules, programs=SYSTEM)


def line(text: str) -> Judging:
    return judging("bash", "-c", text)


@pytest.mark.parametrize(
    ("asked", "rules", "needed"),
    [
        (judging("make"), (THREE,), {THREE: 1}),
        (line("make a; ls; make b && make c"), (THREE,), {THREE: 3}),
        (line("make a; touch b"), (THREE,), {}),
        (line("ls; ls"), (THREE,), {}),
        (line("make a; make all"), (THREE, ALL), {THREE: 2}),
        (line("make all; make all"), (Rule((("make",),), "allow"), ALL), {}),
        (line("make a; make b"), (OUT, Rule((("make",),), "allow")), {OUT: 2}),
        (line("make a; make b"), (THREE, Rule((("make",), ("a",)), "forbid")), {}),
    ],
)
def test_each_part_that_would_be_judged_otherwise_needs_it_once(
    asked: Judging, rules: tuple[Rule, ...], needed: dict[Rule, int]
) -> None:
    assert times_needed(asked, RuleSet(rules)) == needed


@pytest.mark.parametrize(
    ("used", "text", "holds"),
    [(0, "make a; make b; make c", True), (1, "make a; make b; make c", False), (1, "make a; make b", True)],
)
def test_a_rule_that_is_needed_oftener_than_it_holds_does_not_hold(used: int, text: str, holds: bool) -> None:
    found = holding(line(text), RuleSet((THREE,)), {THREE.identity: used})
    assert (found.rules, found.short) == (((THREE,), ()) if holds else ((), (THREE,)))


def test_another_rule_takes_its_place_where_one_does() -> None:
    """Required: no question that a rule had answered already."""
    found = holding(line("make all; make all"), RuleSet((THREE, ALL)), {})
    assert found.short == (ALL,)
    assert line("make all; make all")(found).decide == "allow"
    assert times_needed(line("make all; make all"), found) == {THREE: 2}

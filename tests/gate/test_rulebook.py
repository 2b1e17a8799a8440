"""The rules of a session as they grow, end and are used up."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.approvals import holding
from sandgate.approvals.holding import binding_of, contents_of
from sandgate.errors import RuleError
from sandgate.gate.policies import Policies
from sandgate.gate.rulebook import Rulebook
from sandgate.policy.rules import NO_RULES, Rule, RuleSet
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import Amendment
from sandgate.protocol.permissions import WorkspaceWrite
from sandgate.protocol.verdicts import Allow, Ask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MAKE = CommandRequest(("make", "all"), "/repo", {"PATH": "/bin"})
BOTH = MAKE.but(argv=("bash", "-c", "make all && touch x"))
TWICE = Rule((("make",),), "allow", uses=2)


class Count:
    """Counts in memory; `fails`: nothing can be kept."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.fails = False

    def __call__(self) -> Count:
        return self

    def used(self, rules: tuple[Rule, ...]) -> Mapping[str, int]:
        return {rule.identity: self.counts.get(rule.identity, 0) for rule in rules}

    def take(self, rule: Rule, times: int) -> bool:
        count = self.counts.get(rule.identity, 0)
        if self.fails or rule.uses is None or count + times > rule.uses:
            return False
        self.counts[rule.identity] = count + times
        return True


def book(*rules: Rule, **more: Any) -> Rulebook:
    policies = Policies("untrusted", WorkspaceWrite(), RuleSet(rules) if rules else NO_RULES)
    return Rulebook(policies, **{"keep": lambda _amendment: "default.rules", **more})


def test_an_accepted_rule_holds_at_once_and_is_named_with_its_file() -> None:
    rules = book()
    assert isinstance(rules.verdict(MAKE), Ask)
    assert rules.adopt(Amendment(("make",), uses=None).but(prefix=("make", "all"))) == ""
    verdict = rules.verdict(MAKE)
    assert isinstance(verdict, Allow)
    assert "default.rules" in verdict.because[0].detail
    assert not verdict.bypass_sandbox
    assert rules.added == 1
    rules.adopt(Amendment(("make", "all")))
    assert rules.added == 1


def test_a_rule_that_cannot_be_saved_holds_in_this_session_and_is_warned_about() -> None:
    """Required: the run still counts as approved."""

    def fails(_amendment: Amendment) -> str:
        raise RuleError("cannot save the rule", why="the disk is full")

    rules = book(keep=fails)
    assert "this session only" in rules.adopt(Amendment(("make", "all")))
    assert isinstance(rules.verdict(MAKE), Allow)


def test_a_banned_rule_is_not_accepted_whoever_brings_it() -> None:
    rules = book()
    assert "not accepted" in rules.adopt(Amendment(("bash", "-c")))
    assert (rules.added, type(rules.verdict(BOTH))) == (0, Ask)


def test_where_rules_cannot_be_added_none_is_offered() -> None:
    assert book().proposed(MAKE) == Amendment(("make", "all"))
    assert book(keep=None).proposed(MAKE) is None


def test_a_rule_is_used_up_by_the_runs_that_needed_it() -> None:
    count = Count()
    rules = book(TWICE, counted=count)
    assert [type(rules.admitted(MAKE)) for _ in range(4)] == [Allow, Allow, Ask, Ask]
    assert count.counts == {TWICE.identity: 2}


def test_what_would_run_anyway_or_is_asked_about_anyway_uses_nothing() -> None:
    """Required: counted only when the command would not have run without it."""
    count = Count()
    also = Rule((("make",), ("all",)), "allow")
    assert isinstance(book(TWICE, also, counted=count).admitted(MAKE), Allow)
    assert isinstance(book(TWICE, counted=count).admitted(BOTH), Ask)
    assert isinstance(book(TWICE, counted=count).verdict(MAKE), Allow)  # looking is free
    assert count.counts == {}


def test_a_command_that_needs_a_rule_twice_uses_it_twice_or_is_asked_about() -> None:
    """Required: what is said beforehand is what happens, and a rule for one use never lets two runs pass."""
    count = Count()
    rules = book(TWICE, counted=count)
    twice, thrice = (MAKE.but(argv=("bash", "-c", "; ".join(["make all"] * times))) for times in (2, 3))
    assert [type(rules.verdict(each)) for each in (twice, thrice)] == [Allow, Ask]
    asked = rules.admitted(thrice)
    assert isinstance(asked, Ask)
    assert "rule `make` does not count, as this needs it oftener than it still holds" in asked.because[0].detail
    assert count.counts == {}
    assert isinstance(rules.admitted(twice), Allow)
    assert count.counts == {TWICE.identity: 2}
    assert isinstance(rules.admitted(MAKE), Ask)


def test_of_two_rules_that_would_do_one_is_used() -> None:
    count = Count()
    rules = book(TWICE, Rule((("make",), ("all",)), "allow", uses=1), counted=count)
    assert [type(rules.admitted(MAKE)) for _ in range(4)] == [Allow, Allow, Allow, Ask]


def test_what_cannot_be_counted_does_not_hold() -> None:
    """Required: unsure means closed."""
    count = Count()
    count.fails = True
    assert isinstance(book(TWICE, counted=count).admitted(MAKE), Ask)
    assert isinstance(book(TWICE).admitted(MAKE), Ask)


def test_a_rule_ends_when_its_time_is_over() -> None:
    now = [1_000.0]
    rules = book(Rule((("make",),), "allow", until="1970-01-01T00:20:00Z"), now=lambda: now[0])
    assert isinstance(rules.verdict(MAKE), Allow)
    now[0] = 1_200.0
    assert isinstance(rules.verdict(MAKE), Ask)


def test_a_rule_tied_to_content_holds_for_exactly_that(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("all:\n")
    here = MAKE.but(cwd=str(tmp_path))
    same = contents_of(binding_of(here))
    assert same
    rules = book(Rule((("make",),), "allow", same_content=same))
    assert isinstance(rules.verdict(here), Allow)
    assert isinstance(rules.verdict(MAKE), Ask), "another directory has other files"
    (tmp_path / "GNUmakefile").write_text("all:\n")
    assert isinstance(rules.verdict(here), Ask), "one more file would be executed"
    (tmp_path / "GNUmakefile").unlink()
    (tmp_path / "Makefile").write_text("all:\n\ttrue\n")
    assert isinstance(rules.verdict(here), Ask)
    (tmp_path / "Makefile").write_text("all:\n")
    assert isinstance(rules.verdict(here), Allow), "as it was, it holds again"


def test_only_commands_it_may_be_about_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "binding_of", lambda _command: pytest.fail("the disk was looked at"))
    rules = book(Rule((("/opt/make",), ("all",)), "allow", same_content=("sha256:" + "0" * 64 + " /x",)))
    assert isinstance(rules.verdict(MAKE.but(argv=("touch", "x"))), Ask)
    assert not book().is_tied(MAKE)
    assert rules.is_tied(MAKE)


def test_an_accepted_rule_is_tied_at_once() -> None:
    rules = book()
    rules.adopt(Amendment(("make", "all"), same_content=("sha256:" + "0" * 64 + " /x",)))
    assert rules.is_tied(MAKE)
    assert isinstance(rules.verdict(MAKE), Ask)

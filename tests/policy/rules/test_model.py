"""How rules match."""

from __future__ import annotations

import pytest

from sandgate.policy.rules import NO_RULES, HostExecutable, Rule, RuleSet, merged
from sandgate.policy.rules.model import instant, strictest

GIT = Rule((("git",), ("status", "log")), "allow")
PUSH = Rule((("git",), ("push",)), "ask")
ANY_GIT = Rule((("git",),), "forbid")


def test_a_rule_matches_what_begins_with_its_prefix() -> None:
    covered = {
        line: GIT.covers(tuple(line.split()))
        for line in ("git status", "git log -3", "git", "git push", "git -C x log", "GIT status", "xgit status")
    }
    assert covered == {
        "git status": True,
        "git log -3": True,
        "git": False,
        "git push": False,
        "git -C x log": False,
        "GIT status": False,
        "xgit status": False,
    }


def test_every_matching_rule_is_returned_and_the_strictest_speaks() -> None:
    rules = RuleSet((GIT, PUSH, ANY_GIT))
    assert rules.matching(("git", "log")) == (GIT, ANY_GIT)
    assert strictest(rules.matching(("git", "log"))) == ANY_GIT
    assert rules.matching(("ls",)) == ()
    assert rules.matching(()) == ()


def test_among_equals_the_longest_prefix_speaks() -> None:
    short = Rule((("git",),), "ask", "short")
    assert strictest((short, PUSH)) == PUSH
    assert strictest((PUSH, short)) == PUSH


def test_a_path_is_compared_as_it_is_and_by_its_name() -> None:
    path = Rule((("/usr/bin/git",),), "allow")
    rules = RuleSet((GIT, path, ANY_GIT))
    assert rules.matching(("/usr/bin/git", "log")) == (GIT, path, ANY_GIT)
    assert rules.matching(("/opt/git", "log")) == (GIT, ANY_GIT)


@pytest.mark.parametrize("path", ["./git", "x/git", "../git", "/opt/git", "~/git", "$HOME/git"])
def test_a_rule_that_asks_or_forbids_means_its_name_wherever_it_lies(path: str) -> None:
    rules = RuleSet((GIT, PUSH, ANY_GIT), (HostExecutable("git", ()),))
    assert rules.matching((path, "log")) == (ANY_GIT,)
    assert rules.matching((path, "push")) == (PUSH, ANY_GIT)


def test_a_host_executable_says_which_paths_count() -> None:
    rules = RuleSet((GIT,), (HostExecutable("git", ()), HostExecutable("git", ("/usr/bin/git",))))
    assert rules.matching(("/usr/bin/git", "log")) == (GIT,)
    assert rules.matching(("/opt/git", "log")) == ()
    assert rules.but(host_executables=(HostExecutable("git", ()),)).matching(("/usr/bin/git", "log")) == ()


def test_sets_of_rules_add_up() -> None:
    host = HostExecutable("git", ())
    assert merged(RuleSet((GIT,)), NO_RULES, RuleSet((PUSH,), (host,))) == RuleSet((GIT, PUSH), (host,))


def test_a_prefix_is_shown_with_its_alternatives() -> None:
    assert [rule.shown_prefix for rule in (GIT, ANY_GIT, Rule((("a b",),), "ask"))] == [
        "git status|log",
        "git",
        "'a b'",
    ]


NOW = 1_900_000_000.0  # 2030-03-17T17:46:40Z


def test_a_rule_ends_at_its_time_in_whatever_zone_it_is_written() -> None:
    rules = RuleSet(
        (
            GIT.but(until="2030-03-17T17:46:41Z"),
            GIT.but(until="2030-03-17T17:46:40Z"),
            GIT.but(until="2030-03-17t19:46:40+02:00"),
            GIT.but(until="2030-03-17T10:46:41-07:00"),
            PUSH,
        )
    )
    assert rules.in_force(NOW, {}).rules == (rules.rules[0], rules.rules[3], PUSH)


def test_a_rule_ends_when_it_was_used_so_often() -> None:
    thrice = GIT.but(uses=3)
    rules = RuleSet((thrice, PUSH))
    assert [len(rules.in_force(NOW, {thrice.identity: used}).rules) for used in (0, 2, 3, 9)] == [2, 2, 1, 1]
    assert [thrice.uses_left({thrice.identity: used}) for used in (0, 2, 9)] == [3, 1, 0]
    assert PUSH.uses_left({}) is None


def test_uses_are_counted_by_what_the_rule_says_and_not_where_it_stands() -> None:
    assert GIT.but(uses=3, source="a", line=1, because="x").identity == GIT.but(uses=3, source="b", line=9).identity
    assert GIT.but(uses=3).identity != GIT.but(uses=4).identity


def test_rules_without_an_end_are_not_even_copied() -> None:
    rules = RuleSet((GIT, PUSH))
    assert rules.in_force(NOW, {}) is rules


@pytest.mark.parametrize("text", ["", "2030", "2030-01-01T00:00:00", "2030-01-01T00:00:00.", "2030-01-01T0000:00Z  "])
def test_what_is_no_instant_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"RFC 3339|isoformat"):
        instant(text)


def test_an_exact_rule_matches_nothing_longer() -> None:
    rules = RuleSet((GIT.but(exact=True),))
    assert [len(rules.matching(tuple(line.split()))) for line in ("git log", "git log -3", "git")] == [1, 0, 0]

"""How rules match (approvals.md §8.3)."""

from __future__ import annotations

import pytest

from sandgate.policy.rules import NO_RULES, HostExecutable, Rule, RuleSet, merged
from sandgate.policy.rules.model import strictest

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

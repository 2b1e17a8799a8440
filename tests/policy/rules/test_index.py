"""The files of a rule set name every rule that matches, and few others."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sandgate.policy.rules import index
from sandgate.policy.rules.index import candidates
from sandgate.policy.rules.model import Rule, RuleSet

TOKENS = st.sampled_from(["git", "push", "/usr/bin/git", "a", "b", "-f"])
PLACES = st.lists(TOKENS, min_size=1, max_size=3, unique=True).map(tuple)
RULES = st.builds(
    Rule, st.lists(PLACES, max_size=3).map(tuple), st.sampled_from(["allow", "ask", "forbid"]), st.sampled_from("xyz")
)
COMMANDS = st.lists(TOKENS, min_size=1, max_size=4).map(tuple)


@given(st.lists(RULES, max_size=8).map(tuple), COMMANDS)
def test_every_rule_that_covers_a_command_is_a_candidate_in_the_order_of_the_set(
    rules: tuple[Rule, ...], argv: tuple[str, ...]
) -> None:
    """Required: a rule that is not found is a rule that does not hold."""
    found = candidates(rules, argv)
    assert [rule for rule in found if rule.covers(argv)] == [rule for rule in rules if rule.covers(argv)]


@given(st.lists(RULES, max_size=8).map(tuple), COMMANDS)
def test_a_set_matches_exactly_the_rules_that_a_walk_over_all_of_them_finds(
    rules: tuple[Rule, ...], argv: tuple[str, ...]
) -> None:
    bare = (argv[0].rpartition("/")[2], *argv[1:])
    vouched = argv[0][:1] == "/" or bare == argv
    walked = [
        rule for rule in rules if rule.covers(argv) or (rule.covers(bare) and (vouched or rule.decide != "allow"))
    ]
    assert RuleSet(rules).matching(argv) == tuple(walked)


def test_one_of_a_thousand_rules_is_found_without_looking_at_the_others() -> None:
    many = tuple(Rule((("git",), (f"sub{number}",)), "ask") for number in range(1_000))
    assert candidates(many, ("git", "sub7", "x")) == [many[7]]


def test_a_rule_with_many_alternatives_is_filed_by_its_first_word_alone() -> None:
    words = tuple(f"w{number}" for number in range(index.PAIRS_MAX))
    rules = (Rule((("a", "b"), words), "ask"), Rule((("c",),), "ask"))
    assert candidates(rules, ("a", "elsewhere")) == [rules[0]]


def test_no_more_than_a_few_sets_are_kept() -> None:
    for number in range(3 * index.SETS_MAX):
        candidates((Rule(((f"p{number}",),), "ask"),), ("x",))
    assert len(index._filed) <= index.SETS_MAX

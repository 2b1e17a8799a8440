"""Rules as text are read back as the same rules."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.policy.rules import NetworkRule, PlaceRule, Rule
from sandgate.policy.rules.calls import rules_from_calls
from sandgate.policy.rules.language import rules_from_table
from sandgate.policy.rules.literal import Beyond, literal_calls
from sandgate.policy.rules.written import network_table, place_line, rule_line, rule_table

PLAIN = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=6)
CONTENT = st.lists(PLAIN.map(lambda name: f"sha256:{'0f' * 32} /{name}"), max_size=2).map(tuple)
RULES = st.builds(
    Rule,
    st.lists(st.lists(PLAIN, min_size=1, max_size=2).map(tuple), min_size=1, max_size=3).map(tuple),
    st.sampled_from(["allow", "ask", "forbid"]),
    st.just("") | PLAIN,
    exact=st.booleans(),
)


@given(RULES, st.booleans(), st.sampled_from(["", "2030-01-01T00:00:00Z"]), st.sampled_from([None, 3]), CONTENT)
def test_the_line_of_a_rule_is_read_back(
    rule: Rule, any_case: bool, until: str, uses: int | None, content: tuple[str, ...]
) -> None:
    allows = rule.decide == "allow"
    rule = rule.but(
        any_case=any_case,
        until=until,
        uses=uses if allows else None,
        sandbox="bypass" if allows else "keep",
        same_content=content if allows else (),
    )
    calls = literal_calls(rule_line(rule))
    assert not isinstance(calls, Beyond)
    assert rules_from_calls(calls, "x").rules == (rule.but(source="x:1", line=1),)


@given(RULES, CONTENT)
def test_the_table_of_a_rule_is_read_back(rule: Rule, content: tuple[str, ...]) -> None:
    rule = rule.but(same_content=content if rule.decide == "allow" else ())
    read = rules_from_table(tomllib.loads(rule_table(rule, "one\ntwo")), "x")
    assert read.rules == (rule.but(source="x: rule 1"),)


def test_the_table_of_a_host_is_read_back() -> None:
    rule = NetworkRule("a.example", "socks5_tcp", "ask", 'said "so"', source="x: network_rule 1")
    assert rules_from_table(tomllib.loads(network_table(rule)), "x").network == (rule,)


@pytest.mark.parametrize(
    "name", ["a\rb", "a\nb", "a\tb", "a\x0cb", "a\x1bb", "a\x85b", "a\u2028b", "a\U000e0001b", 'a"\\b']
)
def test_a_place_of_any_characters_is_read_back_as_itself(name: str) -> None:
    """Required: a carriage return in a file was none to its reader, and the rule gave another place."""
    rule = PlaceRule((f"/h/{name}",), "new_entry", "allow", ((name,),))
    line = place_line(rule)
    assert line.isprintable()
    table = tomllib.loads(line.removeprefix("place_rule(").split(", ")[0])
    calls = literal_calls(line)
    assert table["path"] == f"/h/{name}"
    assert isinstance(calls, Beyond) or rules_from_calls(calls, "x").places == (rule.but(source="x:1", line=1),)


def test_the_usual_line_is_the_lineages() -> None:
    assert rule_line(Rule((("git",), ("push",)), "allow")) == 'prefix_rule(pattern=["git", "push"], decision="allow")'

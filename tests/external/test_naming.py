from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from sandgate.external.naming import NAME_CHARS_MAX, tool_names

TAKEN_BY_PROVIDERS = re.compile(r"[A-Za-z0-9_-]{1,64}")


def test_a_name_says_server_and_tool() -> None:
    """Required."""
    assert tool_names([("docs", "search")]) == {("docs", "search"): "mcp__docs__search"}


def test_what_providers_do_not_take_is_replaced() -> None:
    assert tool_names([("a.b", "c d\x1b")])["a.b", "c d\x1b"] == "mcp__a_b__c_d_"


def test_a_long_name_is_cut_and_stays_its_own() -> None:
    """Required."""
    one, other = tool_names([("s", "x" * 100 + "1"), ("s", "x" * 100 + "2")]).values()
    assert len(one) == len(other) == NAME_CHARS_MAX
    assert one != other
    assert tool_names([("s", "x" * (NAME_CHARS_MAX - 8))])["s", "x" * 56] == "mcp__s__" + "x" * 56


def test_two_tools_that_would_read_the_same_do_not() -> None:
    """Required: a server cannot take the place of another's tool."""
    names = tool_names([("a", "b__c"), ("a__b", "c"), ("a", "b__c")])
    assert names["a", "b__c"] == "mcp__a__b__c"
    assert names["a__b", "c"].startswith("mcp__a__b__c_")


@given(st.lists(st.tuples(st.text(max_size=80), st.text(max_size=80)), max_size=20))
def test_every_name_is_one_that_providers_take_and_no_two_are_the_same(pairs: list[tuple[str, str]]) -> None:
    names = tool_names(pairs)
    assert names.keys() == set(pairs)
    assert len(set(names.values())) == len(names)
    assert all(TAKEN_BY_PROVIDERS.fullmatch(name) for name in names.values())

"""Rules about places, in both languages; what they give a command is in tests/gate/test_place_rules.py."""

from __future__ import annotations

import tomllib

import pytest

from sandgate.errors import RuleError
from sandgate.policy.rules import PlaceRule
from sandgate.policy.rules.calls import rules_from_calls
from sandgate.policy.rules.language import rules_from_table
from sandgate.policy.rules.literal import Beyond, literal_calls
from sandgate.policy.rules.places import at_home, closing, needs_home, shown_places
from sandgate.policy.rules.written import place_line
from sandgate.protocol.permissions import Grant
from support.suite.rows import every

NOTE = PlaceRule(("~/note", "/srv/x"), "write_path", "allow", (("git",), ("add", "rm")), "why", "2999-01-01T00:00:00Z")


def read(text: str) -> PlaceRule:
    calls = literal_calls(text)
    assert not isinstance(calls, Beyond)
    (rule,) = rules_from_calls(calls, "x").places
    return rule


@every("rule", [NOTE, NOTE.but(prefix=(), because="", until=""), PlaceRule(("/etc",), None, "forbid")])
def test_the_line_of_a_rule_is_read_back(rule: PlaceRule) -> None:
    assert read(place_line(rule)) == rule.but(source="x:1", line=1)


def test_both_languages_say_the_same() -> None:
    table = '[[place_rule]]\npath = "~/note"\ngrant = "write_path"\nprefix = ["sed"]\nbecause = "why"\n'
    (rule,) = rules_from_table(tomllib.loads(table), "x").places
    called = read('place_rule("~/note", "write_path", pattern=["sed"], justification="why")')
    assert rule.but(source="", line=0) == called.but(source="", line=0)


@every(
    "text",
    [
        'place_rule("~/note")',  # gives what?
        'place_rule("~/note", "read_path")',
        'place_rule("~/note", "escalate")',
        'place_rule("~", "write_root")',
        'place_rule("/", "write_root")',
        'place_rule("/root", "write_root")',
        'place_rule("/home/someone", "write_root")',
        'place_rule("/srv/../etc", "write_path")',
        'place_rule("/srv/./x", "write_path")',
        'place_rule("/srv//x", "write_path")',
        'place_rule("/srv/*", "write_path")',
        'place_rule("srv/x", "write_path")',
        'place_rule("~other/x", "write_path")',
        'place_rule("", "write_path")',
        'place_rule([], "write_path")',
        'place_rule("/etc", "write_path", "forbidden", pattern=["sed"])',
        'place_rule("/srv/x", "write_path", pattern=[])',
        'place_rule("/srv/x", "write_path", until="soon")',
        'place_rule("/srv/x", "write_path", sandbox="bypass")',
    ],
)
def test_what_cannot_be_meant_is_refused(text: str) -> None:
    with pytest.raises(RuleError):
        read(text)


@every(
    "grant, closed",
    [
        (Grant("write_path", "/srv/x"), True),
        (Grant("write_path", "/srv/x/below"), True),
        (Grant("write_root", "/srv"), True),
        (Grant("remove", "/srv"), True),
        (Grant("write_path", "/srv/xy"), False),
        (Grant("write_path", "/other"), False),
        (Grant("new_entry", "/srv/x-y"), False),
    ],
)
def test_a_place_is_closed_with_what_lies_in_it_and_around_it(grant: Grant, closed: bool) -> None:
    rules = (PlaceRule(("/srv/x",), None, "forbid"),)
    assert (closing(grant, rules, ("forbid",)) is not None) is closed


@every(
    "grant, closed",
    [
        (Grant("new_entry", "/srv/base.db"), True),
        (Grant("new_entry", "/srv/base"), True),
        (Grant("write_path", "/srv/base.db"), True),
        (Grant("write_path", "/srv/bas"), False),
        (Grant("new_entry", "/srv/bas"), False),
        (Grant("remove", "/srv/base.db"), False),
        (Grant("new_entry", "/other/base.db"), False),
    ],
)
def test_what_brings_a_closed_name_with_it_is_closed(grant: Grant, closed: bool) -> None:
    """Required: a new file brings the names that go on from its own, a changed one those beside it."""
    for path in ("/srv/base.db-journal", "/srv/base.db-journal/below"):
        for kind in (None, "new_entry"):
            assert (closing(grant, (PlaceRule((path,), kind, "forbid"),), ("forbid",)) is not None) is closed
    assert closing(grant, (PlaceRule(("/srv/base.db-journal",), "remove", "forbid"),), ("forbid",)) is None


def test_a_kind_that_includes_another_is_closed_with_it() -> None:
    for kind in ("new_entry", "metadata"):
        rules = (PlaceRule(("/srv/x",), kind, "forbid"),)
        assert closing(Grant("write_path", "/srv/x"), rules, ("forbid",)) is rules[0]


def test_one_kind_of_change_may_be_closed_and_a_tree_holds_all_kinds() -> None:
    rules = (PlaceRule(("/srv/x",), "remove", "forbid"),)
    found = [closing(Grant(kind, "/srv/x"), rules, ("forbid",)) for kind in ("remove", "write_root", "write_path")]
    assert [each is not None for each in found] == [True, True, False]
    assert closing(Grant("remove", "/srv/x"), rules, ("ask",)) is None


def test_the_home_is_named_where_it_is_known() -> None:
    assert (needs_home(NOTE), at_home(NOTE, "/h").paths) == (True, ("/h/note", "/srv/x"))
    assert not needs_home(at_home(NOTE, "/h"))


def test_people_see_what_it_is_about() -> None:
    assert shown_places(NOTE) == "write_path ~/note, /srv/x, for `git add|rm`"
    assert shown_places(PlaceRule(("/etc",), None, "forbid")) == "any change of /etc"

"""The rule files on the page about rules are rule files. Its sessions run with those of all pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.config.rules_files import read_rules
from sandgate.policy.rules import RuleSet
from support.docs.how_to_pages import blocks

PAGE = "rules.md"


def read(block: str, path: Path) -> RuleSet:
    path.write_text(block)
    rules = read_rules(str(path), guarded=True)
    assert rules is not None
    return rules


def test_both_forms_say_what_the_page_says(tmp_path: Path) -> None:
    toml, _ = blocks(PAGE, "toml")
    literal, computed = blocks(PAGE, "python")
    rules = read(toml, tmp_path / "a.toml")
    assert [rule.examples for rule in rules.rules] == [3, 0]
    other = read(literal, tmp_path / "a.rules")
    assert (other.rules[0].prefix, other.host_executables) == (rules.rules[0].prefix, rules.host_executables)
    assert [rule.host for rule in other.network] == [rule.host for rule in rules.network]
    assert [rule.shown_prefix for rule in read(computed, tmp_path / "b.rules").rules] == [
        "kubectl get|describe",
        "oc get|describe",
    ]


def test_the_rule_about_a_place_is_one(tmp_path: Path) -> None:
    (rule,) = read(blocks(PAGE, "toml")[1], tmp_path / "a.toml").places
    assert (rule.paths, rule.grant, rule.prefix, rule.decide) == (("~/made",), "new_entry", (("mkdir",),), "allow")


@pytest.mark.parametrize(("language", "count"), [("toml", 2), ("python", 2), ("console", 6)])
def test_no_block_is_left_unread(language: str, count: int) -> None:
    assert len(blocks(PAGE, language)) == count

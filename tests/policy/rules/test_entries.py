"""What every rule must be, in either form: when it ends, and that the form does not change what it means."""

from __future__ import annotations

import tomllib

import pytest

from sandgate.errors import RuleError
from sandgate.policy.rules import Rule
from sandgate.policy.rules.calls import rules_from_calls
from sandgate.policy.rules.language import rules_from_table
from sandgate.policy.rules.literal import Beyond, literal_calls


def toml(text: str) -> Rule:
    return rules_from_table(tomllib.loads(f"[[rule]]\n{text}"), "a.toml", {"rule": (1,)}).rules[0]


def test_both_forms_say_the_same() -> None:
    calls = literal_calls(
        'prefix_rule(["a", ["b", "c"]], until="2030-01-01T00:00:00+01:00", uses=2, justification="x")'
    )
    assert not isinstance(calls, Beyond)
    other = rules_from_calls(calls, "a.rules").rules[0]
    rule = toml('prefix=["a", ["b", "c"]]\nuntil = 2030-01-01T00:00:00+01:00\nuses = 2\nbecause = "x"')
    assert rule == other.but(source="a.toml: rule 1")
    assert rule.identity == other.identity


@pytest.mark.parametrize(
    "until",
    [
        '"2030-01-01"',
        '"2030-01-01T00:00:00"',
        "2030-01-01",
        "2030-01-01T00:00:00",
        "10:00:00",
        '"2030-01-01T10:00Z"',
        '"20300101T000000Z....."',
        '"2030-13-01T00:00:00Z"',
        '""',
        "3",
        "[]",
    ],
)
def test_a_time_without_a_zone_is_refused(until: str) -> None:
    with pytest.raises(RuleError, match="`until` is"):
        toml(f'prefix = ["a"]\nuntil = {until}')


@pytest.mark.parametrize("uses", ["0", "-1", "true", '"3"', "1.5", "1000001"])
def test_a_count_that_is_none_is_refused(uses: str) -> None:
    with pytest.raises(RuleError, match="`uses` is"):
        toml(f'prefix = ["a"]\nuses = {uses}')


def test_an_error_in_toml_names_the_line_of_its_table() -> None:
    with pytest.raises(RuleError) as caught:
        toml("prefix = []")
    assert caught.value.what == "cannot use the rules in a.toml: rule 1 (line 1)"


@pytest.mark.parametrize(
    "content",
    [
        '"sha256:x /a"',
        '["sha256:abc /a"]',
        "[1]",
        f'["sha256:{"0" * 64} a"]',
        f'["sha256:{"G" * 64} /a"]',
        f'["md5:{"0" * 64} /a"]',
        f'["{"0" * 64} /a"]',
    ],
)
def test_what_is_no_digest_of_a_file_is_refused(content: str) -> None:
    with pytest.raises(RuleError, match="`same_content` is no list"):
        toml(f'prefix = ["a"]\nsame_content = {content}')


def test_only_what_allows_depends_on_content() -> None:
    content = f'same_content = ["sha256:{"0" * 64} /a"]'
    assert toml(f'prefix = ["a"]\n{content}').same_content == (f"sha256:{'0' * 64} /a",)
    for decide in ("ask", "forbid"):
        with pytest.raises(RuleError, match="does not allow"):
            toml(f'prefix = ["a"]\ndecide = "{decide}"\n{content}')

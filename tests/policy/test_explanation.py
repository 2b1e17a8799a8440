"""The tree of a command line and the one change that flips its verdict."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandgate.policy.additions import added_rule
from sandgate.policy.amendment_bans import WORDS_MAX
from sandgate.policy.explanation import PARTS_MAX, Change, Part, PolicyCircumstances, decision, explanation_tree, flip
from sandgate.policy.rules import Rule, RuleSet
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import WorkspaceWrite
from support.suite.searches import examples

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}
UNTRUSTED = PolicyCircumstances("untrusted", WorkspaceWrite())
ON_REQUEST = PolicyCircumstances("on-request", WorkspaceWrite())


def command(*argv: str) -> CommandRequest:
    return CommandRequest(argv, "/project", ENVIRONMENT)


def script(text: str) -> CommandRequest:
    return command("bash", "-lc", text)


def tree(part: Part) -> list[object]:
    return [part.verdict, part.text, *(tree(each) for each in part.parts)]


def test_a_plain_line_is_its_segments_each_with_its_source() -> None:
    found = explanation_tree(script("git status && touch a"), UNTRUSTED)
    assert tree(found) == [
        "ask",
        "bash -lc 'git status && touch a'",
        ["allow", "git status"],
        ["ask", "touch a"],
    ]
    assert [part.source for part in found.parts] == ["safe-list", "policy"]
    assert all(part.decides for part in found.parts)


def test_a_script_judged_as_a_whole_shows_what_its_parts_would_get_alone() -> None:
    found = explanation_tree(script("cat a > /etc/b; rm -rf ~/x; echo hi 2>/dev/null 2>&1"), UNTRUSTED)
    assert [(part.verdict, part.text) for part in found.parts] == [
        ("allow", "cat a"),
        ("ask", "rm -rf '~/x'"),
        ("allow", "echo hi"),
        ("ask", "> /etc/b"),
    ]
    assert not any(part.decides for part in found.parts)


def test_what_a_wrapper_starts_hangs_below_it() -> None:
    found = explanation_tree(command("sudo", "env", "X=1", "bash", "-c", "timeout 3 rm -rf /etc"), ON_REQUEST)
    depths = []
    part = found
    while part.parts:
        (part,) = part.parts
        depths.append(part.text)
    assert depths[-1] == "rm -rf /etc"
    assert depths[0].startswith("env X=1")
    assert len(depths) == 4


def test_a_rule_is_named_as_the_source() -> None:
    here = UNTRUSTED.but(rules=RuleSet((Rule((("npm",), ("test",)), "allow", source="mine.toml:3"),)))
    found = explanation_tree(command("npm", "test"), here)
    assert (found.verdict, found.source) == ("allow", "rule")
    assert "mine.toml:3" in found.detail


def test_a_very_long_line_is_shown_in_part() -> None:
    assert len(explanation_tree(script("; ".join(f"touch f{n}" for n in range(1000))), UNTRUSTED).parts) == PARTS_MAX


@pytest.mark.parametrize(
    ("asked", "here", "expected"),
    [
        (command("touch", "a"), UNTRUSTED, Change("rule", "touch a", "allow", ("touch", "a"))),
        (script("ls && touch a"), UNTRUSTED, Change("rule", "touch a", "allow", ("touch", "a"))),
        (script("cat a > b"), UNTRUSTED, Change("command", "leave out `> b`", "allow", leaves_out=True)),
        (script("touch a; touch b"), UNTRUSTED, Change("approval_policy", "on-request", "allow")),
        (command("ls"), ON_REQUEST, Change("rule", "ls", "ask", ("ls",), "ask")),
        (command("touch", "a"), ON_REQUEST, Change("approval_policy", "untrusted", "ask")),
        (command("rm", "-rf", "/etc"), ON_REQUEST.but(policy="never"), Change("approval_policy", "on-failure", "ask")),
        (script("rm -rf /etc; rm -rf /usr > a"), ON_REQUEST, None),
    ],
)
def test_one_change_is_named(asked: CommandRequest, here: PolicyCircumstances, expected: Change | None) -> None:
    assert flip(asked, here) == expected


def test_only_a_rule_that_could_be_added_is_named() -> None:
    """Required: `sandgate rules add` would refuse these, or rules do not hold here at all."""
    too_long = tuple(f"word{number}" for number in range(WORDS_MAX + 1))
    no_text = ("make", "\udcff")
    for argv in (too_long, no_text):
        found = flip(command(*argv), UNTRUSTED)
        assert found == Change("approval_policy", "on-request", "allow")
    closed = UNTRUSTED.but(may_add_rules=False)
    assert flip(command("touch", "a"), closed) == Change("approval_policy", "on-request", "allow")
    assert flip(command("ls"), closed) is None


def test_asking_to_leave_the_sandbox_is_the_first_thing_to_drop() -> None:
    found = flip(command("ls").but(wish="require_escalated"), ON_REQUEST)
    assert found is not None
    assert (found.kind, found.verdict) == ("command", "allow")


def test_a_forbidding_rule_is_what_to_remove_and_no_other_one() -> None:
    other = Rule((("npm", "yarn"), ("test",)), "ask", source="team.toml: rule 12")
    here = ON_REQUEST.but(rules=RuleSet((Rule((("npm",),), "forbid", source="team.toml: rule 1"), other)))
    found = flip(command("npm", "test"), here)
    assert found is not None
    assert (found.kind, found.verdict) == ("rule", "ask")
    assert "team.toml: rule 1" in found.what


def test_what_is_dangerous_gets_no_rule_as_advice() -> None:
    found = flip(command("rm", "-rf", "build"), ON_REQUEST)
    assert found is None or found.kind != "rule"


WORDS = st.sampled_from(["ls", "rm", "-rf", "/etc", "git", "push", "touch", "a", "sudo", "bash", "-c", "x y", "env"])
LINES = st.lists(WORDS, min_size=1, max_size=5).map(tuple)


@settings(max_examples=examples(200), deadline=None)
@given(LINES, st.sampled_from(["untrusted", "on-request", "on-failure", "never"]), st.booleans())
def test_a_named_change_really_gives_another_verdict(argv: tuple[str, ...], policy: str, as_script: bool) -> None:
    asked = script(" ".join(argv)) if as_script else command(*argv)
    here = ON_REQUEST.but(policy=policy)
    found = flip(asked, here)
    if found is None:
        return
    assert found.verdict != decision(here.verdict(asked))
    if found.kind == "approval_policy":
        assert decision(here.but(policy=found.what).verdict(asked)) == found.verdict
    if found.prefix:
        rule = added_rule(found.prefix, found.decide)
        assert decision(here.but(rules=RuleSet((rule,))).verdict(asked)) == found.verdict


@settings(max_examples=examples(200), deadline=None)
@given(LINES, st.booleans())
def test_the_root_has_the_verdict_of_the_gate(argv: tuple[str, ...], as_script: bool) -> None:
    asked = script(" ".join(argv)) if as_script else command(*argv)
    assert explanation_tree(asked, UNTRUSTED).verdict == decision(UNTRUSTED.verdict(asked))

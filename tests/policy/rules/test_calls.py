"""The `.rules` form: what its calls mean, and that a mistake is named with file, line and cause."""

from __future__ import annotations

import pytest

from sandgate.errors import RuleError
from sandgate.policy.rules import HostExecutable, NetworkRule, Rule, RuleSet
from sandgate.policy.rules.calls import rules_from_calls
from sandgate.policy.rules.literal import Beyond, literal_calls
from support.suite.rows import every


def load(text: str) -> RuleSet:
    calls = literal_calls(text)
    assert not isinstance(calls, Beyond)
    return rules_from_calls(calls, "a.rules")


def test_a_good_file_becomes_rules() -> None:
    text = """
prefix_rule(
    pattern = ["git", ["status", "log"]],
    justification = "only reads",
    match = ["git log -3", ["git", "status"], "/usr/bin/git log"],
    not_match = ["git push", "/opt/git log"],
)
prefix_rule(["make"], "prompt")
prefix_rule(["rm"], "forbidden", [], [], "use trash")
prefix_rule(pattern=["a"], sandbox="bypass", until="2030-01-01T00:00:00Z", uses=2, canonical_matching=True)
host_executable(name = "git", paths = ["/usr/bin/git", "/usr/bin/git"])
network_rule(host = "Paste.Example.com.:443", protocol = "https_connect", decision = "deny")
"""
    assert load(text) == RuleSet(
        (
            Rule((("git",), ("status", "log")), "allow", "only reads", source="a.rules:2", line=2, examples=5),
            Rule((("make",),), "ask", source="a.rules:8", line=8),
            Rule((("rm",),), "forbid", "use trash", source="a.rules:9", line=9),
            Rule((("a",),), "allow", "", "bypass", "a.rules:10", "2030-01-01T00:00:00Z", 2, 10, any_case=True),
        ),
        (HostExecutable("git", ("/usr/bin/git",)),),
        (NetworkRule("paste.example.com", "https", "forbid", source="a.rules:12", line=12),),
    )


def test_an_allowed_command_keeps_the_sandbox_unless_the_rule_says_otherwise() -> None:
    """Our choice: elsewhere `allow` alone leaves it."""
    kept, left = load('prefix_rule(["a"])\nprefix_rule(["b"], sandbox="bypass")').rules
    assert (kept.sandbox, left.sandbox) == ("keep", "bypass")


def test_tokens_compare_without_case_where_the_rule_says_so() -> None:
    rules = load('prefix_rule(["git", ["Push", "pull"]], "prompt", canonical_matching=True)\nprefix_rule(["ls"])')
    matched = {
        line: len(rules.matching(tuple(line.split()))) for line in ("GIT PUSH x", "git pusH", "git status", "LS")
    }
    assert matched == {"GIT PUSH x": 1, "git pusH": 1, "git status": 0, "LS": 0}


@every(
    "text, why",
    [
        ("prefix_rule()", "`pattern` is missing"),
        ("prefix_rule([])", "`pattern` is missing, empty"),
        ('prefix_rule("git")', "not a list"),
        ('prefix_rule([""])', "`pattern` holds ''"),
        ("prefix_rule([1])", "`pattern` holds 1"),
        ('prefix_rule(["a", []])', "`pattern` holds []"),
        ('prefix_rule(["a"], "ask")', "`decision` is 'ask'"),
        ('prefix_rule(["a"], "deny")', "`decision` is 'deny'"),
        ('prefix_rule(["a"], justification="  ")', "`justification` is blank"),
        ('prefix_rule(["a"], because="x")', "does not take `because`"),
        ('prefix_rule(["a"], pattern=["b"])', "`pattern` is given twice"),
        ('prefix_rule(["a"], "allow", [], [], "x", "y")', "too many arguments"),
        ('prefix_rule(["a"], canonical_matching=1)', "`canonical_matching` is 1"),
        ('prefix_rule(["a"], sandbox="off")', "`sandbox` is 'off'"),
        ('prefix_rule(["a"], "prompt", sandbox="bypass")', "does not allow"),
        ('prefix_rule(["a"], until="tomorrow")', "`until` is 'tomorrow'"),
        ('prefix_rule(["a"], uses=0)', "`uses` is 0"),
        ('prefix_rule(["a"], "forbidden", uses=1)', "`uses` on a rule that does not allow"),
        ('prefix_rule(["a", "b"], match=["a c"])', "example `a c` is not matched by pattern `a b`"),
        ('prefix_rule(["a"], not_match=[["a", "c"]])', "example `a c` is matched by pattern `a`"),
        ('prefix_rule(["a"], match="a")', "`match` is not a list"),
        ('host_executable("a/b", [])', "`name` is 'a/b'"),
        ('host_executable("a", ["b/a"])', "path `b/a` does not fit"),
        ('host_executable("a", ["/b"])', "path `/b` does not fit"),
        ('network_rule("*.a", "https", "deny")', "`host` is '*.a'"),
        ('network_rule("a", "ftp", "deny")', "`protocol` is 'ftp'"),
        ('network_rule("a", "https")', "`decision` is missing"),
        ('network_rule("a", "https", "maybe")', "`decision` is 'maybe'"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_cause(text: str, why: str) -> None:
    with pytest.raises(RuleError) as caught:
        load(f"# first\n\n{text}\n")
    assert caught.value.what == "cannot use the rules in a.rules:3"
    assert why in caught.value.why


def test_too_many_rules_are_refused() -> None:
    with pytest.raises(RuleError, match="more than 10000 rules"):
        load('prefix_rule(["a"])\n' * 10_001)

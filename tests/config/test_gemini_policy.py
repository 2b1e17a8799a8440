"""Policy files of Gemini CLI as rules."""

from __future__ import annotations

import pytest

from sandgate.config.gemini_policy import rules_of_gemini
from sandgate.config.imported_rules import Imported
from sandgate.errors import RuleError
from support.suite.rows import every


def taken(*rules: str) -> Imported:
    return rules_of_gemini("".join(f"[[rule]]\n{rule}\n" for rule in rules))


def test_a_priority_that_is_no_whole_number_is_refused() -> None:
    with pytest.raises(RuleError, match="priority"):
        taken('commandRegex = "s.*"\ndecision = "deny"\npriority = 1.5')


def said(found: Imported) -> list[tuple[str, str]]:
    return [(rule.shown_prefix, rule.decide) for rule in found.rules]


@every(
    "rule, rules, changed",
    [
        ('commandPrefix = "git status"\ndecision = "allow"', [("git status", "allow")], []),
        (
            'commandPrefix = ["git log", "git diff "]\ndecision = "allow"',
            [("git log", "allow"), ("git diff", "allow")],
            [],
        ),
        ('commandPrefix = "git"\ndecision = "allow"', [], ["left out"]),
        ('commandPrefix = "git"\ndecision = "ask_user"', [("git", "ask")], []),
        ('commandPrefix = "rm -rf"\ndecision = "deny"', [("rm -rf", "forbid")], []),
        ('commandRegex = "npm test"\ndecision = "allow"', [("npm test", "allow")], []),
        ('commandRegex = "npm (test|ci)"\ndecision = "allow"', [], ["left out"]),
        ('commandRegex = "git (commit|push)"\ndecision = "ask_user"', [("git", "ask")], ["wider"]),
        ('commandRegex = "rm -rf"\ndecision = "deny"', [("rm", "forbid")], ["wider"]),
        ("commandRegex = 'rm\\s+-rf'\ndecision = \"deny\"", [], ["lost"]),
        ('commandRegex = "git push|rm x y"\ndecision = "deny"', [], ["lost"]),
        ('commandRegex = "git pushx? y"\ndecision = "deny"', [("git", "forbid")], ["wider"]),
        ('toolName = "run_shell_command"\ndecision = "allow"', [], ["left out"]),
        ('toolName = "run_shell_command"\ndecision = "deny"', [], ["lost"]),
        ('toolName = "*"\ndecision = "ask_user"', [], ["lost"]),
        ('toolName = "write_file"\ndecision = "deny"', [], ["advice"]),
        ('mcpName = "x"\ntoolName = "*"\ndecision = "deny"', [], ["advice"]),
        ('commandPrefix = "make x"\ndecision = "allow"\nmodes = ["yolo"]', [], ["left out"]),
        ('commandPrefix = "make x"\ndecision = "allow"\nmodes = ["default", "yolo"]', [("make x", "allow")], []),
        ('commandPrefix = "make x"\ndecision = "deny"\nmodes = ["plan"]', [("make x", "forbid")], ["wider"]),
        ('commandPrefix = "make x"\ndecision = "allow"\ninteractive = true', [], ["left out"]),
        ('commandPrefix = "make x"\ndecision = "allow"\nsubagent = "a"', [], ["left out"]),
        ('commandPrefix = "make x"\ndecision = "allow"\nunheard = 1', [], ["left out"]),
        ('commandPrefix = "make x"\ndecision = "deny"\nargsPattern = "a"', [("make x", "forbid")], ["wider"]),
        ('commandPrefix = "make x"\ndecision = "allow"\nallowRedirection = true', [("make x", "allow")], ["advice"]),
    ],
)
def test_a_rule_is_taken_over_as_far_as_it_can_be_said(
    rule: str, rules: list[tuple[str, str]], changed: list[str]
) -> None:
    found = taken(rule)
    assert (said(found), [note.change for note in found.notes]) == (rules, changed)


def test_exceptions_from_a_general_refusal_stay_and_their_own_refusals_count() -> None:
    """The highest priority decides there; a lost rule takes away what it would have overruled, and only that."""
    found = taken(
        'commandPrefix = "make build"\ndecision = "allow"\npriority = 100',
        'toolName = "run_shell_command"\ndecision = "deny"\npriority = 50',
        'commandPrefix = "make test"\ndecision = "allow"\npriority = 10',
    )
    assert said(found) == [("make build", "allow")]


def test_the_message_of_a_refusal_is_kept() -> None:
    (rule,) = taken('commandPrefix = "rm"\ndecision = "deny"\ndenyMessage = "use\\ntrash"').rules
    assert rule.because == "use trash"


@pytest.mark.parametrize(
    "text",
    [
        "= x",
        "rule = 1",
        "[[rule]]\ndecision = 'maybe'",
        "[[rule]]\ncommandPrefix = 'a'",
        "[[rule]]\ndecision = 'deny'\ncommandPrefix = 1",
        "[[rule]]\ndecision = 'deny'\ncommandRegex = 1",
    ],
)
def test_what_is_no_policy_is_an_error(text: str) -> None:
    with pytest.raises(RuleError, match="cannot take over the policy"):
        rules_of_gemini(text)


def test_tables_that_are_no_rules_are_reported() -> None:
    assert [note.entry for note in rules_of_gemini("[[safety_checker]]\nx = 1").notes] == ["safety_checker"]

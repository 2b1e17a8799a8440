"""Permissions of Claude Code as rules."""

from __future__ import annotations

import json

import pytest

from sandgate.config.claude_settings import rules_of_claude
from sandgate.config.imported_rules import Imported
from sandgate.errors import RuleError
from sandgate.policy.rules import RuleSet


def taken(allow: tuple[str, ...] = (), ask: tuple[str, ...] = (), deny: tuple[str, ...] = ()) -> Imported:
    return rules_of_claude(json.dumps({"permissions": {"allow": allow, "ask": ask, "deny": deny}}))


def said(found: Imported) -> list[tuple[str, str, bool]]:
    return [(rule.shown_prefix, rule.decide, rule.exact) for rule in found.rules]


def changes(found: Imported) -> list[tuple[str, str]]:
    return [(note.entry, note.change) for note in found.notes]


@pytest.mark.parametrize(
    ("entry", "rule"),
    [
        ("Bash(git diff:*)", ("git diff", "allow", False)),
        ("Bash(git diff *)", ("git diff", "allow", False)),
        ("Bash(npm run test)", ("npm run test", "allow", True)),
        ("Bash(ls*)", ("ls", "allow", False)),
    ],
)
def test_a_pattern_of_whole_words_is_a_rule(entry: str, rule: tuple[str, str, bool]) -> None:
    assert said(taken(allow=(entry,))) == [rule]


@pytest.mark.parametrize(
    "entry",
    [
        "Bash",
        "Bash(*)",
        "Bash(:*)",
        "Bash()",
        "Bash(git * main)",
        "Bash(* --version)",
        "Bash(git:*)",
        "Bash(sudo:*)",
        "Bash(python -c:*)",
        "Bash(cd x && ls)",
        "Bash(A=1 make:*)",
        "Bash(make $X)",
        "Bash(make",
    ],
)
def test_a_pattern_that_cannot_be_said_is_not_allowed(entry: str) -> None:
    found = taken(allow=(entry,))
    assert (found.rules, changes(found)) == ((), [(f"allow: {entry}", "left out")])


@pytest.mark.parametrize(
    ("entry", "rules", "changed"),
    [
        ("Bash(rm:*)", [("rm", "forbid", False)], []),
        ("Bash(rm)", [("rm", "forbid", True)], []),
        ("Bash(rm -rf*)", [("rm", "forbid", False)], ["wider"]),
        ("Bash(git push *--force*)", [("git push", "forbid", False)], ["wider"]),
        ("Bash(curl * | sh)", [("curl", "forbid", False)], ["wider"]),
        ("Bash(sudo:*)", [("sudo", "forbid", False)], []),
        ("Bash(rm*)", [], ["lost"]),
        ("Bash(* --force)", [], ["lost"]),
        ("Bash", [], ["lost"]),
        ("Read(./.env)", [], ["lost"]),
        ("*", [], ["lost"]),
        ("mcp__x__*", [], ["advice"]),
    ],
)
def test_what_was_denied_is_forbidden_or_reported(
    entry: str, rules: list[tuple[str, str, bool]], changed: list[str]
) -> None:
    found = taken(deny=(entry,))
    assert (said(found), [change for _, change in changes(found)]) == (rules, changed)


def test_nothing_that_was_denied_runs_by_an_imported_rule() -> None:
    """Required: for every command the other agent would hold back, no rule taken over allows it."""
    allow = ("Bash(git push:*)", "Bash(kubectl get:*)", "Bash(cat:*)", "Bash(npm run build:*)", "Bash(rm -rf build)")
    deny = ("Bash(git push *--force*)", "Bash(kub*)", "Read(.env)", "Bash(rm*)")
    found = taken(allow=allow, deny=deny)
    rules = RuleSet(found.rules)
    for line in ("git push origin --force", "kubectl get secrets", "cat .env", "rm -rf build"):
        matching = rules.matching(tuple(line.split()))
        assert not matching or any(rule.decide == "forbid" for rule in matching), line
    assert [rule.decide for rule in rules.matching(("npm", "run", "build"))] == ["allow"]


def test_other_tools_and_settings_are_reported_with_what_is_nearest() -> None:
    text = json.dumps(
        {
            "permissions": {
                "allow": ["Read(~/x)", "Edit(src/**)", "WebFetch(domain:a.example)", "mcp__github__get_x", "WebSearch"],
                "deny": ["WebFetch(domain:b.example)"],
                "defaultMode": "bypassPermissions",
                "additionalDirectories": ["../docs"],
                "disableBypassPermissionsMode": "disable",
            },
            "hooks": {},
        }
    )
    found = rules_of_claude(text)
    assert (found.rules, [rule.host for rule in found.network]) == ((), ["b.example"])
    why = {note.entry: note.why for note in found.notes}
    assert "secrets.hidden" in why["allow: Read(~/x)"]
    assert "additional_writable_roots" in why["allow: Edit(src/**)"]
    assert "additional_writable_roots" in why["additionalDirectories: ../docs"]
    assert "nothing here switches" in why["defaultMode: bypassPermissions"]
    assert {"allow: WebFetch(domain:a.example)", "allow: mcp__github__get_x", "hooks"} < why.keys()
    assert len(found.notes) == 10


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"permissions": []}', '{"permissions": {"allow": "Bash"}}', '{"permissions": {"deny": [1]}}'],
)
def test_what_are_no_settings_is_an_error(text: str) -> None:
    with pytest.raises(RuleError, match="cannot take over the settings"):
        rules_of_claude(text)


def test_settings_without_permissions_come_to_nothing() -> None:
    assert rules_of_claude("{}") == Imported((), (), ())

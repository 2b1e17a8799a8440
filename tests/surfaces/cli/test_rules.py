"""`sandgate rules list`, `check` and `test`."""

from __future__ import annotations

import json
import os

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

RULES = """
prefix_rule(
    pattern = ["git", ["status", "log"]],
    justification = "only reads",
    match = ["git log -3"],
    not_match = ["git push"],
)
prefix_rule(["git", "push"], "prompt", justification = "others see it")
prefix_rule(["make"], uses = 2, until = "2999-01-01T00:00:00Z")
prefix_rule(["old"], until = "2001-01-01T00:00:00Z")
network_rule("evil.example", "https", "deny")
network_rule("fine.example", "https", "allow")
"""


@pytest.fixture
def file(program: Any) -> Path:
    rules: Path = program.home / ".sandgate" / "rules"
    rules.mkdir(parents=True)
    (rules / "a.rules").write_text(RULES)
    return rules / "a.rules"


def test_the_list_says_whose_rule_where_what_and_what_is_left_of_it(program: Any, file: Path) -> None:
    assert program("rules", "list") == 0
    assert program.out.splitlines() == [
        f"user  {file}:2  allow  git status|log  # only reads",
        f"user  {file}:8  ask  git push  # others see it",
        f"user  {file}:9  allow  make  (until 2999-01-01T00:00:00Z, 2 of 2 uses left)",
        f"user  {file}:10  allow  old  (until 2001-01-01T00:00:00Z, no longer in force)",
        f"user  {file}:11  forbid  host evil.example (https)",
        f"user  {file}:12  allow  host fine.example (https)",
    ]
    assert "opens nothing yet" in program.err


def test_the_list_as_json_has_the_lineages_words(program: Any, file: Path) -> None:
    assert program("rules", "list", "--json") == 0
    rules = json.loads(program.out)["rules"]
    assert [rule["decision"] for rule in rules] == ["allow", "prompt", "allow", "allow", "forbidden", "allow"]
    assert rules[0] == {
        "layer": "user",
        "file": str(file),
        "line": 2,
        "decision": "allow",
        "justification": "only reads",
        "pattern": ["git", ["status", "log"]],
        "exact": False,
        "sandbox": "keep",
        "until": None,
        "uses": None,
        "uses_left": None,
        "same_content": [],
        "in_force": True,
        "examples": 2,
    }
    assert [rule.get("in_force") for rule in rules] == [True, True, True, False, None, None]
    assert rules[4]["host"] == "evil.example"


def test_a_rule_cannot_forge_a_line_of_the_list(program: Any, file: Path) -> None:
    file.write_text('prefix_rule(["a\\nsystem  b"], justification="\\x1b[31mred\\nline")')
    assert program("rules", "list") == 0
    assert len(program.out.splitlines()) == 1
    assert "\x1b" not in program.out


def test_without_rules_the_list_says_so(program: Any) -> None:
    assert program("rules", "list") == 0
    assert (program.out, "there are no rules" in program.err) == ("", True)


@pytest.mark.parametrize(
    ("command", "code", "found"),
    [
        (("git", "log"), 0, [{"prefixRuleMatch": {"matchedPrefix": ["git", "log"], "decision": "allow",
                                                  "justification": "only reads"}}]),
        (("/usr/bin/git", "push"), 3, [{"prefixRuleMatch": {"matchedPrefix": ["git", "push"], "decision": "prompt",
                                        "resolvedProgram": "/usr/bin/git", "justification": "others see it"}}]),
        (("touch", "x"), 3, [{"heuristicsRuleMatch": {"command": ["touch", "x"], "decision": "prompt"}}]),
        (("curl", "https://evil.example"), 4, [{"networkRuleMatch": {"host": "evil.example", "decision": "forbidden",
                                                "justification": "the host `evil.example` is forbidden"}}]),
        (("timeout", "5", "git", "push"), 3, [{"prefixRuleMatch": {"matchedPrefix": ["git", "push"],
                                               "decision": "prompt", "justification": "others see it"}}]),
        (("old",), 3, [{"heuristicsRuleMatch": {"command": ["old"], "decision": "prompt"}}]),
    ],
    ids=["allow", "prompt", "heuristics", "host", "inside", "ended"],
)  # fmt: skip
@pytest.mark.usefixtures("file")
def test_a_check_answers_in_the_lineages_shape(
    program: Any, command: tuple[str, ...], code: int, found: list[dict[str, Any]]
) -> None:
    assert program("rules", "check", "--json", "-a", "untrusted", "--", *command) == code
    words = {0: "allow", 3: "prompt", 4: "forbidden"}
    assert json.loads(program.out) == {"matchedRules": found, "decision": words[code]}


def test_a_rule_that_stops_before_what_is_started_is_named_as_the_reason_for_the_question(
    program: Any, file: Path
) -> None:
    """Required: the answer is "ask", so what stands below says why, and advises only what works."""
    file.write_text('prefix_rule(pattern=["env"], decision="allow")\n')
    assert program("rules", "check", "-a", "untrusted", "--", "env", "npm", "install") == 3
    reason = f"rule `env` in {file}:1 does not count, as it ends before the program that `env` starts"
    assert program.out.splitlines() == [
        "decision: ask",
        f"  ask: env npm install (no rule: policy untrusted: not known to only read; {reason})",
    ]
    assert program("check", "-a", "untrusted", "--", "env", "npm", "install") == 3
    assert reason in program.out
    advice = "sandgate rules add -- env npm install"
    assert f"to have it allowed: {advice}" in program.out
    assert program(*advice.split()[1:]) == 0
    assert program("rules", "check", "-a", "untrusted", "--", "env", "npm", "install") == 0
    assert program("rules", "check", "-a", "untrusted", "--", "env") == 0


def test_no_rule_is_advised_where_rules_do_not_hold(program: Any) -> None:
    assert program("check", "-a", "untrusted", "-c", "rules.enabled=false", "--", "npm", "install") == 3
    assert "rules add" not in program.out


def test_a_check_reads_every_segment_and_names_the_file(program: Any, file: Path) -> None:
    assert program("rules", "check", "-a", "untrusted", "--", "bash", "-lc", "git log && git push && ls") == 3
    assert program.out.splitlines() == [
        "decision: ask",
        f"  allow: git log (rule `git log` in {file}:2: only reads)",
        f"  ask: git push (rule `git push` in {file}:8: others see it)",
        "  allow: ls (no rule: only reads)",
    ]


def test_the_examples_of_every_file_are_counted(program: Any, file: Path) -> None:
    (file.parent / "b.toml").write_text('[[rule]]\nprefix = ["a"]\nmatch = ["a b"]\n')
    assert program("rules", "test") == 0
    assert program.out.splitlines() == [
        f"ok: {file}: 6 rules, 2 examples",
        f"ok: {file.parent / 'b.toml'}: 1 rule, 1 example",
    ]


def test_an_example_that_fails_is_named_with_its_line_and_the_other_files_are_tested_too(program: Any) -> None:
    (program.repo / "bad.rules").write_text('\nprefix_rule(["a"],\n  match=["b"])\n')
    (program.repo / "good.rules").write_text('x = "a"\nprefix_rule([x], match=[x])\n')
    assert program("rules", "test", "bad.rules", "good.rules", "missing.rules", "/dev/null") == 1
    assert program.out == "ok: good.rules: 1 rule, 1 example\n"
    bad, missing, null = (line for line in program.err.splitlines() if "hint" not in line)
    assert f"{program.repo}/bad.rules:2: example `b` is not matched by pattern `a`" in bad
    assert "cannot use `missing.rules`: there is no rules file of that name" in missing
    assert "/dev/null" in null


def test_a_command_where_files_are_wanted_is_answered_once_with_the_line_that_tries_it(program: Any) -> None:
    assert program("rules", "test", "--", "git", "push", "--force") == 2
    assert program.err.splitlines() == [
        "sandgate: `git` is no rules file, which `sandgate rules test` takes",
        "sandgate: hint: what the rules say of a command: sandgate rules check -- git push --force",
    ]


def test_a_broken_file_stops_the_list_and_the_check_with_its_line(program: Any, file: Path) -> None:
    file.write_text("\nprefix_rule(")
    for deed in (("list",), ("check", "--", "ls")):
        assert program("rules", *deed) == 78
        assert f"{file}:2" in program.err


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("check",),
        ("check", "git"),
        ("check", "--"),
        ("add",),
        ("import", "x", "y"),
        ("list", "x"),
        ("list", "--uses", "3"),
        ("add", "--json", "--", "make", "x"),
        ("check", "--write", "--", "x"),
    ],
)
def test_bad_usage_is_said_and_nothing_is_written(program: Any, arguments: tuple[str, ...]) -> None:
    assert program("rules", *arguments) == 2
    assert not os.path.lexists(program.home / ".sandgate")


@pytest.mark.host("namespace")
def test_a_rule_that_has_ended_does_not_run_what_it_allowed(program: Any, file: Path) -> None:
    """Required: neither by `run` nor in what `check` foretells."""
    file.write_text('prefix_rule(["touch"], until="2001-01-01T00:00:00Z")\n')
    assert program("check", "-a", "untrusted", "--", "touch", "x") == 3
    assert program("run", "-a", "untrusted", "--", "touch", "x") == 77
    file.write_text('prefix_rule(["touch"], until="2999-01-01T00:00:00Z")\n')
    assert program("check", "-a", "untrusted", "--", "touch", "x") == 0


@pytest.mark.host("namespace")
def test_a_rule_for_one_use_does_not_let_a_line_with_two_pass(program: Any, file: Path) -> None:
    """Required: `rules check`, `check` and `run` agree, and a refusal uses nothing."""
    file.write_text('prefix_rule(["touch"], uses=1)\n')
    policy, line = ("-s", "workspace-write", "-a", "untrusted"), ("bash", "-c", "touch x; touch x")
    assert program("rules", "check", *policy, "--", *line) == 3
    assert "rule `touch` in " in program.out
    assert "oftener than it still holds" in program.out
    assert program("check", *policy, "--", *line) == 3
    assert program("run", *policy, "--", *line) == 77
    assert list(program.repo.iterdir()) == []
    assert program("run", *policy, "--", "touch", "x") == 0
    assert program("rules", "check", *policy, "--", "touch", "x") == 3


@pytest.mark.host("namespace")
def test_a_rule_for_one_use_runs_one_command(program: Any, file: Path) -> None:
    file.write_text('prefix_rule(["touch"], uses=1)\n')
    codes = [program("run", "-s", "workspace-write", "-a", "untrusted", "--", "touch", "x") for _ in range(2)]
    assert codes == [0, 77]
    assert program("rules", "list") == 0
    assert "0 of 1 uses left, no longer in force" in program.out
    assert program("check", "-a", "untrusted", "--", "touch", "x") == 3


def test_a_rule_that_allows_too_much_is_told_wherever_rules_are_looked_at(program: Any) -> None:
    """Required: `rules add` refuses it; in a file it may stand, and is never silent."""
    rules = program.home / ".sandgate" / "rules"
    rules.mkdir(parents=True)
    (rules / "team.toml").write_text('[[rule]]\nprefix = ["python3"]\ndecide = "allow"\n')
    (rules / "team.rules").write_text('prefix_rule(pattern=["node", "-e"], decision="allow")\n')
    for words in (("rules", "list"), ("rules", "test"), ("rules", "check", "--", "ls"), ("doctor",)):
        program(*words)
        told = program.out + program.err
        assert "team.toml: rule 1 (line 1) allows more than it says" in told, words
        assert "`python3 -c CODE` runs unasked" in told, words
        assert "team.rules:1 allows more than it says" in told, words


def test_a_file_can_be_checked_by_its_name(program: Any, file: Path) -> None:
    assert (program("rules", "check", str(file)), program.out) == (0, f"ok: {file}: 6 rules, 2 examples\n")
    file.write_text('prefix_rule(["a"], match = ["b"])\n')
    assert program("rules", "check", str(file)) == 1

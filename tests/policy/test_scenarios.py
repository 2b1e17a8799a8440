"""The acceptance scenarios that concern commands, at the level of the verdict.

What happens after the verdict (runs, denials, retries, prompts) is in tests/gate and tests/journeys. Where the
specification speaks of amendments, only the verdict is compared here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sandgate.commandline.words import split
from sandgate.policy.approval import conclude, judge, may_ask_after_denial, verdict_for
from sandgate.policy.rules import HostExecutable, Rule, RuleSet
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import (
    DangerFullAccess,
    ExternalSandbox,
    Granular,
    ReadOnly,
    SandboxPolicy,
    WorkspaceWrite,
)
from sandgate.protocol.verdicts import Allow, Ask, Forbid, Verdict
from support.suite.rows import every

if TYPE_CHECKING:
    from sandgate.protocol.permissions import ApprovalPolicy
    from sandgate.protocol.verdicts import RuleDecision

DFA, RO, WW, EXT = DangerFullAccess(), ReadOnly(), WorkspaceWrite(), ExternalSandbox()
WRITE_OUTSIDE = "bash -lc 'echo hi > /var/out.txt'"
WRITE_INSIDE = "bash -lc 'echo hi > out.txt'"
FETCH = "curl -sS http://127.0.0.1:8080/"
HERE_DOCUMENT = "bash -lc 'python3 <<\"PY\"\nprint(1)\nPY'"
CHAIN = "bash -lc 'cat L && curl https://x -o setup.sh && bash setup.sh'"


def rule(prefix: str, decide: RuleDecision, because: str = "", *, bypass: bool = False) -> Rule:
    places = tuple((token,) for token in prefix.split())
    return Rule(places, decide, because, "bypass" if bypass else "keep")


def scenario(
    policy: ApprovalPolicy, sandbox: SandboxPolicy, line: str, *rules: Rule, esc: bool = False, tty: bool = False
) -> Verdict:
    argv = split(line)
    assert argv is not None
    command = CommandRequest(argv, "/repo", {}, wish="require_escalated" if esc else "use_default", tty=tty)
    return verdict_for(command, policy=policy, sandbox=sandbox, rules=RuleSet(rules))


ROWS: list[tuple[int, ApprovalPolicy, SandboxPolicy, str, bool, str]] = [
    (1, "on-request", DFA, WRITE_OUTSIDE, False, "run"),
    (2, "on-request", DFA, FETCH, False, "run"),
    (3, "untrusted", DFA, "echo x", False, "run"),
    (4, "untrusted", DFA, WRITE_OUTSIDE, False, "ask"),
    (5, "untrusted", WW, "bash -lc 'cat < \"hello\" > /var/test.txt'", False, "ask"),
    (6, "on-request", WW, "bash -lc 'cat < \"hello\" > /var/test.txt'", True, "ask"),
    (7, "on-failure", DFA, WRITE_OUTSIDE, False, "run"),
    (8, "never", DFA, WRITE_OUTSIDE, False, "run"),
    (9, "on-request", RO, WRITE_INSIDE, True, "ask"),
    (10, "on-request", RO, WRITE_INSIDE, True, "ask"),
    (11, "on-request", RO, "echo x", False, "run"),
    (12, "on-request", RO, FETCH, False, "run"),
    (13, "on-request", RO, FETCH, True, "ask"),
    (14, "on-failure", RO, WRITE_INSIDE, False, "run"),
    (15, "untrusted", RO, WRITE_INSIDE, False, "ask"),
    (16, "never", RO, WRITE_INSIDE, False, "run"),
    (17, "never", RO, "echo x", False, "run"),
    (18, "on-request", WW, WRITE_INSIDE, False, "run"),
    (19, "on-request", WW, FETCH, False, "run"),
    (20, "on-request", WW.but(network_access=True), FETCH, False, "run"),
    (21, "on-request", WW, WRITE_OUTSIDE, True, "ask"),
    (22, "on-failure", WW, WRITE_OUTSIDE, False, "run"),
    (23, "untrusted", WW, WRITE_OUTSIDE, False, "ask"),
    (24, "never", WW, WRITE_OUTSIDE, False, "run"),
    (33, "on-request", DFA, "echo hi", False, "run"),
    (34, "on-request", RO, "python3", True, "ask"),
    (35, "untrusted", DFA, "git reset --hard", False, "ask"),
    (36, "on-request", WW, "bash -lc 'cat <<\"EOF\" > /tmp/out.txt\nhi\nEOF'", True, "ask"),
    (37, "on-request", WW, "bash -lc 'cat ./one.txt && touch ./two.txt'", True, "ask"),
    (38, "on-request", DFA, "rm -rf /tmp/none", False, "ask"),
    (39, "never", RO, "rm -rf /important", False, "forbid: rejected: blocked by policy"),
    (40, "never", EXT, "rm -rf /tmp/none", False, "run"),
    (47, "untrusted", RO, HERE_DOCUMENT, False, "ask"),
    (48, "untrusted", RO, "bash -lc 'cargo build && echo ok'", False, "ask"),
    (52, "on-request", RO, "cargo install x", True, "ask"),
    (53, "on-request", DFA, "bash -lc 'cargo install x && rm -rf /tmp/y'", True, "ask"),
    (54, "untrusted", RO, "python -c 'print(1)'", False, "ask"),
    (60, "untrusted", RO, "touch a", False, "ask"),
    (63, "never", RO, "cat x", True, "forbid: reject command"),
    (63, "untrusted", WW, "cat x", True, "forbid: reject command"),
    (63, "on-failure", DFA, "cat x", True, "forbid: reject command"),
    (63, Granular(True, True, True), EXT, "cat x", True, "forbid: reject command"),
    (64, "untrusted", RO, "bash -lc ''", False, "ask"),
    (64, "untrusted", RO, "bash -lc '  \n '", False, "ask"),
    (66, "on-failure", RO, "sleep 60", False, "run"),
    (67, "on-failure", RO, "false", False, "run"),
    (68, "on-failure", RO, "touch a", False, "run"),
    (69, "on-failure", RO, "touch b", False, "run"),
    (70, "on-request", WW, "rm -rf x", False, "ask"),
]


def reached(verdict: Verdict) -> str:
    match verdict:
        case Allow():
            return "run"
        case Ask():
            return "ask"
        case Forbid(reason=reason):
            return f"forbid: {reason}"


@every("number, policy, sandbox, line, esc, expected", ROWS)
def test_the_verdict_is_the_one_of_the_table(
    number: int, policy: ApprovalPolicy, sandbox: SandboxPolicy, line: str, esc: bool, expected: str
) -> None:
    outcome = reached(scenario(policy, sandbox, line, esc=esc))
    kind, _, text = expected.partition(": ")
    assert outcome.startswith(kind), number
    assert text in outcome


def test_what_is_asked_after_a_denial_in_the_table() -> None:
    """Rows 14, 22: on-failure asks; 15, 23: untrusted may; 16, 24: never; 12, 19, 70: on-request tells the model."""
    assert [may_ask_after_denial(policy) for policy in ("on-failure", "untrusted", "never", "on-request")] == [
        True,
        True,
        False,
        False,
    ]


def test_41_a_rule_that_asks_is_a_refusal_under_never() -> None:
    verdict = scenario("never", EXT, "rm -rf /tmp/none", rule("rm", "ask"))
    assert isinstance(verdict, Forbid)
    assert "nobody may be asked" in verdict.reason


def test_42_a_forbidden_prefix_is_seen_inside_a_shell() -> None:
    verdict = scenario("on-request", DFA, "bash -lc 'rm -rf /some'", rule("rm", "forbid"))
    assert isinstance(verdict, Forbid)
    assert "`rm`" in verdict.reason


def test_43_a_refusal_carries_the_reason_of_its_rule() -> None:
    verdict = scenario("on-request", DFA, "rm -rf /some", rule("rm", "forbid", "use trash instead"))
    assert isinstance(verdict, Forbid)
    assert "use trash instead" in verdict.reason


def test_44_a_rule_that_asks_names_the_command() -> None:
    verdict = scenario("on-request", DFA, "rm", rule("rm", "ask"))
    assert isinstance(verdict, Ask)
    assert verdict.reason == "`rm` requires approval by policy"


def test_45_and_asks_nobody_under_never() -> None:
    assert isinstance(scenario("never", DFA, "rm", rule("rm", "ask")), Forbid)


def test_46_a_here_document_may_be_allowed_by_rule() -> None:
    verdict = scenario("on-request", RO, HERE_DOCUMENT, rule("python3", "allow", bypass=True))
    assert isinstance(verdict, Allow)
    assert verdict.bypass_sandbox


def test_49_one_allowed_segment_does_not_cover_the_next() -> None:
    assert isinstance(scenario("untrusted", DFA, "bash -lc 'apple | orange'", rule("apple", "allow")), Ask)


@pytest.mark.parametrize("policy", ["on-request", "never"])
def test_50_all_segments_must_be_allowed_to_leave_the_sandbox(policy: ApprovalPolicy) -> None:
    verdict = scenario(policy, WW, CHAIN, rule("cat", "allow", bypass=True))
    assert isinstance(verdict, Allow)
    assert not verdict.bypass_sandbox


def test_51_and_then_they_do() -> None:
    rules = [rule(name, "allow", bypass=True) for name in ("cat", "curl", "bash")]
    verdict = scenario("on-request", RO, CHAIN, *rules)
    assert isinstance(verdict, Allow)
    assert verdict.bypass_sandbox


def test_55_a_prompt_of_the_sandbox_class_can_be_switched_off() -> None:
    """The escalation wish itself is refused earlier (row 63), so the table is asked directly."""
    policy = Granular(sandbox_approval=False, rules=True, mcp_elicitations=True)
    verdict = conclude(judge(("touch", "x"), policy=policy, sandbox=RO, wish="require_escalated"), policy)
    assert isinstance(verdict, Forbid)
    assert "sandbox_approval" in verdict.reason


def test_56_57_a_prompt_of_the_rules_class_can_be_switched_off() -> None:
    line = "bash -lc 'git status && x'"
    off = scenario(Granular(True, False, True), RO, line, rule("git", "ask"))
    assert isinstance(off, Forbid)
    assert "rules" in off.reason
    assert isinstance(scenario(Granular(True, True, True), RO, line, rule("git", "ask")), Ask)


@pytest.mark.parametrize(("decide", "path", "expected"), [("allow", "/usr/bin/git", Allow), ("ask", "/opt/x/git", Ask)])
def test_58_59_a_path_needs_the_hosts_word(decide: RuleDecision, path: str, expected: type[Verdict]) -> None:
    """Row 59 differs from the lineage: a path outside the system directories is not on the safe list."""
    rules = RuleSet((rule("git", decide, bypass=decide == "allow"),), (HostExecutable("git", ("/usr/bin/git",)),))
    verdict = verdict_for(CommandRequest((path, "status"), "/", {}), policy="untrusted", sandbox=RO, rules=rules)
    assert isinstance(verdict, expected)
    assert getattr(verdict, "bypass_sandbox", False) is (decide == "allow")


def test_60_once_allowed_by_rule_it_runs_unasked() -> None:
    verdict = scenario("untrusted", RO, "touch a", rule("touch a", "allow", bypass=True))
    assert isinstance(verdict, Allow)
    assert verdict.bypass_sandbox


def test_61_a_rule_for_one_file_says_nothing_about_another() -> None:
    verdict = scenario("untrusted", WW, "bash -lc 'touch ./t && rm ./t'", rule("touch allow.txt", "allow"))
    assert isinstance(verdict, Ask)

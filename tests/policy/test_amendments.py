"""The rule that is offered with a question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.commandline.words import split
from sandgate.policy.amendment_bans import why_banned
from sandgate.policy.amendments import proposed_amendment, rule_line, rule_of
from sandgate.policy.approval import verdict_for
from sandgate.policy.rules import Rule, RuleSet
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import Amendment
from sandgate.protocol.permissions import DangerFullAccess, ReadOnly, SandboxPolicy, WorkspaceWrite
from sandgate.protocol.verdicts import Allow

if TYPE_CHECKING:
    from sandgate.protocol.permissions import ApprovalPolicy

DFA, RO, WW = DangerFullAccess(), ReadOnly(), WorkspaceWrite()


def command(line: str, *, esc: bool = False, wished: str = "", path: str = "/usr/bin:/bin") -> CommandRequest:
    argv = split(line)
    assert argv is not None
    wish: Any = "require_escalated" if esc else "use_default"
    return CommandRequest(argv, "/repo", {"PATH": path}, wish=wish, prefix_rule=tuple(wished.split()))


def rule(prefix: str, decide: Any = "allow") -> Rule:
    return Rule(tuple((word,) for word in prefix.split()), decide)


HERE_DOCUMENT = "bash -lc 'python3 <<\"PY\"\nprint(1)\nPY'"
SCENARIOS: list[tuple[int, ApprovalPolicy, SandboxPolicy, CommandRequest, tuple[Rule, ...], str | None]] = [
    (38, "on-request", DFA, command("rm -rf /tmp/none"), (), "rm -rf /tmp/none"),
    (44, "on-request", DFA, command("rm x"), (rule("rm", "ask"),), None),
    (47, "untrusted", RO, command(HERE_DOCUMENT), (), None),
    (48, "untrusted", RO, command("bash -lc 'cargo build && echo ok'"), (), "cargo build"),
    (49, "untrusted", DFA, command("bash -lc 'apple | orange'"), (rule("apple"),), "orange"),
    (52, "on-request", RO, command("cargo install x", esc=True, wished="cargo install"), (), "cargo install"),
    (
        53, "on-request", DFA,
        command("bash -lc 'cargo install x && rm -rf /tmp/y'", esc=True, wished="cargo install"), (), "rm -rf /tmp/y",
    ),
    (54, "untrusted", RO, command("python -c 'print(1)'", wished="python -c"), (), "python -c print(1)"),
    (60, "untrusted", RO, command("touch a"), (), "touch a"),
    (64, "untrusted", RO, command("bash -lc ''"), (), "bash -lc "),
]  # fmt: skip


@pytest.mark.parametrize(("number", "policy", "sandbox", "asked", "rules", "prefix"), SCENARIOS)
def test_scenario(
    number: int,
    policy: ApprovalPolicy,
    sandbox: SandboxPolicy,
    asked: CommandRequest,
    rules: tuple[Rule, ...],
    prefix: str | None,
) -> None:
    found = proposed_amendment(asked, policy=policy, sandbox=sandbox, rules=RuleSet(rules))
    assert (None if found is None else " ".join(found.prefix)) == prefix, number


@pytest.mark.parametrize(
    "line",
    [
        "bash -lc 'for x in 1 2; do touch $x; done'",
        "bash -lc 'touch *.txt'",
        "bash -lc 'touch $HOME/x'",
        "bash -lc 'make > out'",
        "find . -delete",
        "ssh host ls",
        "touch 'a\nb'",
        "bash",
    ],
)
def test_nothing_is_offered_where_the_words_do_not_say_what_would_run(line: str) -> None:
    assert proposed_amendment(command(line), policy="untrusted", sandbox=WW) is None


def test_what_leaves_the_sandbox_is_saved_as_such_and_only_where_the_name_is_certain() -> None:
    """Required: the person is told, and a planted program of that name profits from nothing."""
    asked = command("cargo install x", esc=True)
    assert proposed_amendment(asked, policy="on-request", sandbox=WW) == Amendment(("cargo", "install", "x"), "bypass")
    planted = command("cargo install x", esc=True, path="/repo/bin:/usr/bin")
    assert proposed_amendment(planted, policy="on-request", sandbox=WW) is None


@pytest.mark.parametrize("wished", ["git", "rm -rf", "touch b", "bash -lc", "cargo"])
def test_a_wish_that_is_too_wide_or_does_not_fit_is_replaced_by_the_words_themselves(wished: str) -> None:
    found = proposed_amendment(command("rm -rf a", esc=True, wished=wished), policy="on-request", sandbox=WW)
    assert found == Amendment(("rm", "-rf", "a"), "bypass", exact=True)


def test_what_is_dangerous_is_allowed_as_it_stands_and_with_nothing_behind_it() -> None:
    """Required: a yes to `rm -rf build` is none to `rm -rf build /home`."""
    asked = command("rm -rf build")
    found = proposed_amendment(asked, policy="untrusted", sandbox=WW)
    assert found == Amendment(("rm", "-rf", "build"), exact=True)
    assert rule_line(found) == 'prefix_rule(pattern=["rm", "-rf", "build"], decision="allow", exact=True)'
    rules = RuleSet((rule_of(found),))
    more = command("rm -rf build /home/u")
    assert isinstance(verdict_for(asked, policy="untrusted", sandbox=WW, rules=rules), Allow)
    assert not isinstance(verdict_for(more, policy="untrusted", sandbox=WW, rules=rules), Allow)


def test_the_line_is_the_lineages_and_ours_only_where_it_must() -> None:
    assert rule_line(Amendment(("git", "push"))) == 'prefix_rule(pattern=["git", "push"], decision="allow")'
    full = Amendment(("a", 'say "hi" \\'), "bypass", "2030-01-01T00:00:00Z", 3)
    assert rule_line(full) == (
        'prefix_rule(pattern=["a", "say \\"hi\\" \\\\"], decision="allow", sandbox="bypass", '
        'until="2030-01-01T00:00:00Z", uses=3)'
    )


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=8), min_size=1, max_size=4))
def test_the_line_reads_back_as_the_same_words(words: list[str]) -> None:
    from ast import literal_eval

    if why_banned(tuple(words)):
        return
    line = rule_line(Amendment(tuple(words)))
    assert "\n" not in line
    assert literal_eval(line.partition("pattern=")[2].rpartition(", decision=")[0]) == words


WORDS = st.sampled_from(
    ("git", "push", "make", "touch", "a", "-c", "python", "rm", "-rf", "x y", "cargo", "sudo", "env", "A=1")
)


@given(st.lists(WORDS, min_size=1, max_size=4), st.sampled_from(("untrusted", "on-request")), st.booleans())
def test_what_is_offered_is_never_banned_and_always_helps(words: list[str], policy: Any, script: bool) -> None:
    asked = CommandRequest(("bash", "-c", " ".join(words)) if script else tuple(words), "/repo", {})
    found = proposed_amendment(asked, policy=policy, sandbox=WW)
    if found is None:
        return
    assert why_banned(found.prefix) == ""
    then = verdict_for(asked, policy=policy, sandbox=WW, rules=RuleSet((rule_of(found),)))
    assert isinstance(then, Allow)
    assert not then.bypass_sandbox

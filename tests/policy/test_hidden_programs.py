"""A rule is not passed by putting its words somewhere else."""

from __future__ import annotations

import pytest

from sandgate.policy.approval import NOBODY, verdict_for
from sandgate.policy.hidden_programs import SEARCHED_CHARACTERS_MAX, TOO_LONG
from sandgate.policy.rules.model import Rule, RuleSet
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import WorkspaceWrite
from sandgate.protocol.verdicts import Allow, Ask, Forbid, Verdict
from support.command.assessing import ENVIRONMENT, PROJECT
from support.suite.rows import every

NO_LS = Rule((("ls",),), "forbid", "no looking")
NO_PUSH = Rule((("git",), ("push",)), "ask")


def verdict(script: str, *rules: Rule, policy: str = "on-request", shell: str = "bash") -> Verdict:
    request = CommandRequest((shell, "-lc", script), PROJECT, ENVIRONMENT)
    return verdict_for(request, policy=policy, sandbox=WorkspaceWrite(), rules=RuleSet(rules))  # type: ignore[arg-type]  # a policy's name


KNOWN = [
    "l=ls; $l", "echo ls | sh", "bash <<E\nls\nE", "bash <<< ls", "$(printf ls)", 'set -- ls; "$@"', "${x:-ls}",
    "f() { ls; }; f", "alias q=ls; q", 'x=ls; eval "$x"', "printf 'ls' | bash", "x=ls; bash -c \"$x\"",
    "x=ls sh -c '$x'", "bash -c '\"$@\"' _ ls", "sh -c '$0' ls", "x=ls; timeout 5 sudo $x", "x=ls; find . -exec $x",
    "echo 'x=ls; $x' | bash", "echo ls | xargs env", "x=ls; trap $x EXIT", "$SHELL -c ls", "timeout 5 bash <<< ls",
    "sudo -u x -- bash -lc 'x=ls; $x'", "x=ls; PAGER=$x man y", "echo ls > a; sh a", "x=ls; alias q=\"$x\"; q",
    "x=ls; bash <<E\n$x\nE", "python3 -c 'import os; os.system(\"ls\")'", "perl -e 'exec \"ls\"'", "rg --pre ls x",
    "$EMPTY ls", "coproc x { ls; }",
]  # fmt: skip


@every("shell", ["bash", "sh", "zsh"])
@every("script", KNOWN)
def test_a_forbidden_program_is_forbidden_however_the_text_names_it(script: str, shell: str) -> None:
    for policy in ("untrusted", "on-request", "on-failure", "never"):
        found = verdict(script, NO_LS, policy=policy, shell=shell)
        assert isinstance(found, Forbid)
        assert (found.by, "no looking" in found.reason) == ("rule", True)


UNKNOWN = ["$x y", "$(cat f)", "base64 -d f | sh", "sh < f", 'bash -c "$x"', 'eval "$(tool)"', "find . -exec {} \\;"]


@pytest.mark.parametrize("script", UNKNOWN)
def test_a_program_that_the_text_does_not_show_is_asked_about(script: str) -> None:
    """Required where a rule asks or forbids: nobody can tell whether it is the one."""
    for policy in ("untrusted", "on-request", "on-failure"):
        assert isinstance(verdict(script, NO_LS, policy=policy), Ask)
    found = verdict(script, NO_LS)
    if "sh" not in script or "base64" not in script:  # that one is on the dangerous list as well
        assert "names a program the text does not show" in found.because[-1].detail
    refused = verdict(script, NO_LS, policy="never")
    assert isinstance(refused, Forbid)
    assert refused.reason.endswith(NOBODY) or "blocked by policy" in refused.reason


@pytest.mark.parametrize("script", ["$x y", "$(cat f)", "sh < f", "l=ls; $l"])
def test_without_a_rule_that_tightens_the_sandbox_decides(script: str) -> None:
    allowing = Rule((("make",),), "allow")
    for policy in ("on-request", "on-failure", "never"):
        assert isinstance(verdict(script, policy=policy), Allow)
        assert isinstance(verdict(script, allowing, policy=policy), Allow)


def test_an_allowing_rule_does_not_cover_what_it_cannot_see() -> None:
    exact = Rule((("bash",), ("-lc",), ("$x y",)), "allow")
    assert isinstance(verdict("$x y", exact, policy="untrusted"), Allow)
    assert isinstance(verdict("$x y", exact, NO_LS, policy="untrusted"), Ask)


def test_the_words_behind_the_program_are_put_in_too() -> None:
    assert isinstance(verdict("c=push; git $c origin", NO_PUSH), Ask)
    assert isinstance(verdict("c=status; git $c", NO_PUSH), Allow)
    assert isinstance(verdict("c=push; git -C . $c origin", NO_PUSH), Ask)
    assert isinstance(verdict("echo push | xargs git", NO_PUSH), Ask)


@pytest.mark.parametrize("script", ["git $x", "git $(cat f)", "git $x origin", "cat f | xargs git"])
def test_words_that_the_text_does_not_show_may_be_what_a_rule_names(script: str) -> None:
    found = verdict(script, NO_PUSH)
    assert isinstance(found, Ask)
    assert "names a program the text does not show" in found.because[-1].detail


@pytest.mark.parametrize("script", ["git status $x", "git log $(cat f)", "ls $x", "cat f | xargs ls"])
def test_words_that_no_rule_could_name_are_not_asked_about(script: str) -> None:
    assert isinstance(verdict(script, NO_PUSH), Allow)


@pytest.mark.parametrize(
    "script",
    ["cd $d && make", "for f in *.py; do python3 $f; done", "npm test 2>&1 | tail -20", '"$HOME/bin/tool" x',
     "git commit -m \"$(cat <<'E'\nls\nE\n)\"", "cat > a.txt <<E\nls\nE", "echo ls"],
)  # fmt: skip
def test_ordinary_scripts_are_not_asked_about_for_the_sake_of_a_rule(script: str) -> None:
    assert isinstance(verdict(script, NO_LS), Allow)


def test_a_script_of_too_many_scripts_is_asked_about() -> None:
    found = verdict("".join(f"echo a{n} | sh; " for n in range(200)), NO_LS)
    assert isinstance(found, Ask)
    assert "more" in found.because[-1].detail


def test_a_line_with_an_empty_segment_is_judged_like_any_other() -> None:
    """Required: an assignment before a here-document once ended judging with an error, where there were rules."""
    script = "x=make; bash <<E\n$x\nE"
    assert isinstance(verdict(script, NO_PUSH, policy="untrusted"), Ask)
    assert isinstance(verdict(script, Rule((("make",),), "allow"), policy="untrusted"), Ask)


def test_a_very_long_line_is_asked_about_where_something_in_it_could_hide_a_program() -> None:
    long = "echo word\n" * (SEARCHED_CHARACTERS_MAX // 10 + 1)
    assert isinstance(verdict(long, NO_LS), Allow)
    found = verdict(f"{long}x=ls; $x", NO_LS)
    assert isinstance(found, Ask)
    assert found.because[-1].detail == TOO_LONG
    assert isinstance(verdict(f"{long}ls", NO_LS), Forbid)

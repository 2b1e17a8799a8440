"""What a rule forbids does not run because it is written in another way: five hundred spellings of three commands."""

from __future__ import annotations

import pytest

from sandgate.policy.approval import verdict_for
from sandgate.policy.rules.model import Rule, RuleSet
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import WorkspaceWrite
from sandgate.protocol.verdicts import Allow
from support.command.assessing import ENVIRONMENT, PROJECT
from support.command.forbidden_spellings import FORBIDDEN, OPEN, spelled
from support.suite.rows import every

RULES = {
    "rm": Rule((("rm",),), "forbid"),
    "push": Rule((("git",), ("push",)), "forbid"),
    "curl": Rule((("curl",),), "forbid"),
}


def passes(script: str, *rules: Rule) -> bool:
    command = CommandRequest(("bash", "-lc", script), PROJECT, ENVIRONMENT)
    verdict = verdict_for(command, policy="on-request", sandbox=WorkspaceWrite(), rules=RuleSet(rules))
    return isinstance(verdict, Allow)


@pytest.mark.parametrize("key", FORBIDDEN)
def test_no_spelling_passes_but_those_that_are_named_as_open(key: str) -> None:
    scripts = spelled(key)
    assert len(scripts) > 300
    passed = [spelling for spelling, script in scripts.items() if passes(script, RULES[key])]
    assert passed == [spelling for spelling in scripts if spelling in OPEN]


@pytest.mark.parametrize("key", FORBIDDEN)
def test_without_the_rule_nearly_all_of_them_run_in_the_sandbox(key: str) -> None:
    """So that it is the rule that stops them."""
    scripts = spelled(key)
    assert sum(passes(script) for script in scripts.values()) > len(scripts) * 0.7


@pytest.mark.parametrize("order", ["\\o |ls ", "|", "\\! "])
@pytest.mark.parametrize("times", [10, 70, 200])
def test_no_number_of_harmless_orders_hides_one_behind_them(order: str, times: int) -> None:
    assert not passes(f"psql -c '{order * times}\\o |rm build'", RULES["rm"])
    assert not passes(f"psql <<< '{order * times}\\o |rm build'", RULES["rm"])


@every(
    "script",
    [
        "ls -la", "git status", "git stash push", "git pull origin", "npm run build", "docker ps",
        "docker run --rm image npm test", "kubectl get pods", "tmux ls", "cp a b", "cp src/x build/x && ls build",
        "make test", "bun run build",
        "tar xf a.tgz", "echo 'rm is a program' | grep rm", "crontab -l", "cat README.md | head", "cat <<E > f\nrm\nE",
        "hash -r", "alias ll='ls -l'; ll", "parallel echo ::: a b", "bwrap --bind / / ls",
        "guix shell -- ls", "nc -l 80",
        "printf '%s\\n' a | xargs -I X echo X", "python3 -m pytest -q", "git log --grep=push", "ssh host ls",
    ],
)  # fmt: skip
def test_work_beside_the_rules_is_not_asked_about(script: str) -> None:
    assert passes(script, *RULES.values())

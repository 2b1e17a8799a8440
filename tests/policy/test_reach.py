"""Which rules speak about a segment, and about what it starts. `test_wrapped_rules.py` has every wrapper."""

from __future__ import annotations

import pytest

from sandgate.commandline import segments
from sandgate.policy.reach import reaching, tightening
from sandgate.policy.rules.model import Rule, RuleSet


def rule(text: str, decide: str = "allow") -> Rule:
    return Rule(tuple((word,) for word in text.split()), decide)  # type: ignore[arg-type]  # one of the three words


@pytest.mark.parametrize(
    ("prefix", "command", "reaches"),
    [
        ("env", "env rm x", False),
        ("env rm", "env rm x", True),
        ("rg", "rg --pre ./x y", False),
        ("rg", "rg y", True),
        ("make", "make all", True),
        ("bash x.sh", "bash x.sh y", True),
        ("bash", "bash -c ls", False),
    ],
)
def test_an_allowing_rule_ends_where_another_program_begins(prefix: str, command: str, reaches: bool) -> None:
    found = reaching(tuple(command.split()), (rule(prefix),))
    assert (found == (rule(prefix),)) is reaches


def test_rules_that_ask_or_forbid_reach_whatever_stands_behind_them() -> None:
    asking = rule("env", "ask")
    assert reaching(("env", "rm", "x"), (asking,)) == (asking,)


def test_rules_about_a_program_inside_only_tighten() -> None:
    forbidding, allowing = rule("rm", "forbid"), rule("rm")
    argv = ("env", "A=1", "nice", "rm", "x")
    assert tightening(segments(argv), argv, RuleSet((forbidding, allowing))) == (forbidding,)
    assert tightening(segments(("ls",)), ("ls",), RuleSet((forbidding,))) == ()


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("terraform destroy", "terraform -chdir=infra destroy -auto-approve"),
        ("kubectl delete", "kubectl -n prod delete ns x"),
        ("kubectl delete", "kubectl --context=prod -n x delete ns y"),
        ("make deploy", "make -C . -s deploy"),
        ("make deploy", "make -j2 deploy"),
        ("npm publish", "npm -w pkg publish"),
        ("npm run deploy", "npm run -s deploy"),
        ("aws s3 rm", "aws --profile prod s3 rm s3://b"),
        ("docker run", "docker -H tcp://h run x"),
        ("git push --force", "git -C x push --no-verify --force"),
        ("npm publish", "env A=1 npm --silent publish"),
    ],
)
def test_options_in_between_hide_nothing_from_a_rule_that_asks_or_forbids(prefix: str, command: str) -> None:
    argv = tuple(command.split())
    assert tightening(segments(argv), argv, RuleSet((rule(prefix, "forbid"),))) == (rule(prefix, "forbid"),)
    assert tightening(segments(argv), argv, RuleSet((rule(prefix),))) == ()


@pytest.mark.parametrize("command", ["kubectl -n prod get ns", "make -C . test", "npm run build", "kubectl"])
def test_what_a_rule_does_not_name_is_left_alone(command: str) -> None:
    argv = tuple(command.split())
    rules = RuleSet((rule("kubectl delete", "forbid"), rule("make deploy", "forbid"), rule("npm publish", "forbid")))
    assert tightening(segments(argv), argv, rules) == ()

"""Options between the words of a rule are passed over, read in every way they may be meant."""

from __future__ import annotations

import pytest

from sandgate.policy.rules.model import Rule
from sandgate.policy.spared_options import covers_despite_options


def rule(text: str, **more: bool) -> Rule:
    return Rule(tuple((word,) for word in text.split()), "forbid", **more)  # type: ignore[arg-type]  # flags only


@pytest.mark.parametrize(
    ("prefix", "command", "covered"),
    [
        ("make all", "make -s all", True),
        ("make all", "make -C all test", True),  # it may be the goal
        ("make all", "make test all", False),
        ("make all", "make --dir=all test", False),
        ("kubectl delete pod", "kubectl -n x delete --now pod y", True),
        ("git push --force", "git push --no-verify --force", True),
        ("git push --force", "git push --no-verify", False),
        ("cat x", "cat - x", False),
    ],
)
def test_each_option_may_stand_alone_or_take_the_word_behind_it(prefix: str, command: str, *, covered: bool) -> None:
    assert covers_despite_options(rule(prefix), tuple(command.split())) is covered


def test_case_and_end_count_as_the_rule_says() -> None:
    assert covers_despite_options(rule("make All", any_case=True), ("make", "-s", "aLL"))
    assert not covers_despite_options(rule("make all", exact=True), ("make", "-s", "all", "more"))
    assert covers_despite_options(rule("make all", exact=True), ("make", "-s", "all"))


def test_many_options_are_soon_looked_through() -> None:
    assert not covers_despite_options(rule("x y z"), ("x", *["-a", "b"] * 5_000))

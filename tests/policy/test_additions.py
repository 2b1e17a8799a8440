"""The rule that somebody adds by naming words."""

from __future__ import annotations

import pytest

from sandgate.errors import RequestError, RuleError
from sandgate.policy.additions import added_rule
from sandgate.policy.rules.model import Rule


def test_the_words_are_the_prefix_and_the_rest_is_as_a_file_would_have_it() -> None:
    assert added_rule(("npm", "test"), "allow", because="it is slow", uses=3) == Rule(
        (("npm",), ("test",)), "allow", because="it is slow", source="the command line", uses=3
    )


@pytest.mark.parametrize("prefix", [("env",), ("sudo", "-u", "me"), ("make", "\udcff"), ("make", "*")])
def test_what_no_rule_may_allow_is_refused(prefix: tuple[str, ...]) -> None:
    with pytest.raises(RequestError):
        added_rule(prefix, "allow")


def test_anything_that_is_text_may_be_asked_about_and_bad_words_are_told() -> None:
    assert added_rule(("env",), "ask").decide == "ask"
    with pytest.raises(RuleError):
        added_rule(("env",), "ask", uses=0)

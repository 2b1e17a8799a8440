"""A command without its options, read in every way that its options may be meant."""

from __future__ import annotations

import pytest

from sandgate.policy.spared_options import READINGS_MAX, without_options


@pytest.mark.parametrize(
    ("command", "readings"),
    [
        ("ls", set()),
        ("cat -", set()),
        ("make -s all", {"make all", "make"}),
        ("kubectl --context=prod delete x", {"kubectl delete x"}),
        ("npm run -s deploy", {"npm run deploy", "npm run"}),
        ("a -b -c d", {"a", "a d", "a -c d", "a -b", "a -b d"}),
    ],
)
def test_each_option_may_stand_alone_or_take_the_word_behind_it(command: str, readings: set[str]) -> None:
    assert {" ".join(each) for each in without_options(tuple(command.split()))} == readings


def test_there_are_not_more_readings_than_the_limit_says() -> None:
    assert len(list(without_options(("x", *["-a", "b"] * 50)))) < READINGS_MAX

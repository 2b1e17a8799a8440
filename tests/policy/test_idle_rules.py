"""Why a rule that seems to allow something does not count."""

from __future__ import annotations

import pytest

from sandgate.policy.idle_rules import with_idle_rule
from sandgate.policy.rules.model import Rule
from sandgate.protocol.verdicts import Because

ENV = Rule((("env",),), "allow", source="mine.rules:3")
MAKE = Rule((("make",),), "allow", uses=1)


@pytest.mark.parametrize(
    ("segment", "stopping", "short", "more"),
    [
        (
            ("env", "make"), (ENV,), (MAKE,),
            "; rule `env` in mine.rules:3 does not count, as it ends before the program that `env` starts",
        ),
        (
            ("/usr/bin/make", "all"), (), (MAKE,),
            "; rule `make` does not count, as this needs it oftener than it still holds",
        ),
        (("touch", "make"), (), (MAKE,), ""),
        ((), (), (MAKE,), ""),
    ],
)  # fmt: skip
def test_the_rule_is_named_with_its_place_and_the_cause(
    segment: tuple[str, ...], stopping: tuple[Rule, ...], short: tuple[Rule, ...], more: str
) -> None:
    because = Because(segment, "ask", "policy", "not known to only read")
    assert with_idle_rule(because, stopping, short).detail == f"not known to only read{more}"

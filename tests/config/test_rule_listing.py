"""Every rule that was read, with its layer and what is left of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.config.rule_listing import listing
from sandgate.config.rules_in_force import counter_of
from sandgate.policy.rules import Rule
from sandgate.protocol.environment import Environment
from support.config.config_machine import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_uses_that_are_gone_are_counted_and_a_rule_without_any_has_ended(machine: Machine) -> None:
    (machine.own / "rules").mkdir()
    (machine.own / "rules" / "a.toml").write_text('[[rule]]\nprefix = ["make"]\nuses = 2\n')
    environ = {"HOME": str(machine.own.parent)}
    environment = Environment(cwd=str(machine.project), environ=environ)
    left = []
    for _ in range(3):
        (rule,) = listing(environment).rules
        left.append((rule.layer, rule.uses_left, rule.ended))
        assert isinstance(rule.rule, Rule)
        counter_of(environ)().take(rule.rule)
    assert left == [("user", 2, False), ("user", 1, False), ("user", 0, True)]

"""Which rules speak about a command. What the program makes of it is in `tests/surfaces/cli/test_rules.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.gate.rule_check import RuleMatch, rule_matches
from sandgate.protocol.environment import Environment
from sandgate.runtime.opening import open_runtime
from support.config.config_machine import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_all_rules_that_match_are_named_the_deciding_one_first(machine: Machine) -> None:
    (machine.own / "rules").mkdir()
    (machine.own / "rules" / "a.rules").write_text('prefix_rule(["git"], "prompt")\nprefix_rule(["git", "log"])\n')
    environ = {"HOME": str(machine.own.parent), "PATH": "/usr/bin"}
    with open_runtime(Environment(cwd=str(machine.project), environ=environ)) as runtime:
        command = runtime.request(("git", "log"))
        found = rule_matches(runtime.policies, runtime.gate.rules_holding(command), command)
    file = machine.own / "rules" / "a.rules"
    assert found.matches == (
        RuleMatch("prefix", ("git", "log"), "ask", ("git",), source=f"{file}:1"),
        RuleMatch("prefix", ("git", "log"), "allow", ("git", "log"), source=f"{file}:2"),
    )
    assert found.decide == "ask"

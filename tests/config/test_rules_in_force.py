"""The rules of a session."""

import subprocess
import sys
from pathlib import Path

import pytest

from sandgate.config.rules_in_force import rules_in_force
from sandgate.errors import RuleError
from sandgate.policy.rules import NO_RULES
from support.config.config_machine import Machine
from support.suite.source_tree import SOURCE

NO_NEW_FILES = '[[rule]]\nprefix = ["touch"]\ndecide = "forbid"\nbecause = "no new files"\n'


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_without_a_rules_directory_there_are_no_rules(machine: Machine) -> None:
    assert rules_in_force(machine.load()) == (NO_RULES, ())


def test_a_users_rules_are_in_force(machine: Machine) -> None:
    (machine.own / "rules").mkdir()
    (machine.own / "rules" / "mine.toml").write_text(NO_NEW_FILES)
    rules, warnings = rules_in_force(machine.load())
    assert ([rule.because for rule in rules.rules], warnings) == (["no new files"], ())


def test_a_broken_rules_file_stops_the_start(machine: Machine) -> None:
    """Required: a policy with a hole in it is worse than no start."""
    (machine.own / "rules").mkdir()
    (machine.own / "rules" / "mine.toml").write_text("[[rule]]\n")
    with pytest.raises(RuleError, match=r"mine\.toml"):
        rules_in_force(machine.load())


def test_nothing_is_imported_where_there_are_no_rules() -> None:
    """Required: most commands run where nobody wrote a rule."""
    code = (
        f"import sys; sys.path.insert(0, {str(SOURCE)!r})\n"
        "from types import SimpleNamespace\n"
        "from sandgate.config.rules_in_force import rules_in_force\n"
        "rules_in_force(SimpleNamespace(rules=[SimpleNamespace(path='/nonexistent')]))\n"
        "print('sandgate.config.rules_files' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize(("network", "told"), [("off", False), ("on", True)])
def test_forbidden_hosts_come_with_a_warning_where_programs_could_reach_them(
    machine: Machine, network: str, told: bool
) -> None:
    """Required: a rule that looks stronger than it is would be worse than none."""
    (machine.own / "rules").mkdir()
    (machine.own / "rules" / "net.rules").write_text('network_rule("evil.example", "https", "deny")\n')
    rules, warnings = rules_in_force(machine.load(f"sandbox.network={network}", "sandbox_mode=workspace-write"))
    assert [rule.host for rule in rules.network] == ["evil.example"]
    assert [("rules forbid 1 host:" in warning, "not seen" in warning) for warning in warnings] == [(True, True)] * told

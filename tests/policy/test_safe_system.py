"""The table of administration: its lines are well-formed and let nothing through that writes, runs or sends."""

from __future__ import annotations

from sandgate.commandline.arguments import grammar
from sandgate.policy.safe_checks import CHECKS
from sandgate.policy.safe_programs import SAFE
from sandgate.policy.safe_subcommands import SUBCOMMANDS
from sandgate.policy.safe_system import SYSTEM
from sandgate.policy.safety import is_safe
from support.suite.rows import every

# What manuals call an output, a host, a program to run or an order to change something.
NEVER = (
    "--output-file=x", "--host=x", "--exec=x", "--pager=x", "--log-file=x", "--vacuum-size=1", "--set=x",
            "--delete",
    "--force", "--in-place", "--remove",
)  # fmt: skip


@every("program", sorted(SYSTEM))
def test_no_program_of_administration_takes_an_option_that_acts(program: str) -> None:
    taken = [option for option in NEVER if is_safe((program, option)) and f" {option} " not in f" {SYSTEM[program]} "]
    assert taken == []


@every("program", sorted(SYSTEM))
def test_each_line_names_checks_that_exist(program: str) -> None:
    marks = grammar(SYSTEM[program], SAFE).marks
    assert {mark[6:] for mark in marks if mark.startswith("check:")} <= CHECKS.keys()


@every("program", [name for name, line in SYSTEM.items() if "sub" in line.split()])
def test_a_program_with_commands_has_some_and_refuses_others(program: str) -> None:
    assert any(key.startswith(f"{program} ") for key in SUBCOMMANDS)
    assert not is_safe((program, "no-such-command"))


def test_no_program_is_described_twice() -> None:
    """A later line would silently replace the careful one."""
    assert {name for name, line in SYSTEM.items() if SAFE[name] != line} == set()

"""The filter, run by an interpreter of our own against calls it must judge."""

from __future__ import annotations

import errno
from typing import Literal

import pytest

from sandgate.kernel.call_rules import call_rules, group_actions
from sandgate.kernel.seccomp import ALLOW, KILL, CallRule, Test, assemble, refuse
from sandgate.kernel.syscalls import AUDIT_ARCH
from support.kernel.bpf_machine import judge

EPERM, ENOSYS = refuse(errno.EPERM), refuse(errno.ENOSYS)
MACHINES = ("x86_64", "aarch64")


def filter_for(
    machine: str = "x86_64", *, network: bool = False, reads: Literal["kernel", "directories", "all"] = "kernel"
) -> bytes:
    return assemble(call_rules(network=network, reads=reads), machine=machine, otherwise=group_actions(machine))


def test_the_first_rule_that_holds_decides() -> None:
    program = assemble(
        (CallRule("ioctl", ALLOW, (Test(1, "equal", 7),)), CallRule("ioctl", EPERM, (Test(1, "not_equal", 8),))),
        machine="x86_64",
        otherwise={16: ALLOW},
    )
    assert [judge(program, 16, (0, word)) for word in (7, 8, 9)] == [ALLOW, ALLOW, EPERM]


def test_a_jump_too_far_is_an_error_not_a_wrong_jump() -> None:
    many = (CallRule("ioctl", EPERM, tuple(Test(1, "equal", word) for word in range(200))),)
    with pytest.raises(ValueError, match="spans"):
        assemble(many, machine="x86_64", otherwise={})


def test_calls_of_another_machine_kill() -> None:
    i386 = 0x40000003
    assert judge(filter_for(), 5, arch=i386) == KILL
    assert judge(filter_for(), 0x40000000 | 2) == KILL  # x32
    assert judge(filter_for("aarch64"), 56, arch=AUDIT_ARCH["x86_64"]) == KILL


def test_what_nothing_is_said_about_does_not_exist() -> None:
    """Required: an allow list. A call whose rules do not hold is not thereby allowed."""
    program = assemble((CallRule("ioctl", ALLOW, (Test(1, "equal", 7),)),), machine="x86_64", otherwise={0: ALLOW})
    assert [judge(program, 16, (0, 7)), judge(program, 16, (0, 8)), judge(program, 0)] == [ALLOW, ENOSYS, ALLOW]
    assert {judge(program, number) for number in range(1, 600) if number != 16} == {ENOSYS}


def test_calls_newer_than_the_table_do_not_exist() -> None:
    assert judge(filter_for(), 470) == ENOSYS
    assert judge(filter_for(), 4000) == ENOSYS

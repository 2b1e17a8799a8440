"""Which system calls exist for a command: one table, made into two filters and asked of the real kernel."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path

import pytest

from sandgate.kernel.call_groups import GROUPS, NEWEST_KNOWN, refused_groups
from sandgate.kernel.call_rules import call_rules, group_actions
from sandgate.kernel.seccomp import ALLOW, KILL, NOTIFY, assemble, refuse
from sandgate.kernel.syscalls import AUDIT_ARCH, NUMBERS
from support.kernel.bpf_machine import judge
from support.kernel.call_header import HEADER, header
from support.suite.rows import every

EPERM, ENOSYS = refuse(errno.EPERM), refuse(errno.ENOSYS)
ANSWERS = {"allow": ALLOW, "EPERM": NOTIFY, "ENOSYS": ENOSYS}  # what is refused is told
MACHINES = ("x86_64", "aarch64")
X32, I386 = 0x40000000, 0x40000003


def answers(machine: str) -> dict[int, str]:
    """What the table says of each number."""
    numbers = NUMBERS[machine]
    known = {
        numbers[call]: group.answer_with(namespaces=False)
        for group in GROUPS
        for call in group.calls
        if call in numbers
    }
    return {number: known.get(number, "ENOSYS") for number in range(600)}


def test_every_call_is_in_one_group_and_every_group_says_why() -> None:
    calls = [call for group in GROUPS for call in group.calls]
    assert len(calls) == len(set(calls)) == len(set(NUMBERS["x86_64"]) | set(NUMBERS["aarch64"]))
    assert all(group.name and group.why for group in GROUPS)
    with_namespaces, without = refused_groups(namespaces=True), refused_groups(namespaces=False)
    assert {group.answer for group in with_namespaces} == {"EPERM", "ENOSYS"}
    assert {group.name for group in without} - {group.name for group in with_namespaces} == {
        "shared memory and queues",
        "debugging",
        "attributes, set the new way",
    }


def test_the_helper_has_the_same_table() -> None:
    """Required: one truth. `python tests/support/kernel/call_header.py` writes the file anew."""
    assert HEADER.read_text() == header()


def test_every_number_the_headers_of_this_machine_know_is_in_a_group(tmp_path: Path) -> None:
    source = tmp_path / "numbers.c"
    source.write_text("#include <asm/unistd.h>\n")
    printed = subprocess.run(["cc", "-E", "-dM", str(source)], capture_output=True, text=True, check=True).stdout
    words = (line.split() for line in printed.splitlines() if line.startswith("#define __NR_"))
    named = {word[1].removeprefix("__NR_"): int(word[2]) for word in words if len(word) == 3 and word[2].isdigit()}
    numbers = NUMBERS[os.uname().machine]
    assert {name: number for name, number in named.items() if number <= NEWEST_KNOWN} == {
        name: number for name, number in numbers.items() if name in named
    }


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("network", [False, True])
def test_every_number_is_answered_as_the_table_says(machine: str, network: bool) -> None:
    """Every number from 0 to 599, with arguments of zero: what depends on them, or is judged, may only be stricter."""
    rules = call_rules(network=network, reads="kernel")
    program = assemble(rules, machine=machine, otherwise=group_actions(machine))
    ruled = {NUMBERS[machine][rule.call] for rule in rules if rule.call in NUMBERS[machine]}
    for number, answer in answers(machine).items():
        got = judge(program, number, arch=AUDIT_ARCH[machine])
        if number not in ruled:
            assert (number, got) == (number, ANSWERS[answer])
        else:
            assert got in (ANSWERS[answer], NOTIFY, EPERM, ENOSYS, refuse(0)), number


@every("number", range(0, 600, 7))
def test_other_doors_to_the_same_calls_kill(number: int) -> None:
    program = assemble(call_rules(network=True, reads="kernel"), machine="x86_64", otherwise=group_actions("x86_64"))
    assert judge(program, number, arch=I386) == KILL
    assert judge(program, number | X32) == KILL
    assert judge(program, number | 0x80000000) == ENOSYS  # -1 and its like: what a tracer leaves of a skipped call

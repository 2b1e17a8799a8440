"""The filter, run by an interpreter of our own against calls it must judge."""

from __future__ import annotations

import errno
import struct
from typing import Literal

import pytest

from sandgate.kernel.call_rules import (
    AROUND_THE_FILTER,
    BY_NAME,
    KERNEL_ITSELF,
    KERNEL_KEYS,
    METADATA,
    OTHER_PROCESSES,
    TIOCGPTPEER,
    call_rules,
)
from sandgate.kernel.seccomp import ALLOW, KILL, NOTIFY, Rule, Test, assemble, refuse
from sandgate.kernel.syscalls import AUDIT_ARCH, NUMBERS

EPERM, ENOSYS = refuse(errno.EPERM), refuse(errno.ENOSYS)
MACHINES = ("x86_64", "aarch64")


def judge(program: bytes, number: int, arguments: tuple[int, ...] = (), *, arch: int = AUDIT_ARCH["x86_64"]) -> int:
    """What the kernel's BPF machine would return: a reading of bpf(4), independent of the assembler."""
    padded = [word & (1 << 64) - 1 for word in (*arguments, *(0,) * 6)][:6]
    packet = struct.pack("=IIQ6Q", number & 0xFFFFFFFF, arch, 0, *padded)
    code = list(struct.iter_unpack("=HBBI", program))
    accumulator, at = 0, 0
    while True:
        operation, yes, no, operand = code[at]
        at += 1
        if operation == 0x20:
            (accumulator,) = struct.unpack_from("=I", packet, operand)
        elif operation == 0x54:
            accumulator &= operand
        elif operation == 0x06:
            return int(operand)
        else:
            held = {
                0x15: accumulator == operand,
                0x25: accumulator > operand,
                0x35: accumulator >= operand,
                0x45: bool(accumulator & operand),
            }[operation]
            at += yes if held else no


def filter_for(
    machine: str = "x86_64", *, network: bool = False, reads: Literal["kernel", "directories", "all"] = "kernel"
) -> bytes:
    return assemble(call_rules(network=network, reads=reads), machine=machine)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("network", [False, True])
def test_every_named_call_gets_its_verdict_on_both_machines(machine: str, network: bool) -> None:
    program = filter_for(machine, network=network)
    numbers, arch = NUMBERS[machine], AUDIT_ARCH[machine]
    expected = dict.fromkeys(f"{OTHER_PROCESSES} {KERNEL_KEYS} {KERNEL_ITSELF}".split(), EPERM)
    expected |= dict.fromkeys(AROUND_THE_FILTER.split(), ENOSYS)
    expected |= dict.fromkeys(f"{BY_NAME} {METADATA} setsid connect bind".split(), NOTIFY)
    expected |= dict.fromkeys(["read", "write", "getpid", "kill", "prctl", "pidfd_open", "sendmsg"], ALLOW)
    for name, verdict in expected.items():
        if name in numbers:
            assert (name, judge(program, numbers[name], arch=arch)) == (name, verdict)


def test_calls_of_another_machine_kill() -> None:
    i386 = 0x40000003
    assert judge(filter_for(), 5, arch=i386) == KILL
    assert judge(filter_for(), 0x40000000 | 2) == KILL  # x32
    assert judge(filter_for("aarch64"), 56, arch=AUDIT_ARCH["x86_64"]) == KILL


def test_calls_newer_than_the_table_do_not_exist() -> None:
    assert judge(filter_for(), 470) == ENOSYS
    assert judge(filter_for(), 4000) == ENOSYS


@pytest.mark.parametrize("request_word", [0x5412, 0x100005412, 0xFFFFFFFF00005412, 0x541C, 0x40086602])
def test_forbidden_ioctls_are_compared_in_32_bits(request_word: int) -> None:
    assert judge(filter_for(), 16, (0, request_word)) == EPERM


def test_ordinary_ioctls_pass() -> None:
    assert judge(filter_for(), 16, (0, 0x5401)) == ALLOW
    assert judge(filter_for(), 16, (0, TIOCGPTPEER)) == NOTIFY


@pytest.mark.parametrize(
    ("flags", "verdict"),
    [(0, ALLOW), (0o100000, ALLOW), (1, NOTIFY), (2, NOTIFY), (0o100, NOTIFY), (0o1000, NOTIFY), (0o20200000, NOTIFY)],
)
def test_opens_are_held_when_they_may_write(flags: int, verdict: int) -> None:
    assert judge(filter_for(), 2, (0, flags)) == verdict
    assert judge(filter_for(), 257, (0, 0, flags)) == verdict
    assert judge(filter_for(), 257, (0, 0, flags | 1 << 40)) == verdict  # the kernel drops the high half


def test_opens_for_reading_are_held_where_the_plan_hides_something() -> None:
    assert judge(filter_for(reads="directories"), 257, (0, 0, 0o200000)) == NOTIFY
    assert judge(filter_for(reads="directories"), 257, (0, 0, 0)) == ALLOW
    assert judge(filter_for(reads="all"), 257, (0, 0, 0)) == NOTIFY


@pytest.mark.parametrize("flag", [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000])
def test_new_namespaces_are_refused(flag: int) -> None:
    assert judge(filter_for(), 56, (flag | 17,)) == EPERM
    assert judge(filter_for(), 272, (flag,)) == EPERM
    assert judge(filter_for(), 272, (flag | 1 << 40,)) == EPERM


def test_threads_processes_and_unshared_tables_are_not_namespaces() -> None:
    assert judge(filter_for(), 56, (0x3D0F00,)) == ALLOW  # what pthread_create passes
    assert judge(filter_for(), 56, (0x4111,)) == ALLOW  # vfork
    assert judge(filter_for(), 272, (0x600,)) == ALLOW
    assert judge(filter_for(), 272, (0x80,)) == EPERM  # CLONE_NEWTIME


@pytest.mark.parametrize(
    ("family", "kind", "verdict"),
    [(1, 1, ALLOW), (1, 5, ALLOW), (1, 2, EPERM), (1, 0x80802, EPERM), (2, 1, NOTIFY), (10, 2, NOTIFY)],
)
def test_sockets_with_the_network_off(family: int, kind: int, verdict: int) -> None:
    assert judge(filter_for(), 41, (family, kind)) == verdict


def test_no_other_family_exists_with_the_network_off() -> None:
    for family in set(range(64)) - {1, 2, 10}:
        assert judge(filter_for(), 41, (family, 1)) == EPERM
        assert judge(filter_for(), 53, (family, 1)) == EPERM


def test_sends_with_the_network_off() -> None:
    assert judge(filter_for(), 44, (3, 0, 0, 0, 0)) == ALLOW
    assert judge(filter_for(), 44, (3, 0, 0, 0, 0x7FFE00000000)) == NOTIFY  # an address in the high half only
    assert judge(filter_for(), 307, (3,)) == EPERM


def test_network_on_frees_internet_sockets_only() -> None:
    program = filter_for(network=True)
    assert [judge(program, 41, (family, 1)) for family in (1, 2, 10, 16, 40)] == [ALLOW, ALLOW, ALLOW, ALLOW, EPERM]
    assert judge(program, 41, (1, 2)) == EPERM
    assert judge(program, 44, (3, 0, 0, 0, 0x7FFE00000000)) == ALLOW


def test_personality_may_only_switch_randomisation_off() -> None:
    assert [judge(filter_for(), 135, (word,)) for word in (0, 0x40000, 0xFFFFFFFF, 0x8, 0x0400000)] == [
        ALLOW,
        ALLOW,
        ALLOW,
        EPERM,
        EPERM,
    ]


def test_the_first_rule_that_holds_decides() -> None:
    program = assemble(
        (Rule("ioctl", ALLOW, (Test(1, "equal", 7),)), Rule("ioctl", EPERM, (Test(1, "not_equal", 8),))),
        machine="x86_64",
    )
    assert [judge(program, 16, (0, word)) for word in (7, 8, 9)] == [ALLOW, ALLOW, EPERM]


def test_a_jump_too_far_is_an_error_not_a_wrong_jump() -> None:
    many = tuple(Rule("ioctl", EPERM, (Test(1, "equal", word),)) for word in range(200))
    with pytest.raises(ValueError, match="spans"):
        assemble(many, machine="x86_64")

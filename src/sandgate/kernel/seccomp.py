"""Seccomp filters as values: rules in, bytes of a BPF program out.  seccomp(2), Linux 3.17

Everything in this file is arithmetic; `kernel.restricted` loads the result. The first rule of a call whose tests
all hold decides; a call with rules of which none holds, and a call without rules, is allowed. A process that
uses another machine's calls (i386, x32) is killed: its numbers mean something else.

Only the low half of an argument is compared where the kernel itself reads 32 bits (flags, families, ioctl
requests): comparing all 64 let `0x100005412` through as "not TIOCSTI" (CVE-2019-7303).
"""

from __future__ import annotations

import errno
import struct

from sandgate.kernel.syscalls import AUDIT_ARCH, NEWEST_KNOWN, number_of
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    Comparison = Literal["any_bit", "equal", "not_equal", "set"]

# <linux/seccomp.h>
KILL = 0x80000000  # the whole process
NOTIFY = 0x7FC00000
ALLOW = 0x7FFF0000
_ERRNO = 0x00050000

# <linux/bpf_common.h>: BPF_LD|W|ABS, BPF_ALU|AND|K, BPF_JMP|{JA,JEQ,JGT,JGE,JSET}|K, BPF_RET|K
_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_EQUAL, _GREATER, _GREATER_OR_EQUAL, _ANY_BIT = 0x15, 0x25, 0x35, 0x45

_NUMBER_AT, _ARCH_AT, _ARGUMENTS_AT = 0, 4, 16  # struct seccomp_data
X32_BIT = 0x40000000
JUMP_MAX = 255  # a conditional jump has one byte of distance
PROGRAM_MAX = 4096  # BPF_MAXINSNS


def refuse(code: int) -> int:
    """The action that makes a call fail with `code`."""
    return _ERRNO | code


class Test(Record):
    """A condition on the low 32 bits of one argument (all 64 for `set`)."""

    argument: int
    compare: Comparison
    value: int = 0
    mask: int = 0xFFFFFFFF

    __test__ = False  # not a test case, whatever its name says to pytest


class Rule(Record):
    """What happens to one call, by name, when all `tests` hold."""

    call: str
    action: int
    tests: tuple[Test, ...] = ()


def rules(calls: str, action: int, *tests: Test) -> tuple[Rule, ...]:
    """The same rule for every call in a space-separated list."""
    return tuple(Rule(call, action, tests) for call in calls.split())


class _Assembler:
    """Instructions with named jump targets, resolved at the end."""

    def __init__(self) -> None:
        self._code: list[tuple[int, int, str, str]] = []  # operation, operand, target if true, target if false
        self._labels: dict[str, int] = {}

    def emit(self, operation: int, operand: int, yes: str = "", no: str = "") -> None:
        self._code.append((operation, operand, yes, no))

    def label(self, name: str) -> None:
        self._labels[name] = len(self._code)

    def bytes(self) -> bytes:
        if len(self._code) > PROGRAM_MAX:
            raise ValueError(f"a filter of {len(self._code)} instructions, the kernel takes {PROGRAM_MAX}")
        return b"".join(
            struct.pack("=HBBI", operation, self._distance(at, yes), self._distance(at, no), operand)
            for at, (operation, operand, yes, no) in enumerate(self._code)
        )

    def _distance(self, at: int, label: str) -> int:
        distance = self._labels[label] - at - 1 if label else 0
        if not 0 <= distance <= JUMP_MAX:
            raise ValueError(f"jump to {label} from {at} spans {distance} instructions")
        return distance


def assemble(wanted: Iterable[Rule], *, machine: str) -> bytes:
    """The program for one machine, eight bytes an instruction."""
    program = _Assembler()
    _check_machine(program, machine)
    by_number: dict[int, list[Rule]] = {}
    for rule in wanted:
        number = number_of(rule.call, machine=machine)
        if number is not None:
            by_number.setdefault(number, []).append(rule)
    for number, of_call in by_number.items():
        _check_call(program, number, of_call)
    program.emit(_RETURN, ALLOW)
    return program.bytes()


def _check_machine(program: _Assembler, machine: str) -> None:
    program.emit(_LOAD, _ARCH_AT)
    program.emit(_EQUAL, AUDIT_ARCH[machine], "native", "")
    program.emit(_RETURN, KILL)
    program.label("native")
    program.emit(_LOAD, _NUMBER_AT)
    program.emit(_GREATER, NEWEST_KNOWN, "", "known")
    program.emit(_GREATER_OR_EQUAL, X32_BIT, "", "future")
    program.emit(_RETURN, KILL if machine == "x86_64" else refuse(errno.ENOSYS))
    program.label("future")
    # A call newer than our table could be a new way to do an old thing; callers of new calls expect ENOSYS.
    program.emit(_RETURN, refuse(errno.ENOSYS))
    program.label("known")


def _check_call(program: _Assembler, number: int, of_call: list[Rule]) -> None:
    end = f"end of {number}"
    program.emit(_EQUAL, number, "", end)
    decided = False
    for index, rule in enumerate(of_call):
        missed = f"missed {number}.{index}"
        for place, test in enumerate(rule.tests):
            _check_argument(program, test, missed, f"held {number}.{index}.{place}")
        program.emit(_RETURN, rule.action)
        program.label(missed)
        decided = decided or not rule.tests
    if not decided:
        program.emit(_RETURN, ALLOW)
    program.label(end)


def _check_argument(program: _Assembler, test: Test, missed: str, held: str) -> None:
    low = _ARGUMENTS_AT + 8 * test.argument
    program.emit(_LOAD, low)
    if test.compare == "any_bit":
        program.emit(_ANY_BIT, test.value, "", missed)
    elif test.compare == "set":
        program.emit(_EQUAL, 0, "", held)
        program.emit(_LOAD, low + 4)
        program.emit(_EQUAL, 0, missed, "")
        program.label(held)
    else:
        program.emit(_AND, test.mask)
        same, other = ("", missed) if test.compare == "equal" else (missed, "")
        program.emit(_EQUAL, test.value, same, other)

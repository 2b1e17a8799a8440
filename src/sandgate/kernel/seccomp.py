"""Seccomp filters as values: rules in, bytes of a BPF program out.  seccomp(2), Linux 3.17

Everything in this file is arithmetic; `kernel.restricted` loads the result. The first rule of a call whose tests
all hold decides, then what is said about the call otherwise; a call of which nothing is said does not exist (ENOSYS).
A process that uses another machine's calls (i386, x32) is killed: its numbers mean something else.

Calls are found by a binary search over runs of numbers that are answered alike. Conditional jumps reach 255
instructions, so the search ends in pieces, each followed by its answers or by far jumps to them.

Only the low half of an argument is compared where the kernel itself reads 32 bits (flags, families, ioctl
requests): comparing all 64 let `0x100005412` through as "not TIOCSTI" (CVE-2019-7303).
"""

from __future__ import annotations

import errno
import struct

from sandgate.kernel.call_groups import NEWEST_KNOWN
from sandgate.kernel.syscalls import AUDIT_ARCH, number_of
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Literal

    Comparison = Literal["any_bit", "equal", "not_equal", "set"]
    # Tests, each as (argument, comparison, value, mask), and the action when they hold, in their order.
    Decision = tuple[tuple[tuple[tuple[int, Comparison, int, int], ...], int], ...]

# <linux/seccomp.h>
KILL = 0x80000000  # the whole process
NOTIFY = 0x7FC00000
ALLOW = 0x7FFF0000
_ERRNO = 0x00050000

# <linux/bpf_common.h>: BPF_LD|W|ABS, BPF_ALU|AND|K, BPF_JMP|{JA,JEQ,JGT,JGE,JSET}|K, BPF_RET|K
_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_FAR_JUMP, _EQUAL, _GREATER_OR_EQUAL, _ANY_BIT = 0x05, 0x15, 0x35, 0x45

_NUMBER_AT, _ARCH_AT, _ARGUMENTS_AT = 0, 4, 16  # struct seccomp_data
X32_BIT = 0x40000000
NEGATIVE = 0x80000000
JUMP_MAX = 255  # a conditional jump has one byte of distance
PROGRAM_MAX = 4096  # BPF_MAXINSNS
PIECE_RUNS_MAX = 64  # of one piece of the search: 63 comparisons and at most as many answers are within reach


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


class CallRule(Record):
    """What happens to one call, by name, when all `tests` hold."""

    call: str
    action: int
    tests: tuple[Test, ...] = ()


def rules(calls: str, action: int, *tests: Test) -> tuple[CallRule, ...]:
    """The same rule for every call in a space-separated list."""
    return tuple(CallRule(call, action, tests) for call in calls.split())


class _Assembler:
    """Instructions with named jump targets, resolved at the end."""

    def __init__(self) -> None:
        self._code: list[tuple[int, int, str, str]] = []  # operation, operand, target if true, target if false
        self._labels: dict[str, int] = {}

    def emit(self, operation: int, operand: int, yes: str = "", no: str = "") -> None:
        self._code.append((operation, operand, yes, no))

    def label(self, name: str) -> None:
        self._labels[name] = len(self._code)

    def packed(self) -> bytes:
        if len(self._code) > PROGRAM_MAX:
            raise ValueError(f"a filter of {len(self._code)} instructions, the kernel takes {PROGRAM_MAX}")
        return b"".join([self._instruction(at, *line) for at, line in enumerate(self._code)])

    def _instruction(self, at: int, operation: int, operand: int, yes: str, no: str) -> bytes:
        if operation == _FAR_JUMP:
            return struct.pack("=HBBI", operation, 0, 0, self._labels[yes] - at - 1)
        return struct.pack("=HBBI", operation, self._distance(at, yes), self._distance(at, no), operand)

    def _distance(self, at: int, label: str) -> int:
        distance = self._labels[label] - at - 1 if label else 0
        if not 0 <= distance <= JUMP_MAX:
            raise ValueError(f"jump to {label} from {at} spans {distance} instructions")
        return distance


def assemble(wanted: Iterable[CallRule], *, machine: str, otherwise: Mapping[int, int]) -> bytes:
    """The program for one machine, eight bytes an instruction. `otherwise`: actions of calls by number, for those of
    which no rule holds; a call without any does not exist."""
    of_call: dict[int, tuple[CallRule, ...]] = {}
    for rule in wanted:
        number = number_of(rule.call, machine=machine)
        if number is not None:
            of_call[number] = (*of_call.get(number, ()), rule)
    unknown = refuse(errno.ENOSYS)
    decisions = {number: _decision(rules, otherwise.get(number, unknown)) for number, rules in of_call.items()}
    program = _Assembler()
    _check_machine(program, machine)
    blocks: dict[Decision, str] = {}
    _search(program, _runs({**otherwise, **decisions}, machine), blocks)
    for block, label in blocks.items():
        program.label(label)
        _decide(program, block, label)
    return program.packed()


def _check_machine(program: _Assembler, machine: str) -> None:
    program.emit(_LOAD, _ARCH_AT)
    program.emit(_EQUAL, AUDIT_ARCH[machine], "native", "")
    program.emit(_RETURN, KILL)
    program.label("native")
    program.emit(_LOAD, _NUMBER_AT)


def _runs(answers: dict[int, int | Decision], machine: str) -> list[tuple[int, int | Decision]]:
    """All numbers in runs that are answered alike: the first number of each, and an action or rules about arguments."""
    unknown = refuse(errno.ENOSYS)
    runs: list[tuple[int, int | Decision]] = []
    for number in range(NEWEST_KNOWN + 1):
        answer = answers.get(number, unknown)
        if not runs or runs[-1][1] != answer:
            runs.append((number, answer))
    # A call newer than our table could be a new way to do an old thing; callers of new calls expect ENOSYS.
    runs.append((NEWEST_KNOWN + 1, unknown))
    if machine == "x86_64":  # a second door to every call; a negative number is a call that is skipped
        runs += [(X32_BIT, KILL), (NEGATIVE, unknown)]
    return runs


def _decision(rules: tuple[CallRule, ...], otherwise: int) -> int | Decision:
    """The rules of one call without its name, so that calls with the same rules share them."""
    if not rules[0].tests:
        return rules[0].action
    named = [(tuple([(t.argument, t.compare, t.value, t.mask) for t in rule.tests]), rule.action) for rule in rules]
    return (*named, ((), otherwise))


def _search(program: _Assembler, runs: list[tuple[int, int | Decision]], blocks: dict[Decision, str]) -> None:
    if len(runs) <= PIECE_RUNS_MAX:
        _piece(program, runs, blocks)
        return
    middle = len(runs) // 2
    above = f"from {runs[middle][0]}"
    program.emit(_GREATER_OR_EQUAL, runs[middle][0], "", f"below {above}")
    program.emit(_FAR_JUMP, 0, above)
    program.label(f"below {above}")
    _search(program, runs[:middle], blocks)
    program.label(above)
    _search(program, runs[middle:], blocks)


def _piece(program: _Assembler, runs: list[tuple[int, int | Decision]], blocks: dict[Decision, str]) -> None:
    name = f"piece {runs[0][0]}"
    answers = {answer: f"{name} answer {index}" for index, answer in enumerate(dict.fromkeys(map(_answer, runs)))}

    def target(low: int, high: int) -> str:
        return answers[runs[low][1]] if high - low == 1 else f"{name} {low} {high}"

    waiting = [(0, len(runs))]
    while waiting:
        low, high = waiting.pop()
        middle = (low + high) // 2
        program.label(f"{name} {low} {high}")
        if high - low == 1:
            continue  # a piece of one run: its answer is next
        program.emit(_GREATER_OR_EQUAL, runs[middle][0], target(middle, high), target(low, middle))
        waiting += [half for half in ((middle, high), (low, middle)) if half[1] - half[0] > 1]
    for answer, label in answers.items():
        program.label(label)
        if isinstance(answer, int):
            program.emit(_RETURN, answer)
        else:
            program.emit(_FAR_JUMP, 0, blocks.setdefault(answer, f"block {len(blocks)}"))


def _answer(run: tuple[int, int | Decision]) -> int | Decision:
    return run[1]


def _decide(program: _Assembler, decision: Decision, name: str) -> None:
    for index, (tests, action) in enumerate(decision):
        missed = f"{name} missed {index}"
        for place, test in enumerate(tests):
            _check_argument(program, *test, missed, f"{name} held {index}.{place}")
        program.emit(_RETURN, action)
        program.label(missed)


def _check_argument(
    program: _Assembler, argument: int, compare: Comparison, value: int, mask: int, missed: str, held: str
) -> None:
    low = _ARGUMENTS_AT + 8 * argument
    program.emit(_LOAD, low)
    if compare == "any_bit":
        program.emit(_ANY_BIT, value, "", missed)
    elif compare == "set":
        program.emit(_EQUAL, 0, "", held)
        program.emit(_LOAD, low + 4)
        program.emit(_EQUAL, 0, missed, "")
        program.label(held)
    else:
        program.emit(_AND, mask)
        same, other = ("", missed) if compare == "equal" else (missed, "")
        program.emit(_EQUAL, value, same, other)

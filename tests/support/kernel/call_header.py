"""Writes native/call_groups.h, the namespace backend's copy of `kernel.call_groups`.

Run `python tests/support/kernel/call_header.py` after adding a system call.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
HEADER = ROOT / "native" / "call_groups.h"
WIDTH = 120

TEXT = """/* Which system calls exist for a command: made from src/sandgate/kernel/call_groups.py by
 * tests/support/kernel/call_header.py. */
#ifndef SANDGATE_CALL_GROUPS_H
#define SANDGATE_CALL_GROUPS_H

#define NEWEST_REVIEWED_SYSCALL {newest}

struct run {{
    unsigned short first, last; /* numbers, both included */
}};

#ifdef __x86_64__
{x86_64}
#else
{aarch64}
#endif

#endif
"""


def header() -> str:
    """What native/call_groups.h has to say."""
    from sandgate.kernel.call_groups import NEWEST_KNOWN

    return TEXT.format(newest=NEWEST_KNOWN, x86_64=_tables("x86_64"), aarch64=_tables("aarch64"))


def _tables(machine: str) -> str:
    from sandgate.kernel.call_groups import GROUPS
    from sandgate.kernel.syscalls import NUMBERS

    numbers = NUMBERS[machine]
    tables = []
    for answer, name in (("allow", "allowed_calls"), ("EPERM", "refused_calls")):
        calls = [call for group in GROUPS if group.answer == answer for call in group.calls]
        tables.append(_table(name, sorted(numbers[call] for call in calls if call in numbers)))
    return "\n".join(tables)


def _table(name: str, numbers: list[int]) -> str:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    lines = [f"static const struct run {name}[] = {{", "   "]
    for first, last in runs:
        entry = f" {{{first}, {last}}},"
        if len(lines[-1]) + len(entry) > WIDTH:
            lines.append("   ")
        lines[-1] += entry
    return "\n".join([*lines, "};"])


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "src"))
    HEADER.write_text(header())

"""System calls by name: their numbers on the two machines we know, and a way to make them.  syscall(2)

The table is that of `call_groups`. A call absent on a machine has no number there; `number_of` then says None, which
for a filter means "nothing to do". ctypes is loaded by the first call made, not by reading the table.
"""

from __future__ import annotations

import os

from sandgate.kernel.call_groups import numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    Machine = Literal["x86_64", "aarch64"]

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # <linux/audit.h>
ARGUMENTS = 6  # registers a system call can take

NUMBERS: dict[str, dict[str, int]] = {"x86_64": numbers(1), "aarch64": numbers(2)}


def machine() -> str:
    """This machine's name in `NUMBERS`, or another name when we have no table for it."""
    return os.uname().machine


def number_of(name: str, *, machine: str) -> int | None:
    """The number of a call, None where the machine has no such call."""
    if name not in NUMBERS["x86_64"] and name not in NUMBERS["aarch64"]:
        raise KeyError(name)
    return NUMBERS[machine].get(name)


class Caller:
    """Makes raw system calls. One object, made once, so that a restricted thread loads nothing."""

    def __init__(self) -> None:
        import ctypes

        self._errno = ctypes.get_errno
        self._numbers = NUMBERS[machine()]
        self._syscall = ctypes.CDLL(None, use_errno=True).syscall
        self._syscall.restype = ctypes.c_long
        # A void pointer takes an int of any sign at full width, and bytes or a buffer by address.
        self._syscall.argtypes = [ctypes.c_long, *[ctypes.c_void_p] * ARGUMENTS]

    def call(self, name: str, *arguments: int | bytes | Any) -> int:
        """The result, or OSError. Integers are passed as 64 bits, `bytes` and ctypes buffers by address."""
        result: int = self._syscall(self._numbers[name], *arguments, *(0,) * (ARGUMENTS - len(arguments)))
        if result == -1:
            code = self._errno()
            raise OSError(code, os.strerror(code))
        return result


_caller: Caller | None = None


def caller() -> Caller:
    """The process's caller, made at first use."""
    global _caller
    if _caller is None:
        _caller = Caller()
    return _caller

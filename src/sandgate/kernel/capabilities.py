"""Takes root's powers from a thread and all it starts.  capabilities(7)

Under a Landlock domain real root would still load filters into the kernel, read raw disks or change the clock.
What stays is what root needs to work on files it may reach anyway; the file rules bind it like any other user.
"""

from __future__ import annotations

import errno
import os
import struct

from sandgate.kernel.syscalls import caller

# <linux/capability.h>: CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_FSETID
KEPT = (0, 1, 3, 4)
NUMBER_MAX = 63
_VERSION_3 = 0x20080522  # _LINUX_CAPABILITY_VERSION_3: two words a set
_PR_CAPBSET_DROP = 24  # <linux/prctl.h>


def drop_powers(*, for_good: bool) -> None:
    """Keeps `KEPT` alone, in this thread; with `for_good` no exec brings more back. Nothing to do unless root."""
    if os.geteuid() != 0:
        return
    if for_good:
        for number in range(NUMBER_MAX + 1):
            if number not in KEPT and not _drop_bound(number):
                break
    kept = sum(1 << number for number in KEPT) & _permitted()
    _set(kept, kept)


class WithoutPowers:
    """While it is entered, this thread has no effective capability; what may be taken back stays permitted."""

    def __init__(self) -> None:
        self._kept = 0 if os.geteuid() != 0 else sum(1 << number for number in KEPT) & _permitted()

    def __enter__(self) -> None:
        if self._kept:
            _set(0, self._kept)

    def __exit__(self, *_: object) -> None:
        if self._kept:
            _set(self._kept, self._kept)


def _set(effective: int, permitted: int) -> None:
    """Of the first 32 capabilities; the others are gone."""
    header = struct.pack("=Ii", _VERSION_3, 0)
    caller().call("capset", header, struct.pack("=6I", effective, permitted, 0, 0, 0, 0))


def _drop_bound(number: int) -> bool:
    try:
        caller().call("prctl", _PR_CAPBSET_DROP, number, 0, 0, 0)
    except OSError as error:
        if error.errno == errno.EINVAL:
            return False  # past the last one this kernel knows
        if error.errno != errno.EPERM:
            raise  # without CAP_SETPCAP the bounding set stays, as it would for any program here
    return True


def _permitted() -> int:
    with open("/proc/thread-self/status", "rb", buffering=0) as file:
        text = file.read(4096)
    return int(text.partition(b"CapPrm:")[2].split(None, 1)[0], 16)

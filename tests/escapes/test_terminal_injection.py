"""Nothing can be typed into the user's terminal (threat table, row 11)."""

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, Stage

# The terminal is the attacker's own, so that the call would pass without the filter whatever the kernel's default.
INJECT = """
import ctypes, errno, os, pty, sys
libc = ctypes.CDLL(None, use_errno=True)
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
master, slave = pty.openpty()
for request in (TIOCSTI, TIOCSTI | 1 << 32, TIOCLINUX, TIOCLINUX | 1 << 32):
    libc.ioctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_char_p]
    result = libc.ioctl(slave, request, b"\\x06")
    print("done" if result >= 0 else errno.errorcode[ctypes.get_errno()])
"""


@BOTH_BACKENDS
def test_terminal_injection_is_refused_by_the_low_32_bits_of_the_request(stage: Stage, backend: str) -> None:
    """Required: the kernel looks at 32 bits, so a filter that compares 64 can be passed (CVE-2019-7303)."""
    outside = stage.unconfined(stage.script(INJECT)).stdout.split()
    assert outside[2:] == ["ENOTTY", "ENOTTY"]  # a pseudo-terminal has no such call: the filter is what refuses
    assert stage.confined(stage.script(INJECT), backend=backend).stdout.split() == ["EPERM"] * 4


@pytest.mark.host("namespace")
def test_the_command_has_no_controlling_terminal(stage: Stage) -> None:
    attack = stage.script("import os\nos.open('/dev/tty', os.O_RDWR)\nprint('opened')")
    assert stage.confined(attack).stdout == ""
    assert stage.confined(["sh", "-c", "ps -o sid= -p $$ | tr -d ' '; echo $$"]).exit_code == 0

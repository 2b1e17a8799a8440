"""Shared memory and message queues of the host are other ones (threat table, row 26)."""

import os
from pathlib import Path

import pytest

from support.escape.escape_stage import Stage

pytestmark = pytest.mark.host("namespace")

SEGMENT = """
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
key = 0x5A6D6761
print("found" if libc.shmget(key, 16, 0) >= 0 else errno.errorcode[ctypes.get_errno()])
"""
MAKE = SEGMENT.replace("16, 0)", "16, 0o1666)")
REMOVE = """
import ctypes
libc = ctypes.CDLL(None)
libc.shmctl(libc.shmget(0x5A6D6761, 16, 0), 0, None)
"""


def test_a_segment_of_the_host_is_not_found(stage: Stage) -> None:
    stage.unconfined(stage.script(MAKE))
    try:
        assert stage.unconfined(stage.script(SEGMENT)).stdout == "found\n"
        assert stage.confined(stage.script(SEGMENT)).stdout == "ENOENT\n"
    finally:
        stage.unconfined(stage.script(REMOVE))


def test_files_in_shared_memory_are_private(stage: Stage) -> None:
    name = Path("/dev/shm") / f"sandgate-escape-{os.getpid()}"
    name.write_text("host")
    name.chmod(0o666)
    try:
        attack = ["sh", "-c", 'cat "$1"; echo evil > "$1"; cat "$1"', "sh", str(name)]
        assert stage.confined(attack).stdout == "evil\n"
        assert name.read_text() == "host"
        assert stage.unconfined(attack).stdout == "hostevil\n"
    finally:
        name.unlink()

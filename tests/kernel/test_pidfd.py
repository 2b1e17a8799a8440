"""Other processes by descriptor."""

from __future__ import annotations

import errno
import os
import subprocess

import pytest

from sandgate.kernel.pidfd import WAIT_STATUS_LOST, copy_descriptor, reap


def test_a_descriptor_is_copied_from_another_process() -> None:
    with subprocess.Popen(["sleep", "60"], stdin=subprocess.PIPE) as process:
        try:
            copy = copy_descriptor(process.pid, 0)
            assert not os.get_inheritable(copy)
            assert process.stdin is not None
            os.write(process.stdin.fileno(), b"x")
            assert os.read(copy, 1) == b"x"
            os.close(copy)
            with pytest.raises(OSError, match="Bad file descriptor") as caught:
                copy_descriptor(process.pid, 999)
            assert caught.value.errno == errno.EBADF
        finally:
            process.kill()


def test_a_child_is_reaped_once_and_a_stolen_one_reports_a_lost_status() -> None:
    pid = os.posix_spawn("/bin/sh", ["sh", "-c", "exit 3"], {})
    assert os.waitstatus_to_exitcode(reap(pid)) == 3
    assert os.waitstatus_to_exitcode(reap(pid)) == os.waitstatus_to_exitcode(WAIT_STATUS_LOST) == 255

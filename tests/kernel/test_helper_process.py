"""The helper as a process."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from sandgate.kernel.helper_process import SLOTS, reap, spawn


def test_a_program_starts_with_the_socket_in_every_slot_and_no_environment(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nfor fd in 0 1 2 3; do readlink /proc/$$/fd/$fd; done >&3; echo ${HOME-none} >&3\n")
    program.chmod(0o755)
    ours, its = socket.socketpair()
    with ours, its:
        name = os.readlink(f"/proc/self/fd/{its.fileno()}")
        pid = spawn(str(program), its)
        its.close()
        assert reap(pid) == 0
        assert ours.makefile().read().split() == [*[name] * SLOTS, "none"]


def test_what_cannot_be_started_says_so() -> None:
    ours, its = socket.socketpair()
    with ours, its, pytest.raises(FileNotFoundError):
        spawn("/nowhere/helper", its)


def test_one_that_somebody_else_reaped_has_no_status() -> None:
    ours, its = socket.socketpair()
    with ours, its:
        pid = spawn("/bin/false", its)
    assert reap(pid) == 1 << 8
    assert reap(pid) is None

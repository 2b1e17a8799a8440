"""A program with the setuid bit gains nothing (threat table, row 22)."""

import os
import shutil

import pytest

from support.escape.escape_stage import ATTEMPT, BOTH_BACKENDS, Stage


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a setuid program for the test")
@BOTH_BACKENDS
def test_a_setuid_program_keeps_the_users_identity(stage: Stage, backend: str) -> None:
    if stage.uid == 0:
        return  # root has nothing to gain
    program = stage.repo / "become"
    shutil.copy("/usr/bin/id", program)
    os.chown(program, 0, 0)
    program.chmod(0o4755)
    assert stage.unconfined([str(program), "-u"]).stdout == "0\n"
    assert stage.confined([str(program), "-u"], backend=backend).stdout == f"{stage.uid}\n"


LEAVE = (
    ATTEMPT
    + """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
open("program", "w").close()
held = os.open("program", os.O_RDWR)
for bits in (0o4755, 0o2755, 0o6755):
    attempt(os.chmod, "program", bits)
    attempt(os.fchmod, held, bits)
    attempt(lambda bits: os.open(f"new{bits}", os.O_WRONLY | os.O_CREAT, bits), bits)
    attempt(os.mknod, f"node{bits}", 0o100000 | bits)
    attempt(lambda bits: os.open(".", os.O_WRONLY | os.O_TMPFILE, bits), bits)
    if libc.creat(f"creat{bits}".encode(), bits) >= 0:
        print("made with creat")
    how = (ctypes.c_uint64 * 3)(os.O_WRONLY | os.O_CREAT, bits, 0)
    if libc.syscall(437, -100, f"how{bits}".encode(), how, 24) >= 0:
        print("made with openat2")
os.open("plain", os.O_RDONLY | os.O_CREAT, 0o755)
os.chmod("program", 0o1755)
"""
)


@BOTH_BACKENDS
def test_no_setuid_program_is_left_on_the_host(stage: Stage, backend: str) -> None:
    ran = stage.confined(stage.script(LEAVE), backend=backend)
    assert (ran.exit_code, ran.stdout) == (0, ""), ran
    assert [path.name for path in stage.repo.iterdir() if path.stat().st_mode & 0o6000] == []


@pytest.mark.host("namespace")
def test_the_same_script_leaves_some_outside(stage: Stage) -> None:
    assert stage.unconfined(stage.script(LEAVE)).exit_code == 0
    assert [path.name for path in stage.repo.iterdir() if path.stat().st_mode & 0o6000] != []

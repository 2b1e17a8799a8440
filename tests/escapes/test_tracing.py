"""Other processes cannot be traced or read, inside or outside (threat table, row 10)."""

import pytest

from escape_stage import Stage

TRACE = """
import ctypes, errno, os, signal, time
libc = ctypes.CDLL(None, use_errno=True)
numbers = {
    "x86_64": {"ptrace": 101, "process_vm_readv": 310, "pidfd_open": 434, "pidfd_getfd": 438, "kcmp": 312},
    "aarch64": {"ptrace": 117, "process_vm_readv": 270, "pidfd_open": 434, "pidfd_getfd": 438, "kcmp": 272},
}[os.uname().machine]
child = os.fork()
if child == 0:
    signal.pause()
class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]
room = ctypes.create_string_buffer(8)
here, there = Vector(ctypes.addressof(room), 8), Vector(ctypes.addressof(room), 8)
pidfd = libc.syscall(numbers["pidfd_open"], child, 0)
def say(what, result):
    print(what, "done" if result >= 0 else errno.errorcode[ctypes.get_errno()])
say("process_vm_readv", libc.syscall(
    numbers["process_vm_readv"], child, ctypes.byref(here), 1, ctypes.byref(there), 1, 0))
say("pidfd_getfd", libc.syscall(numbers["pidfd_getfd"], pidfd, 0, 0))
say("kcmp", libc.syscall(numbers["kcmp"], os.getpid(), child, 1, 0, 0))
say("ptrace", libc.syscall(numbers["ptrace"], 16, child, 0, 0))
os.kill(child, 9)
"""


@pytest.mark.host("namespace")
def test_even_a_child_cannot_be_traced(stage: Stage) -> None:
    attack = stage.script(TRACE)
    outside = dict(line.split() for line in stage.unconfined(attack).stdout.splitlines())
    assert outside["ptrace"] == "done"
    assert outside["process_vm_readv"] == "done"
    inside = dict(line.split() for line in stage.confined(attack).stdout.splitlines())
    assert inside == dict.fromkeys(("process_vm_readv", "pidfd_getfd", "kcmp", "ptrace"), "EPERM")

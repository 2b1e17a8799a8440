"""A debugger works on what it started, and reaches nothing else (threat table, row 10)."""

import shutil
import subprocess

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, Stage

TRACE = """
import ctypes, errno, os, signal, sys, time
libc = ctypes.CDLL(None, use_errno=True)
numbers = {
    "x86_64": {"ptrace": 101, "process_vm_readv": 310, "pidfd_open": 434, "pidfd_getfd": 438, "kcmp": 312},
    "aarch64": {"ptrace": 117, "process_vm_readv": 270, "pidfd_open": 434, "pidfd_getfd": 438, "kcmp": 272},
}[os.uname().machine]
target = int(sys.argv[1]) if len(sys.argv) > 1 else os.fork()
if target == 0:
    signal.pause()
class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]
room = ctypes.create_string_buffer(8)
here, there = Vector(ctypes.addressof(room), 8), Vector(ctypes.addressof(room), 8)
pidfd = libc.syscall(numbers["pidfd_open"], target, 0)
def say(what, result):
    print(what, "done" if result >= 0 else errno.errorcode[ctypes.get_errno()])
say("process_vm_readv", libc.syscall(
    numbers["process_vm_readv"], target, ctypes.byref(here), 1, ctypes.byref(there), 1, 0))
say("pidfd_getfd", libc.syscall(numbers["pidfd_getfd"], pidfd, 0, 0))
say("kcmp", libc.syscall(numbers["kcmp"], os.getpid(), target, 1, 0, 0))
say("ptrace", libc.syscall(numbers["ptrace"], 16, target, 0, 0))
say("seize", libc.syscall(numbers["ptrace"], 0x4206, target, 0, 0))
if len(sys.argv) == 1:
    os.kill(target, 9)
"""


def answers(output: str) -> dict[str, str]:
    return dict(line.split() for line in output.splitlines())


@pytest.mark.host("namespace")
def test_a_child_can_be_traced_and_its_descriptors_cannot_be_taken(stage: Stage) -> None:
    attack = stage.script(TRACE)
    outside = answers(stage.unconfined(attack).stdout)
    assert (outside["ptrace"], outside["process_vm_readv"]) == ("done", "done")
    inside = answers(stage.confined(attack).stdout)
    assert inside == outside | dict.fromkeys(("pidfd_getfd", "kcmp"), "EPERM")


@pytest.mark.host("namespace")
def test_the_sandboxs_first_process_cannot_be_traced(stage: Stage) -> None:
    """Required: it shares its memory with the supervisor."""
    inside = answers(stage.confined(stage.script(TRACE, "1")).stdout)
    assert (inside["ptrace"], inside["seize"], inside["process_vm_readv"]) == ("EPERM", "EPERM", "EPERM")


@BOTH_BACKENDS
def test_a_process_outside_cannot_be_traced(stage: Stage, backend: str) -> None:
    target = subprocess.Popen(["sleep", "60"])
    try:
        inside = answers(stage.confined(stage.script(TRACE, str(target.pid)), backend=backend).stdout)
        assert inside["ptrace"] in ("ESRCH", "EPERM")
        assert inside["seize"] in ("ESRCH", "EPERM")
        assert inside["process_vm_readv"] in ("ESRCH", "EPERM")
    finally:
        target.kill()
        target.wait()


SUSPEND = """
import ctypes, os, signal, sys
libc = ctypes.CDLL(None, use_errno=True)
ptrace = {"x86_64": 101, "aarch64": 117}[os.uname().machine]
child = os.fork()
if child == 0:
    signal.pause()
libc.syscall(ptrace, 16, child, 0, 0)
os.waitpid(child, 0)
print(libc.syscall(ptrace, 0x4200, child, 0, 1 << 21))  # PTRACE_O_SUSPEND_SECCOMP
print(libc.syscall(ptrace, 0x420c, child, 0, 0))  # PTRACE_SECCOMP_GET_FILTER
os.kill(child, 9)
"""


@pytest.mark.host("namespace")
def test_a_tracer_cannot_switch_the_filter_off(stage: Stage) -> None:
    assert stage.confined(stage.script(SUSPEND)).stdout == "-1\n-1\n"


ASKED_BY_ITSELF = """
import ctypes, os, sys
ctypes.CDLL(None).syscall({"x86_64": 101, "aarch64": 117}[os.uname().machine], 0, 0, 0, 0)  # PTRACE_TRACEME
os.kill(os.getpid(), 10 if len(sys.argv) > 1 else 28)  # SIGUSR1 ends it, SIGWINCH does not
print("went on", flush=True)
os.execv("/bin/echo", ["echo", "and on"])
"""


@pytest.mark.host("namespace")
def test_who_asks_the_first_process_to_trace_it_goes_on(stage: Stage) -> None:
    """Required: it is stopped at each signal and at exec, and nobody else could let it go on."""
    ran = stage.confined(stage.script(ASKED_BY_ITSELF))
    assert (ran.said, ran.exit_code) == ("went on\nand on\n", 0)
    assert stage.confined(stage.script(ASKED_BY_ITSELF, "signal")).exit_code == 128 + 10


@pytest.mark.host("namespace")
@pytest.mark.parametrize("debugger", ["strace", "gdb"])
def test_debuggers_work(stage: Stage, debugger: str) -> None:
    if shutil.which(debugger) is None:
        pytest.skip(f"no {debugger} here")
    stage.own()
    words = {"strace": ["-o", "trace", "/bin/true"], "gdb": ["-batch", "-nx", "-ex", "run", "/bin/true"]}[debugger]
    ran = stage.confined([debugger, *words])
    assert ran.exit_code == 0, ran.said
    assert (ran.verdict, ran.denials) == ("not_denied", [])
    assert "exited normally" in ran.stdout or b"exited with 0" in (stage.repo / "trace").read_bytes()

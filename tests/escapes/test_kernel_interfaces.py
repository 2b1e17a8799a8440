"""System calls that ordinary commands do not need are closed (rows 21, 23, 24, 31 and 39), one row a call."""

import json
import os

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, Stage

# name → number on x86-64 and arm64, arguments, what the command gets
CALLS = {
    "io_uring_setup": ((425, 425), (1, 0), "ENOSYS"),
    "io_uring_enter": ((426, 426), (0, 0, 0, 0, 0, 0), "ENOSYS"),
    "io_uring_register": ((427, 427), (0, 0, 0, 0), "ENOSYS"),
    "keyctl": ((250, 219), (0, -3, 0), "EPERM"),
    "add_key": ((248, 217), (0, 0, 0, 0, -3), "EPERM"),
    "request_key": ((249, 218), (0, 0, 0, 0), "EPERM"),
    "bpf": ((321, 280), (0, 0, 0), "EPERM"),
    "perf_event_open": ((298, 241), (0, 0, -1, -1, 0), "EPERM"),
    "userfaultfd": ((323, 282), (1,), "EPERM"),
    "kexec_load": ((246, 104), (0, 0, 0, 0), "EPERM"),
    "init_module": ((175, 105), (0, 0, 0), "EPERM"),
    "finit_module": ((313, 273), (0, 0, 0), "EPERM"),
    "delete_module": ((176, 106), (0, 0), "EPERM"),
    "open_by_handle_at": ((304, 265), (0, 0, 0), "EPERM"),
    "setns": ((308, 268), (0, 0), "EPERM"),
    "personality": ((135, 92), (0x0008,), "EPERM"),
    "reboot": ((169, 142), (0xFEE1DEAD, 672274793, 0, 0), "EPERM"),
    "settimeofday": ((164, 170), (0, 0), "EPERM"),
    "sethostname": ((170, 161), (0, 0), "EPERM"),
    "swapon": ((167, 224), (0, 0), "EPERM"),
    "clone3": ((435, 435), (0, 0), "ENOSYS"),
    "fanotify_init": ((300, 262), (0, 0), "EPERM"),
}
ASK = """
import ctypes, errno, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
row = {"x86_64": 0, "aarch64": 1}[os.uname().machine]
for name, (numbers, arguments, _) in json.loads(sys.argv[1]).items():
    ctypes.set_errno(0)
    result = libc.syscall(numbers[row], *(ctypes.c_long(value) for value in arguments))
    print(name, errno.errorcode.get(ctypes.get_errno(), "done") if result < 0 else "done")
"""
FOREIGN_ABI = """
import ctypes, mmap, os
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write({program})
address = ctypes.addressof(ctypes.c_char.from_buffer(code))
print(ctypes.CFUNCTYPE(ctypes.c_long)(address)())
"""
# mov eax, N; int 0x80 | syscall; ret: getpid by the 32-bit table (20), and by the x32 table (39 | 1 << 30)
GETPID_32 = b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"
GETPID_X32 = b"\xb8\x27\x00\x00\x40\x0f\x05\xc3"


@BOTH_BACKENDS
def test_each_call_is_refused_in_its_own_way(stage: Stage, backend: str) -> None:
    ran = stage.confined(stage.script(ASK, json.dumps(CALLS)), backend=backend)
    answers = dict(line.split() for line in ran.stdout.splitlines())
    assert answers == {name: answer for name, (_, _, answer) in CALLS.items()}


@pytest.mark.host("namespace")
def test_the_table_asks_for_calls_that_this_kernel_has(stage: Stage) -> None:
    """Harmless ones only: they must get further outside than the filter lets them."""
    harmless = {name: CALLS[name] for name in ("io_uring_setup", "keyctl", "personality")}
    answers = dict(
        line.split() for line in stage.unconfined(stage.script(ASK, json.dumps(harmless))).stdout.splitlines()
    )
    assert (answers["keyctl"], answers["personality"]) == ("done", "done")
    assert answers["io_uring_setup"] in ("EFAULT", "EPERM")  # EPERM: switched off by a kernel setting


@BOTH_BACKENDS
@pytest.mark.parametrize("program", [GETPID_32, GETPID_X32], ids=["i386", "x32"])
def test_the_other_call_tables_end_the_program(stage: Stage, backend: str, program: bytes) -> None:
    if os.uname().machine != "x86_64":
        return  # there is one table only
    ran = stage.confined(stage.script(FOREIGN_ABI.format(program=program)), backend=backend)
    assert (ran.exit_code, ran.termination) == (128 + 31, "signaled"), ran  # SIGSYS


@BOTH_BACKENDS
def test_device_nodes_cannot_be_made(stage: Stage, backend: str) -> None:
    attack = stage.script("import os; os.mknod('disk', 0o60666, os.makedev(254, 0)); print('made')")
    if stage.uid == 0:
        assert stage.unconfined(attack).stdout == "made\n"
        (stage.repo / "disk").unlink()
    assert stage.confined(attack, backend=backend).stdout == ""


@pytest.mark.host("namespace")
def test_only_harmless_devices_exist(stage: Stage) -> None:
    seen = set(stage.confined(["ls", "/dev"]).stdout.split())
    assert seen <= {
        *("null", "zero", "full", "random", "urandom", "tty", "fd", "stdin", "stdout", "stderr"),
        *("ptmx", "pts", "shm"),
    }


SPARED = """
for wanted in range(-1000, 1, 50):
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write(str(wanted))
    except OSError:
        continue
    print(wanted)
"""


@BOTH_BACKENDS
def test_the_kernel_spares_no_command_more_than_its_caller_may_ask_for(stage: Stage, backend: str) -> None:
    """When memory runs out: oom_score_adj goes as low as somebody with CAP_SYS_RESOURCE allowed, proc(5), no lower."""
    may = stage.unconfined(stage.script(SPARED)).stdout.split()
    confined = stage.confined(stage.script(SPARED), backend=backend).stdout.split()
    assert set(confined) <= set(may) & ({"0"} if backend == "landlock" else set(may))

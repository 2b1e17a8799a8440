"""System calls that no group allows, and pid 1 inside (threat table: kernel interfaces)."""

import errno
import os
import subprocess
from pathlib import Path

import pytest

from sandgate.kernel.call_groups import GROUPS
from sandgate.kernel.call_rules import FILE_KEYS, SCHEDULING, SHARED_CONTENT
from sandgate.kernel.syscalls import NUMBERS
from support.escape.escape_stage import BOTH_BACKENDS, Stage

PROBE = r"""
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <asm/unistd.h>

/* Each call in a process of its own, with arguments that do nothing: it may wait, or end the process. */
static int said(long number) {
    int channel[2], status, code = -1;
    if (pipe(channel) != 0) return -1;
    pid_t child = fork();
    if (child == 0) {
        struct itimerval soon = {{0, 0}, {0, 100000}};
        setitimer(ITIMER_REAL, &soon, 0);
        errno = 0;
        code = syscall(number, -1L, -1L, -1L, -1L, -1L, -1L) == -1 ? errno : 0;
        if (write(channel[1], &code, sizeof code) != sizeof code) _exit(1);
        _exit(0);
    }
    close(channel[1]);
    if (read(channel[0], &code, sizeof code) != sizeof code) code = -1;
    close(channel[0]);
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS ? -2 : code;
}

int main(int count, char **words) {
    long last = count > 1 ? 469 : 599;
    for (long number = 0; number <= last; number++) {
        int skipped = number == __NR_kill || number == __NR_msgget || number == __NR_vhangup || number == __NR_sync;
#ifdef __NR_vfork
        skipped |= number == __NR_vfork || number == __NR_fork; /* they return twice */
#endif
        if (!skipped) printf("%ld %d\\n", number, said(number));
    }
    printf("%ld %d\\n", 0x40000000L, said(0x40000000L | __NR_getpid));
    return 0;
}
""".replace("\\\\n", "\\n")
KILLED = -2  # by the filter
X32 = 0x40000000
MACHINE = os.uname().machine
ARGUMENTS = {NUMBERS[MACHINE].get(call, -1) for call in ["unshare", "clone", "personality", "socket", "socketpair"]}
STRICTER = {  # than the table: what a backend refuses besides
    "namespace": "",
    "landlock": f"{SCHEDULING} prlimit64 setpriority ioprio_set sendmmsg",
}


def told(output: str) -> dict[int, int]:
    return {int(number): int(code) for number, code in (line.split() for line in output.splitlines())}


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("calls")
    (folder / "probe.c").write_text(PROBE)
    subprocess.run(["cc", "-w", "-o", str(folder / "probe"), str(folder / "probe.c")], check=True)
    return folder / "probe"


@BOTH_BACKENDS
def test_every_number_is_answered_by_the_kernel_as_the_table_says(stage: Stage, backend: str, probe: Path) -> None:
    """All numbers from 0 to 599, and another door: refused calls give their group's errno, others reach the kernel."""
    program = stage.repo / "probe"
    program.write_bytes(probe.read_bytes())
    program.chmod(0o755)
    outside = told(stage.unconfined([str(program), "known"]).stdout)
    inside = told(stage.confined([str(program)], backend=backend).stdout)
    numbers = NUMBERS[MACHINE]
    answers = {
        numbers[call]: group.answer_with(namespaces=backend == "namespace")
        for group in GROUPS
        for call in group.calls
        if call in numbers
    }
    stricter = {numbers.get(call, -1) for call in STRICTER[backend].split()}
    for number in range(600):
        if number not in inside:
            continue
        answer = answers.get(number, "ENOSYS")
        if answer != "allow":
            assert (number, inside[number]) == (number, getattr(errno, answer))
        elif number not in stricter | ARGUMENTS:
            assert inside[number] != KILLED, number
            assert inside[number] != errno.ENOSYS or outside[number] == errno.ENOSYS, number
    assert len(inside) > 590
    if MACHINE == "x86_64":
        assert inside[X32] == KILLED
        assert outside[X32] != KILLED


LEASES = """
import fcntl, os, sys
path, own = sys.argv[1:]
def attempt(name, what, *arguments):
    try:
        what(*arguments)
        print(name, "done")
    except OSError as problem:
        print(name, problem.strerror)
foreign, mine = os.open(path, os.O_RDONLY), os.open(own, os.O_RDWR | os.O_CREAT)
directory = os.open(os.path.dirname(path), os.O_RDONLY)
attempt("lease", fcntl.fcntl, foreign, fcntl.F_SETLEASE, fcntl.F_RDLCK)
attempt("lease-word", fcntl.fcntl, os.dup(foreign), 1024, fcntl.F_RDLCK)
attempt("notify", fcntl.fcntl, directory, fcntl.F_NOTIFY, fcntl.DN_ACCESS)
attempt("delegation", fcntl.fcntl, directory, 1040, bytes(16))
attempt("getlease", fcntl.fcntl, foreign, fcntl.F_GETLEASE)
attempt("lock", fcntl.lockf, mine, fcntl.LOCK_EX)
"""


@BOTH_BACKENDS
def test_no_lease_and_no_notification_is_taken_on_a_file(stage: Stage, backend: str) -> None:
    """Required: a lease makes whoever writes the file outside wait for it."""
    path = stage.outside / "file"
    path.write_text("text")
    stage.own()
    attack = stage.script(LEASES, path, stage.repo / "own")
    outside = dict(line.split(" ", 1) for line in stage.unconfined(attack).stdout.splitlines())
    assert outside == {**dict.fromkeys(outside, "done"), "delegation": outside["delegation"]}  # Linux 6.19
    inside = dict(line.split(" ", 1) for line in stage.confined(attack, backend=backend).stdout.splitlines())
    refused = dict.fromkeys(("lease", "lease-word", "notify", "delegation"), "Operation not permitted")
    assert inside == {**outside, **refused}


FLOCKS = """
import fcntl, os, socket, sys
taken = []
def lock(path, flags, *kinds):
    fd = os.open(path, flags)
    for kind in kinds:
        fcntl.flock(fd, kind)
    taken.append(fd)
exclusive, shared, giving_back, now = fcntl.LOCK_EX, fcntl.LOCK_SH, fcntl.LOCK_UN, fcntl.LOCK_NB
folder, own = sys.argv[1:]
lock(folder + "/exclusive", os.O_RDONLY, exclusive)
lock(folder + "/shared", os.O_RDONLY, shared | now, giving_back)
lock(folder + "/given-back", os.O_RDONLY, giving_back, giving_back | now)
lock(folder, os.O_RDONLY, exclusive)
os.chdir(folder)
lock("by-name", os.O_RDONLY, exclusive)
fcntl.flock(os.dup(os.open("/proc/self/cwd/by-descriptor", os.O_RDONLY)), exclusive)
lock(own, os.O_RDWR | os.O_CREAT, exclusive)
lock("/dev/null", os.O_RDONLY, exclusive)
reading, writing = os.pipe()
fcntl.flock(reading, exclusive)
print("done")
"""


@BOTH_BACKENDS
def test_a_lock_on_a_file_outside_is_told(stage: Stage, backend: str) -> None:
    """Required: reading is enough for `flock`, and whoever outside wants the lock waits for the command."""
    for name in ("exclusive", "shared", "given-back", "by-name", "by-descriptor"):
        (stage.outside / name).write_text("text")
    stage.own()
    attack = stage.script(FLOCKS, stage.outside, stage.repo / "own")
    assert stage.unconfined(attack).said == "done\n"
    ran = stage.confined(attack, backend=backend)
    assert ran.said == "done\n"
    names = ("exclusive", "shared", "", "by-name", "by-descriptor")
    assert ran.locked == [str(stage.outside / name) for name in names]
    assert (ran.verdict, ran.denials) == ("not_denied", [])


TO_PID_1 = r"""
import ctypes, errno, os, sys
libc = ctypes.CDLL(None, use_errno=True)
calls = dict(zip("rt_sigqueueinfo pidfd_open prlimit64 setpriority sched_setaffinity kill tkill ioprio_set".split(),
    {"x86_64": (129, 434, 302, 141, 203, 62, 200, 251), "aarch64": (138, 434, 261, 140, 122, 129, 130, 30)}
    [os.uname().machine]))
target = int(sys.argv[1])
class Info(ctypes.Structure):
    _fields_ = [("words", ctypes.c_int * 32)]
def queued(sender):
    info = Info()
    info.words[0], info.words[2], info.words[4], info.words[5], info.words[6] = 34, -1, sender, os.getuid(), 15
    return info
room = ctypes.create_string_buffer(128)
def say(name, *arguments):
    done = libc.syscall(calls[name], *arguments)
    print(name, "done" if done >= 0 else errno.errorcode[ctypes.get_errno()])
say("pidfd_open", target, 0)
say("prlimit64", target, 7, None, room)
say("setpriority", 0, target, 19)
say("setpriority", 2, 0, 19) if target == 1 else None
say("ioprio_set", 3, 0, 0) if target == 1 else None
say("ioprio_set", 1, target, 0)
room[0] = b"\xff"
say("sched_setaffinity", target, 128, room)
for entry in sorted(os.listdir(f"/proc/{target}")):
    path = f"/proc/{target}/{entry}"
    for flags in (os.O_WRONLY, os.O_RDWR):
        try:
            os.write(os.open(path, flags), b"0")
            print("wrote", path)
        except OSError:
            pass
for entry in "mem environ root cwd exe maps fd/0 fd/3 ns/mnt syscall stack auxv".split():
    try:
        path = f"/proc/{target}/{entry}"
        os.readlink(path) if os.path.islink(path) else os.read(os.open(path, os.O_RDONLY), 64)
        print("read", entry)
    except OSError:
        pass
for sender in (os.getpid(), 0):
    say("rt_sigqueueinfo", target, 34, ctypes.byref(queued(sender)))
for number in (0, 1, 2, 15, 17, 19, 34, 64):
    say("kill", target, number)
    say("tkill", target, number)
folder = os.open(f"/proc/{target}", os.O_RDONLY)  # stands for its process in pidfd_send_signal(2)
for number in (34, 15, 9):
    libc.syscall(424, folder, number, None, 0)
print("alive")
"""


@pytest.mark.host("namespace")
def test_pid_1_inside_accepts_nothing(stage: Stage) -> None:
    """Required: it forwards signals for Sandgate, and once took a queued one from inside for such an order."""
    target = subprocess.Popen(["sleep", "60"], **stage._identity())
    try:
        outside = stage.unconfined(stage.script(TO_PID_1, str(target.pid))).stdout.splitlines()
    finally:
        target.kill()
        target.wait()
    assert {"pidfd_open done", "kill done", "prlimit64 done", "read environ", "alive"} <= set(outside)
    ran = stage.confined(stage.script(TO_PID_1, "1"))
    assert ran.exit_code == 0, ran.said
    *refused, last = ran.stdout.splitlines()
    assert {line.split()[1] for line in refused} == {"EPERM"}
    assert last == "alive"


@pytest.mark.slow
@pytest.mark.host("namespace")
def test_a_signal_from_inside_is_no_order(helper: str | None) -> None:
    """The same without filter and Landlock: what wakes init says nothing to it."""
    from support.kernel import helper_runs

    if helper is None:
        pytest.skip("no helper")
    plan = helper_runs.plan_for("/usr/bin/python3", "-I", "-S", "-c", TO_PID_1, "1")
    outcome = helper_runs.run(helper, plan, without=("seccomp", "landlock"))
    assert outcome.output.splitlines()[-1] == "alive"
    assert "rt_sigqueueinfo done" in outcome.output
    assert outcome.exit_code == 0


REQUESTS = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.ioctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p]
held = os.open(sys.argv[1], os.O_RDONLY)
for word in sys.argv[2:]:
    answer = libc.ioctl(held, int(word), None)
    print(word, os.strerror(ctypes.get_errno()) if answer else "done")
"""
"""Asks a file system for something, for a file that may only be read. Without an operand nothing happens."""

BTRFS_OR_BCACHEFS = [owner << 8 | number for owner in (0x94, 0xBC) for number in range(256)]


@BOTH_BACKENDS
def test_no_file_system_is_asked_for_snapshots_keys_or_seals(stage: Stage, backend: str) -> None:
    """Required: an owner's snapshot of a home shows what is hidden in it, and takes no more than reading."""
    wanted = [number | size for number in BTRFS_OR_BCACHEFS for size in (0, 0x50000000, 0x40 << 16)]
    wanted = [one for one in wanted if one not in SHARED_CONTENT]
    wanted += [*FILE_KEYS, *(one | 1 << 32 for one in FILE_KEYS)]
    (stage.outside / "file").write_text("of another")
    stage.own()
    attack = stage.script(REQUESTS, stage.outside / "file", *map(str, wanted))
    unconfined = stage.unconfined(attack).stdout.splitlines()
    assert [line for line in unconfined if "Operation not permitted" in line] == []
    confined = stage.confined(attack, backend=backend).stdout.splitlines()
    assert [line for line in confined if "Operation not permitted" not in line] == []
    assert len(confined) == len(wanted)


@BOTH_BACKENDS
def test_files_may_still_share_their_content(stage: Stage, backend: str) -> None:
    ask = stage.script(REQUESTS, "/etc/passwd", *map(str, SHARED_CONTENT))
    assert stage.confined(ask, backend=backend).stdout == stage.unconfined(ask).stdout

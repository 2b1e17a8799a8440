"""A child under Landlock and seccomp: the traps of its birth, everyday work, nothing left behind."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sandgate.kernel.launcher import start
from sandgate.protocol.confinement import Limits
from support.kernel.confined_runs import OUTSIDER, Account, confined, plan_for, run_plan, seen
from support.process.waiting import LIMIT_S, none_left_open, open_descriptors

pytestmark = [pytest.mark.host("landlock"), pytest.mark.host("notify")]

pytest_plugins = ["support.kernel.landlock_fixtures"]


RUNS = 300


PYTHON = "/usr/bin/python3"
STARTS = """
import os, resource, sys
sys.path[:0] = sys.argv[1].split(os.pathsep)
from support.kernel.confined_runs import confined
assert confined(("true",), sys.argv[2])["exit_code"] == 0
used, most = len(os.listdir("/proc/self/fd")), resource.getrlimit(resource.RLIMIT_NOFILE)[1]
for more in range(24):
    if pid := os.fork():
        os.waitpid(pid, 0)
        continue
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + more, most))
    try:
        ended = confined(("true",), sys.argv[2])
    except OSError as problem:
        ended = {"exit_code": None, "failure": problem.strerror}
    os.write(1, f"{more} {ended['exit_code']} {ended['failure']}\\n".encode())
    os._exit(0)
"""


def test_the_launcher_restricts_its_own_thread_only(
    my_workspace: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Trap: a pooled thread would poison later work of ours."""
    outside = tmp_path_factory.mktemp("outside") / "file"
    assert confined(f"echo x > {outside}", str(my_workspace))["exit_code"] == 2
    outside.write_text("we still may")
    assert "NoNewPrivs:\t0" in Path("/proc/self/status").read_text()


def test_the_launcher_keeps_our_directory_and_gives_the_child_its_own(my_workspace: Path) -> None:
    here = os.getcwd()
    assert confined("pwd", str(my_workspace))["output"] == f"{my_workspace}\n"
    assert os.getcwd() == here


def test_the_launcher_thread_outlives_a_child_that_wants_to_die_with_its_parent(my_workspace: Path) -> None:
    """Trap: PR_SET_PDEATHSIG means the thread that started the child, not the process."""
    program = "import ctypes, time; ctypes.CDLL(None).prctl(1, 9); time.sleep(0.3); print('alive')"
    outcome = confined(("/usr/bin/python3", "-c", program), str(my_workspace))
    assert (outcome["exit_code"], outcome["output"]) == (0, "alive\n")


def test_confined_child_gets_three_descriptors_only(my_workspace: Path) -> None:
    leak = os.dup(0)
    os.set_inheritable(leak, True)
    try:
        assert confined("ls /proc/self/fd", str(my_workspace))["output"].split() == ["0", "1", "2", "3"]
    finally:
        os.close(leak)


def test_limits_hold_from_the_first_instruction(my_workspace: Path) -> None:
    plan = plan_for(("sh", "-c", "ulimit -c; ulimit -Hn"), str(my_workspace)).but(limits=Limits(open_files=99))
    assert run_plan(plan)["output"] == "0\n99\n"


def test_confined_program_that_does_not_exist_is_a_failure(my_workspace: Path) -> None:
    assert confined(("nowhere",), str(my_workspace))["failure"] == {"what": "program", "errno": "ENOENT"}
    (my_workspace / "text").write_text("not a program")
    (my_workspace / "text").chmod(0o755)
    assert confined(("./text",), str(my_workspace))["failure"] == {"what": "program", "errno": "ENOEXEC"}


@pytest.mark.slow
def test_many_runs_leave_no_thread_descriptor_or_process(my_workspace: Path) -> None:
    threads = len(os.listdir("/proc/self/task"))
    confined("true", str(my_workspace))  # the kept rule set and the loaded libraries are not leaks
    before, kept = _holdings(threads), open_descriptors()
    for index in range(RUNS):
        confined(("/bin/true",) if index % 3 else ("./text",), str(my_workspace))
        if index == 0:
            (my_workspace / "text").write_text("not a program")
            (my_workspace / "text").chmod(0o755)
    left = _holdings(threads)
    assert left[0] <= before[0]  # a thread of an earlier test may have been about to go
    assert left[1] == before[1]
    assert none_left_open(kept)


def _holdings(threads: int) -> tuple[int, list[str]]:
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    for _ in range(10_000):
        if len(os.listdir("/proc/self/task")) == threads:
            break
        os.sched_yield()  # the last instructions of a thread that has already said goodbye
    return len(os.listdir("/proc/self/task")), children


def test_the_launcher_thread_stays_as_long_as_its_child(my_workspace: Path) -> None:
    """Trap: PR_SET_PDEATHSIG means the thread that started the child, not the process."""
    before = set(os.listdir("/proc/self/task"))  # by name: one of an earlier test may just be going
    child = start(plan_for(("/bin/sleep", "60"), str(my_workspace)), stdin=0, stdout=1, stderr=2)
    try:
        assert len(set(os.listdir("/proc/self/task")) - before) == 2  # the launcher and the supervisor
    finally:
        child.close()


def test_root_keeps_the_powers_over_files_and_no_other(account: Account, workspace: Path) -> None:
    told = account.confined("grep -E 'Cap(Eff|Bnd)|NoNewPrivs|Seccomp:' /proc/self/status", workspace)["output"]
    powers = "000000000000001b" if os.geteuid() == 0 and not account.ordinary else "0000000000000000"
    assert f"CapEff:\t{powers}\n" in told
    assert "NoNewPrivs:\t1\nSeccomp:\t2\n" in told


def test_outsiders_cannot_be_signalled(account: Account, workspace: Path) -> None:
    outcome = account.confined("kill -0 $PPID", workspace)
    assert outcome["exit_code"] != 0
    assert account.unconfined("kill -0 $PPID", workspace)["exit_code"] == 0


def test_outsiders_cannot_be_looked_into(account: Account, workspace: Path) -> None:
    """Required: the environment of whoever started us may hold keys."""
    script = f"cat /proc/{OUTSIDER}/environ > /dev/null"
    assert account.confined(script, workspace)["exit_code"] != 0
    assert account.unconfined(script, workspace)["exit_code"] == 0


EVERYDAY = {
    "make and remove": "touch a && mkdir -p p/q/r && mv p z && touch z/q/r/t && rm -rf z a",
    "git in a new directory": (
        "mkdir sub && cd sub && git init -q . && git config user.email a@b && git config user.name n && "
        "echo x > f && git add f && git commit -qm m && git log --oneline"
    ),
    "virtual environment": f"{PYTHON} -m venv --without-pip v && v/bin/python -c 'print(1)'",
    "compileall": f"echo 'x = 1' > m.py && {PYTHON} -m compileall -q . && test -d __pycache__",
    "compiler": "echo 'int main(void){return 0;}' > a.c && cc -o a a.c && ./a && cc -o src/a a.c && src/a",
    "make": "printf 'all: x y\\nx:\\n\\techo hi > x\\ny: x\\n\\tcp x y\\n' > Makefile && make -s -j2 && cat y",
    "tar": (
        "mkdir t && for i in 1 2 3; do echo $i > t/f$i; done && ln -s f1 t/l && chmod 640 t/f2 && ln t/f1 t/h && "
        "tar cf t.tar t && rm -r t && tar xpf t.tar && test $(stat -c %a t/f2) = 640 && test -L t/l"
    ),
    "temporary files": 'f=$(mktemp) && echo hi > "$f" && rm "$f" && d=$(mktemp -d) && touch "$d/a" && rm -r "$d"',
    "metadata": "touch a && chmod 600 a && touch -d 2001-01-01Z a && test $(stat -c %a:%Y a) = 600:978307200",
    "umask": "umask 0 && touch a && mkdir d && test $(stat -c %a a d | tr '\\n' :) = 666:777:",
    "pipes and jobs": "(echo a) & wait; echo b | cat | tee x > /dev/null; mkfifo f; (echo hi > f &); cat f",
    "devices": "echo x > /dev/null; echo y > /dev/stderr; head -c 4 /dev/urandom > r; ls / /dev > /dev/null",
    "edit in place": "echo int > a && sed -i s/int/long/ a && grep -q long a && cp -rp src s2 && install -m 700 a s2/b",
    "own terminal": "script -qc 'echo in pty' /dev/null",
}


@pytest.mark.parametrize("work", EVERYDAY.values(), ids=EVERYDAY)
def test_everyday_work_succeeds_and_denies_nothing(work: str, account: Account, workspace: Path) -> None:
    outcome = account.confined(work, workspace)
    assert (outcome["exit_code"], seen(outcome)) == (0, []), outcome["output"]
    assert outcome["reported"]


def test_multiprocessing_works_and_leaves_no_shared_memory(account: Account, workspace: Path) -> None:
    program = (
        "import multiprocessing as m\n"
        "def f(x): return x * x\n"
        "if __name__ == '__main__':\n"
        "    with m.Pool(2) as pool: print(pool.map(f, range(4)))\n"
        "    q = m.Queue(); q.put(1); print(q.get())\n"
        "    with m.Manager() as manager:\n"
        "        d = manager.dict(); d[1] = 2; print(dict(d))\n"
    )
    (workspace / "work.py").write_text(program)
    before = set(os.listdir("/dev/shm"))
    outcome = account.confined((PYTHON, "work.py"), workspace)
    assert (outcome["output"], seen(outcome)) == ("[0, 1, 4, 9]\n1\n{1: 2}\n", [])
    assert set(os.listdir("/dev/shm")) <= before


def test_a_start_that_runs_out_of_descriptors_ends(my_workspace: Path) -> None:
    """Required: a command whose calls nobody can answer is not started, wherever the descriptors run out."""
    words = [sys.executable, "-c", STARTS, os.pathsep.join(sys.path), str(my_workspace)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stderr
    assert "make the supervisor" in done.stdout
    assert done.stdout.splitlines()[-1] == "23 0 None"


DIES = """
import os, signal, sys
sys.path[:] = sys.argv[1].split(os.pathsep)
from sandgate.kernel import restricted
from support.kernel.confined_runs import plan_for, run_plan
def die(_child, pid):
    os.write(1, b"%d" % pid)
    os.kill(os.getpid(), signal.SIGKILL)
restricted.RestrictedChild._limit = die  # while the half-born child waits in its first call
run_plan(plan_for(("/bin/sleep", "1000"), sys.argv[2]))
"""


def test_a_half_born_child_ends_with_whoever_it_waits_for(my_workspace: Path) -> None:
    """Required: after a SIGKILL nothing waits for ever for an answer that nobody can give."""
    words = [sys.executable, "-c", DIES, os.pathsep.join(sys.path), str(my_workspace)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as starter:
        assert starter.stdout is not None
        born = os.pidfd_open(int(os.read(starter.stdout.fileno(), 32)))
        try:
            ended = select.select([born], [], [], LIMIT_S)[0]
        finally:
            signal.pidfd_send_signal(born, signal.SIGKILL)
            os.close(born)
    assert ended == [born]
    assert starter.returncode == -signal.SIGKILL


def test_the_launcher_thread_keeps_no_pipe_open(my_workspace: Path) -> None:
    """Required: who reads what a command prints hears of its end, however long the command lives on."""
    reading, writing = os.pipe()
    plan = plan_for(("/bin/sh", "-c", "exec >&- 2>&-; read line"), str(my_workspace))
    waiting, going_on = os.pipe()
    child = start(plan, stdin=waiting, stdout=writing, stderr=writing)
    os.close(writing)
    try:
        assert select.select([reading], [], [], LIMIT_S)[0] == [reading]
        assert os.read(reading, 1) == b""
        assert child.ended is None
    finally:
        for fd in (going_on, waiting, reading):
            os.close(fd)
        child.close()

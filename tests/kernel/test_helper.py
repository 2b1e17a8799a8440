"""A command under the helper, from start to end, on the real kernel."""

import os
import select
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sandgate.kernel import helper as helper_module
from sandgate.kernel.child import Ended
from sandgate.kernel.plan_codec import encode
from sandgate.protocol.confinement import ExecFailure, Limits, Mount, SetupFailure
from support.kernel import helper_runs
from support.kernel.helper_runs import attend, plan_for, run
from support.machine.ordinary_user import OrdinaryUser
from support.process.waiting import is_dead, leaves_as_it_was, wait_until

pytestmark = pytest.mark.host("namespace")

ALL_LAYERS = ("userns", "mount", "pid", "ipc", "net", "seccomp", "landlock", "notify")
MUTATIONS = 500  # the parser alone meets far more in tests/native
WAIT_LIMIT_S = 10


@pytest.mark.host("landlock", "notify")
def test_command_runs_behind_every_layer(helper: str) -> None:
    outcome = run(helper, plan_for("sh", "-c", "echo out; echo err >&2; exit 3"))
    assert (outcome.exit_code, outcome.signal, outcome.output) == (3, None, "out\nerr\n")
    assert (outcome.layers, outcome.reported, outcome.refused) == (ALL_LAYERS, True, [])


@pytest.mark.host("landlock", "notify")
def test_probe_names_the_layers_of_this_host(helper: str) -> None:
    assert helper_module.probe(helper) == helper_module.Probe(ALL_LAYERS)


def test_probe_of_a_missing_helper_is_a_failure(tmp_path: Path) -> None:
    found = helper_module.probe(str(tmp_path / "nothing"))
    assert found.failure == SetupFailure("start the helper", "No such file or directory")


@pytest.mark.parametrize(("number", "code"), [(9, 137), (15, 143), (11, 139)])
def test_signal_that_ends_the_command_is_reported(helper: str, number: int, code: int) -> None:
    outcome = run(helper, plan_for("sh", "-c", f"kill -{number} $$"))
    assert (outcome.exit_code, outcome.signal) == (code, number)


def test_program_is_found_on_the_path_of_its_own_environment(helper: str, tmp_path: Path) -> None:
    tool = tmp_path / "bin" / "greet"
    tool.parent.mkdir()
    tool.write_text("echo hello $0 $1\n")  # no interpreter line: the shell runs it, as execvp does
    tool.chmod(0o755)
    outcome = run(helper, plan_for("greet", "you", env={"PATH": f"/nowhere:{tool.parent}:/bin"}))
    assert (outcome.exit_code, outcome.output) == (0, f"hello {tool} you\n")


def test_program_that_cannot_be_executed_is_a_failure_of_its_own(helper: str, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("text")
    failures = [
        run(helper, plan_for(*argv, cwd=cwd)).failure
        for argv, cwd in [
            (("no-such-program",), "/"),
            (("/no/such/program",), "/"),
            ((str(plain),), "/"),
            (("/tmp",), "/"),
            (("true",), str(tmp_path / "gone")),
            (("true",), str(plain)),
        ]
    ]
    assert failures == [
        ExecFailure("program", "ENOENT"),
        ExecFailure("program", "ENOENT"),
        ExecFailure("program", "EACCES"),
        ExecFailure("program", "EACCES"),
        ExecFailure("directory", "ENOENT"),
        ExecFailure("directory", "ENOTDIR"),
    ]


def test_symbolic_link_in_a_mounted_path_stops_the_setup_and_is_named(helper: str, tmp_path: Path) -> None:
    (tmp_path / "real" / "below").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    for path in (tmp_path / "link", tmp_path / "link" / "below"):
        outcome = run(helper, plan_for("true", mounts=(Mount("write", str(path)),)))
        assert outcome.failure == SetupFailure(f"clone {path}", "ELOOP")


def test_a_read_entry_pins_a_link_as_itself(helper: str, tmp_path: Path) -> None:
    """A protected name may be a link: it cannot be replaced then, and nothing is followed."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    plan = plan_for(
        "ln",
        "-sfn",
        "other",
        str(tmp_path / "link"),
        mounts=(Mount("read", str(tmp_path / "link")),),
        write=(str(tmp_path),),
    )
    outcome = run(helper, plan)
    assert outcome.failure is None
    assert os.readlink(tmp_path / "link") == "real"


@pytest.mark.slow
def test_damaged_plan_never_runs(helper: str, tmp_path: Path, null: int) -> None:
    """Required: a plan half understood is worse than none."""
    import random

    mark = tmp_path / "ran"
    plan = encode(plan_for("touch", str(mark), write=(str(tmp_path),)))
    chance = random.Random(1)
    ends = set()
    for _ in range(MUTATIONS):
        damaged = bytearray(plan[: chance.randrange(len(plan))] if chance.random() < 0.2 else plan)
        for _ in range(chance.randint(1, 3)):
            if damaged:
                damaged[chance.randrange(len(damaged))] ^= chance.randint(1, 255)
        if bytes(damaged) == plan:
            continue
        prepared = helper_module.prepare(helper, network="off")
        child = prepared.start_encoded(bytes(damaged), stdin=null, stdout=null, stderr=null)
        attend(child)
        ends.add((child.failure, child.ended))
    assert ends == {(SetupFailure("parse plan", "EBADMSG"), None)}
    assert not mark.exists()


def test_no_inherited_descriptor_reaches_the_command(helper: str) -> None:
    """Required."""
    inheritable = [os.open(os.devnull, os.O_RDONLY) for _ in range(50)]
    for fd in inheritable:
        os.set_inheritable(fd, True)
    try:
        outcome = run(helper, plan_for("sh", "-c", "echo /proc/self/fd/*"))
    finally:
        for fd in inheritable:
            os.close(fd)
    # 3 is the directory that the shell reads to expand the pattern.
    assert outcome.output.split() == [f"/proc/self/fd/{number}" for number in range(4)]


def test_command_starts_with_default_signals_and_the_callers_umask(helper: str) -> None:
    show = "grep -E 'Sig(Blk|Ign)' /proc/self/status; umask; ulimit -Hc"
    before = os.umask(0o027)
    try:
        lines = run(helper, plan_for("sh", "-c", show)).output.split("\n")
    finally:
        os.umask(before)
    assert lines[:2] == ["SigBlk:\t" + "0" * 16, "SigIgn:\t" + "0" * 16]
    assert lines[-3:] == ["0027", "0", ""]


def test_limits_are_set_for_good(helper: str) -> None:
    plan = plan_for("sh", "-c", "ulimit -n; ulimit -Hn; ulimit -n 64", limits=Limits(open_files=32))
    outcome = run(helper, plan)
    assert outcome.output.split("\n")[:2] == ["32", "32"]
    assert outcome.exit_code != 0


def test_terminal_becomes_the_commands_own(helper: str) -> None:
    ours, its = os.openpty()
    child = helper_module.start(
        plan_for(
            "sh", "-c", "exec 3<>/dev/tty && echo got it >&3 && ps -o pid= -o sid= -p $$ >/dev/null; tty -s", tty=True
        ),
        stdin=its,
        stdout=its,
        stderr=its,
        helper=helper,
    )
    os.close(its)
    attend(child)
    try:
        assert os.read(ours, 100) == b"got it\r\n"
    finally:
        os.close(ours)
    assert child.ended is not None
    assert child.ended.exit_code == 0


def start_printing(helper: str, null: int, script: str, **options: object) -> tuple[helper_module.HelperChild, int]:
    """Starts a shell script and waits until it has printed its first line."""
    reading, writing = os.pipe()
    plan = plan_for("sh", "-c", script, **options)  # type: ignore[arg-type]
    child = helper_module.start(plan, stdin=null, stdout=writing, stderr=null, helper=helper)
    os.close(writing)
    assert os.read(reading, 100)
    return child, reading


def test_signal_reaches_the_commands_group(helper: str, null: int) -> None:
    child, reading = start_printing(helper, null, "trap 'exit 7' TERM; echo ready; while :; do sleep 10 & wait; done")
    child.signal_group(signal.SIGTERM)
    attend(child)
    os.close(reading)
    assert child.ended == Ended(7, None)


def test_everything_left_behind_dies_with_the_command(helper: str, null: int) -> None:
    """Our choice: no daemon survives, and nobody keeps the pipe open."""
    child, reading = start_printing(helper, null, "setsid nohup sleep 1000 & echo started")
    attend(child)
    assert os.read(reading, 100) == b""
    os.close(reading)


@pytest.mark.host("notify")
def test_kill_is_immediate_while_calls_are_being_judged(helper: str, null: int) -> None:
    """Required."""
    script = "for i in 1 2 3 4 5 6 7 8; do (while :; do echo > /etc/none/$i; done) & done 2>/dev/null; echo ready; wait"
    child, reading = start_printing(helper, null, script)
    child.kill_tree()
    begun = time.monotonic()
    attend(child)
    assert child.ended == Ended(137, 9)
    assert time.monotonic() - begun < WAIT_LIMIT_S  # by itself it never ends
    assert os.read(reading, 100) == b"", "nobody holds the pipe any more"
    os.close(reading)


def test_closing_kills_and_reaps(helper: str, null: int) -> None:
    child, reading = start_printing(helper, null, "echo ready; sleep 1000")
    child.close()
    child.close()
    assert child.ended == Ended(137, 9)
    assert os.read(reading, 100) == b""
    os.close(reading)
    with pytest.raises(ProcessLookupError):
        os.kill(child.pid, 0)


PARENT = """
import os, sys
sys.path[:0] = {path!r}
from support.kernel.helper_runs import plan_for
from sandgate.kernel import helper
null = os.open("/dev/null", os.O_RDWR)
child = helper.start(
    plan_for("sh", "-c", "sleep 1000 & echo $$ ready; wait"), stdin=null, stdout=1, stderr=null, helper={helper!r}
)
os.dup2(null, 1)
sys.stdin.read()
"""


@pytest.mark.parametrize("victim", ["sandgate", "helper"])
def test_command_does_not_outlive_who_started_it(helper: str, victim: str) -> None:
    """Required: also when nobody had a chance to clean up."""
    source = PARENT.format(path=sys.path, helper=helper)
    parent = subprocess.Popen([sys.executable, "-c", source], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    assert parent.stdin is not None
    with parent.stdout as output, parent.stdin:
        assert b"ready" in output.readline()
        children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
        os.kill(parent.pid if victim == "sandgate" else int(children[0]), signal.SIGKILL)
        # The command held the other end of this pipe: its end is everybody's end.
        assert select.select([output], [], [], WAIT_LIMIT_S)[0] == [output]
        if victim == "helper":
            parent.kill()
        assert output.read() == b""
    parent.wait(WAIT_LIMIT_S)
    assert wait_until(lambda: all(is_dead(pid) for pid in children))


def test_two_hundred_commands_leave_nothing_behind(helper: str, null: int) -> None:
    def state() -> tuple[list[str], str, int]:
        return (
            sorted(os.listdir("/proc/self/fd")),
            Path("/proc/self/mountinfo").read_text(),
            len(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()),
        )

    plan = encode(plan_for("true", write=("/tmp",)))

    def two_hundred() -> None:
        for _ in range(200):
            prepared = helper_module.prepare(helper, network="off")
            attend(prepared.start_encoded(plan, stdin=null, stdout=null, stderr=null))

    assert leaves_as_it_was(state, two_hundred)


def test_started_with_closed_standard_streams(helper: str) -> None:
    """Whatever numbers our own descriptors got, each arrives where it belongs."""
    code = (
        "import os, sys\n"
        f"sys.path[:0] = {sys.path!r}\n"
        "from support.kernel.helper_runs import plan_for, attend\n"
        "from sandgate.kernel import helper\n"
        "out = os.dup(1); [os.close(fd) for fd in (0, 1, 2)]\n"
        "r, w = os.pipe()\n"
        "plan = plan_for('sh', '-c', 'echo out; echo err >&2')\n"
        f"child = helper.start(plan, stdin=r, stdout=w, stderr=w, helper={helper!r})\n"
        "os.close(w)\n"
        "attend(child)\n"
        "os.write(out, os.read(r, 100))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=WAIT_LIMIT_S)
    assert (done.stdout, done.stderr) == (b"out\nerr\n", b"")


def test_helper_is_not_readable_for_others_of_the_same_user(helper: str, null: int) -> None:
    child, reading = start_printing(helper, null, "echo ready; sleep 1000")
    owner = os.stat(f"/proc/{child.pid}/mem")
    child.close()
    os.close(reading)
    assert (owner.st_uid, stat.S_IMODE(owner.st_mode)) == (0, 0o600)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may look into the init task")
def test_init_lives_in_the_commands_namespaces(helper: str, null: int) -> None:
    """Required: what shows of pid 1 inside, its network files above all, is the sandbox's and not the host's."""
    child, reading = start_printing(helper, null, "echo ready; sleep 1000")
    init = Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()[0]
    command = Path(f"/proc/{init}/task/{init}/children").read_text().split()[0]
    kinds = ("mnt", "net", "ipc", "uts", "pid", "user", "cgroup")
    places = [[os.readlink(f"/proc/{pid}/ns/{kind}") for kind in kinds] for pid in ("self", init, command)]
    child.close()
    os.close(reading)
    assert places[1] == places[2]
    assert not set(places[0]) & set(places[1])


def test_ordinary_user_gets_the_same_layers(helper: str, as_user: OrdinaryUser) -> None:
    import shutil

    copy = shutil.copy(helper, as_user.source.parent / "sandgate-exec")
    code = Path(helper_runs.__file__).read_text() + (
        f"\noutcome = run({str(copy)!r}, plan_for('sh', '-c', 'id -u; touch /etc/motd2; touch here', "
        f"write=({str(as_user.home)!r},), cwd={str(as_user.home)!r}))\n"
        "print(outcome.output.split()[0], outcome.layers, outcome.refused, outcome.failure, sep='|')\n"
    )
    done = as_user.run_python(code)
    assert done.stderr == ""
    uid, layers, refused, failure = done.stdout.strip().split("|")
    assert (uid, failure) == (str(as_user.uid), "None")
    assert layers == repr(ALL_LAYERS)
    assert "path='/etc/motd2'" in refused
    assert "host_allows=False" in refused
    assert (as_user.home / "here").exists()


def test_an_interrupted_wait_for_the_helper_can_be_repeated(
    helper: str, null: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = helper_module.start(plan_for("true"), stdin=null, stdout=null, stderr=null, helper=helper)

    def interrupted(_pid: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(helper_module, "reap", interrupted)
        with pytest.raises(KeyboardInterrupt):
            child.close()
    child.close()
    assert Path(f"/proc/self/task/{os.getpid()}/children").read_text() == ""

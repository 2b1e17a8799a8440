"""What every `kernel.child.Child` promises, whoever starts it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sandgate.execution.run import run
from sandgate.execution.start import start_child
from sandgate.kernel.build import helper_path
from sandgate.kernel.child import Ended
from sandgate.protocol.confinement import ConfinedCommand, ExecFailure, Mount
from sandgate.protocol.permissions import EffectivePermissions
from support.process import waiting
from support.terminal.children import plan as bare_plan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.kernel.child import Child

EVERYBODY = (
    "none",
    pytest.param("namespace", marks=pytest.mark.host("namespace")),
    pytest.param("landlock", marks=pytest.mark.host("landlock")),
)
OWN_PROCESS_TREE = EVERYBODY[1:2]

LIBRARY_SIGNALS = 0b11 << 31  # 32 and 33 belong to the C library, whose posix_spawn leaves them ignored

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"}


def command(who: str, *argv: str, cwd: str = "/", tty: bool = False) -> ConfinedCommand:
    if who == "none":
        return bare_plan(*argv, cwd=cwd, env=ENVIRONMENT, tty=tty)
    return ConfinedCommand(
        backend="namespace" if who == "namespace" else "landlock",
        argv=argv,
        cwd=cwd,
        env=ENVIRONMENT,
        permissions=EffectivePermissions(network="off"),
        mounts=()
        if who == "namespace"
        else (Mount("read", "/"), Mount("write", "/dev/null"), Mount("write", "/dev/tty")),
        tty=tty,
    )


def script(who: str, text: str) -> ConfinedCommand:
    return command(who, "/bin/sh", "-c", text)


def start(who: str, plan: ConfinedCommand, *, stdin: int, stdout: int, stderr: int) -> Child:
    return start_child(
        plan, stdin=stdin, stdout=stdout, stderr=stderr, helper=helper_path() if who == "namespace" else None
    )


def wait(child: Child) -> None:
    """Looks after `child` until it is over."""
    while child.ended is None and child.failure is None:
        poll = select.poll()
        for fd in child.descriptors():
            poll.register(fd, select.POLLIN)
        ready = poll.poll(waiting.LIMIT_S * 1000)
        assert ready, f"nothing happened to {child} within {waiting.LIMIT_S} s"
        for fd, _events in ready:
            child.handle(fd)


@cache
def warm(who: str) -> None:
    """What a starter keeps for the next command with the same plan is no leak."""
    with open(os.devnull, "r+b") as null:
        child = start(who, command(who, "/bin/true"), stdin=null.fileno(), stdout=null.fileno(), stderr=null.fileno())
        wait(child)
        child.close()


@contextmanager
def started(who: str, plan: ConfinedCommand) -> Iterator[tuple[Child, int]]:
    """A started child and the read end of its stdout and stderr, which ends when nobody holds it any more."""
    warm(who)
    before = waiting.open_descriptors()
    read_end, write_end = os.pipe()
    with open(os.devnull, "rb") as null:
        child = start(who, plan, stdin=null.fileno(), stdout=write_end, stderr=write_end)
        os.close(write_end)
        try:
            yield child, read_end
        finally:
            child.close()
            os.close(read_end)
    assert waiting.none_left_open(before)
    with pytest.raises(ChildProcessError):
        os.waitpid(child.pid or -1, os.WNOHANG)


def output_of(who: str, plan: ConfinedCommand) -> bytes:
    with started(who, plan) as (child, output):
        printed = waiting.read_all(output)
        wait(child)
        assert (child.failure, child.ended) == (None, Ended(0, None)), printed
    return printed


@pytest.mark.parametrize("who", EVERYBODY)
def test_it_is_followed_through_one_descriptor(who: str) -> None:
    """Required: who watches one, and is told of the end by it, leaves nothing watched."""
    with started(who, script(who, "read line; echo over")) as (child, _output):
        seen = set(child.descriptors())
        wait(child)
        assert len(seen) == 1
        assert child.descriptors() == ()


@pytest.mark.parametrize("who", EVERYBODY)
@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("exit 0", Ended(0, None)),
        ("exit 7", Ended(7, None)),
        ("kill -9 $$", Ended(137, 9)),
        (f"kill -{int(signal.SIGRTMAX)} $$", Ended(128 + signal.SIGRTMAX, signal.SIGRTMAX)),
    ],
)
def test_it_ends_with_the_commands_own_code_or_signal(who: str, text: str, ended: Ended) -> None:
    with started(who, script(who, text)) as (child, _output):
        wait(child)
        assert (child.ended, child.failure, child.refused) == (ended, None, [])


@pytest.mark.parametrize("who", EVERYBODY)
def test_the_environment_is_exactly_the_plans(who: str) -> None:
    printed = output_of(who, command(who, "/usr/bin/env", "--null"))
    assert {*printed.decode().split("\0")} - {"", "PWD=/"} == {f"{name}={value}" for name, value in ENVIRONMENT.items()}


@pytest.mark.parametrize("who", EVERYBODY)
def test_arguments_and_directory_are_exactly_the_plans(who: str) -> None:
    text = 'pwd; printf "%s\\n" "$0" "$@"'
    arguments = ("", "a b", "\udcff", "-x", "$HOME", "'")
    printed = output_of(who, command(who, "/bin/sh", "-c", text, *arguments, cwd="/usr"))
    assert printed == b"/usr\n" + b"".join(os.fsencode(word) + b"\n" for word in arguments)


@pytest.mark.parametrize("who", EVERYBODY)
def test_it_has_the_standard_descriptors_and_no_other(who: str) -> None:
    stray = os.open(os.devnull, os.O_RDONLY)
    os.set_inheritable(stray, True)
    try:
        printed = output_of(who, command(who, "/bin/ls", "/proc/self/fd"))
    finally:
        os.close(stray)
    assert printed.split() == [b"0", b"1", b"2", b"3"]  # 3 is the listing itself


@pytest.mark.parametrize("who", EVERYBODY)
def test_it_leads_a_session_of_its_own(who: str) -> None:
    """Required."""
    printed = output_of(who, script(who, "echo $$ $(cut -d' ' -f5,6 /proc/self/stat)"))
    pid, group, session = printed.split()
    assert (group, session) == (pid, pid)


@pytest.mark.parametrize("who", EVERYBODY)
def test_no_signal_is_blocked_or_ignored_whatever_we_do(who: str) -> None:
    """Required. A blocked signal would survive the exec, and the command could not be asked."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGUSR1})
    try:
        printed = output_of(who, command(who, "/bin/grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"))
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    blocked, ignored = (int(mask, 16) & ~LIBRARY_SIGNALS for mask in printed.split()[1::2])
    assert (blocked, ignored) == (0, 0)


@pytest.mark.parametrize("who", EVERYBODY)
def test_a_signal_reaches_the_whole_group(who: str) -> None:
    # Ready is who has been executed: a shell's child that is still the shell's copy may lose a signal.
    inner = "(trap 'echo inner; exit 0' TERM; sh -c 'echo ready; exec sleep 60' & wait)"
    text = f"trap 'wait; echo outer; exit 0' TERM; {inner} & wait"
    with started(who, script(who, text)) as (child, output):
        waiting.read_until(output, b"ready\n")
        child.signal_group(signal.SIGTERM)
        assert sorted(waiting.read_all(output).split()) == [b"inner", b"outer"]
        wait(child)
        assert child.ended == Ended(0, None)


TAKES_SIGNALS = """
import signal
awaited = {*map(signal.Signals, (1, 2, 10, 12, 15))}
signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
print("ready", flush=True)
for _ in range(5):
    came = signal.sigtimedwait(awaited, 10)
    print(came and came.si_signo, flush=True)
"""


@pytest.mark.parametrize("who", EVERYBODY)
def test_signals_sent_at_once_all_arrive(who: str) -> None:
    """The helper kept only the last one, so a polite end, TERM followed by CONT, asked nobody."""
    with started(who, command(who, sys.executable, "-c", TAKES_SIGNALS)) as (child, output):
        waiting.read_until(output, b"ready\n")
        for number in (1, 2, 10, 12, 15, signal.SIGSTOP, signal.SIGCONT):  # and it goes on
            child.signal_group(number)
        assert sorted(map(int, waiting.read_all(output).split())) == [1, 2, 10, 12, 15]
        wait(child)
        assert child.ended == Ended(0, None)


@pytest.mark.parametrize("who", EVERYBODY)
def test_killing_the_tree_leaves_nobody_who_holds_the_pipes(who: str) -> None:
    text = "trap '' TERM INT HUP; sleep 60 & sleep 60 & echo ready; wait"
    with started(who, script(who, text)) as (child, output):
        waiting.read_until(output, b"ready\n")
        child.kill_tree()
        assert waiting.read_all(output) == b""
        wait(child)
        assert child.ended == Ended(137, 9)


@pytest.mark.parametrize("who", EVERYBODY)
def test_a_stopped_command_can_be_killed(who: str) -> None:
    with started(who, script(who, "echo ready; kill -STOP $$")) as (child, output):
        waiting.read_until(output, b"ready\n")
        child.kill_tree()
        wait(child)
        assert child.ended == Ended(137, 9)


@pytest.mark.parametrize("who", OWN_PROCESS_TREE)
@pytest.mark.parametrize("ending", ["exits", "is killed"])
def test_daemons_die_with_the_command(who: str, ending: str) -> None:
    """Required: `&`, `setsid`, `nohup` and a double fork."""
    daemons = "setsid nohup sleep 60 & (setsid sh -c 'sleep 60 & sleep 60' &) ; echo ready;"
    with started(who, script(who, daemons + ("exit 0" if ending == "exits" else "wait"))) as (child, output):
        waiting.read_until(output, b"ready\n")
        if ending == "is killed":
            child.kill_tree()
        wait(child)
        waiting.read_all(output)  # ends only when nobody holds the other end any more
        assert child.ended == (Ended(0, None) if ending == "exits" else Ended(137, 9))


@pytest.mark.parametrize("who", EVERYBODY)
def test_closing_kills_and_reaps_and_may_be_repeated(who: str) -> None:
    with started(who, script(who, "trap '' TERM INT HUP; echo ready; sleep 60")) as (child, output):
        waiting.read_until(output, b"ready\n")
        child.close()
        child.close()
        assert waiting.read_all(output) == b""


@pytest.mark.parametrize("who", EVERYBODY)
def test_after_the_end_nothing_does_harm(who: str) -> None:
    with started(who, command(who, "/bin/true")) as (child, _output):
        wait(child)
        child.signal_group(signal.SIGKILL)
        child.kill_tree()
        assert child.ended == Ended(0, None)


@pytest.mark.parametrize("who", EVERYBODY)
def test_handling_a_descriptor_that_says_nothing_does_not_wait(who: str) -> None:
    with started(who, script(who, "echo ready; sleep 60")) as (child, output):
        waiting.read_until(output, b"ready\n")
        for _ in range(3):
            for fd in child.descriptors():
                child.handle(fd)
        assert (child.ended, child.failure) == (None, None)


@pytest.mark.parametrize("who", EVERYBODY)
@pytest.mark.parametrize(
    ("argv", "cwd", "failure"),
    [
        (("no-such-program",), "/", ExecFailure("program", "ENOENT")),
        (("/usr",), "/", ExecFailure("program", "EACCES")),
        (("true",), "/no/such/place", ExecFailure("directory", "ENOENT")),
        (("true",), "/etc/passwd", ExecFailure("directory", "ENOTDIR")),
    ],
)
def test_what_cannot_be_started_says_why(who: str, argv: tuple[str, ...], cwd: str, failure: ExecFailure) -> None:
    with started(who, command(who, *argv, cwd=cwd)) as (child, output):
        wait(child)
        assert (child.failure, child.ended, waiting.read_all(output)) == (failure, None, b"")


@pytest.mark.parametrize("who", EVERYBODY)
def test_a_terminal_becomes_the_sessions_own(who: str) -> None:
    outcome = run(
        command(who, "/bin/sh", "-c", "echo mine >/dev/tty", tty=True),
        stdin=None,
        stdout=None,
        stderr=None,
        timeout_ms=waiting.LIMIT_S * 1000,
        helper=helper_path() if who == "namespace" else None,
        starter=start_child,
    )
    assert outcome.result is not None
    assert (outcome.result.exit_code, outcome.result.stdout) == (0, b"mine\r\n")


OWNER = """
import os, signal, sys
sys.path[:0] = {path!r}
import test_child
who, text, deed = sys.argv[1:]
output, its_output = os.pipe() if deed else (-1, 1)
child = test_child.start(who, test_child.script(who, text), stdin=0, stdout=its_output, stderr=2)
if deed:
    signal.signal(signal.SIGINT, lambda *_: None)
    test_child.waiting.read_until(output, b"ready\\n")
    os.killpg(0, signal.SIGINT)
    os.write(1, b"interrupted\\n")
test_child.wait(child)
print(child.ended, flush=True)
"""


@contextmanager
def owner(who: str, text: str, *, deed: str = "") -> Iterator[subprocess.Popen[bytes]]:
    """Another process that owns the child."""
    tests = Path(__file__).parent.parent
    path = [*map(str, (tests, tests / "contracts", tests.parent / "src"))]
    argv = [sys.executable, "-c", OWNER.format(path=path), who, text, deed]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("who", OWN_PROCESS_TREE)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_the_command_dies_with_its_owner(who: str, number: signal.Signals) -> None:
    """Required. Without a pid namespace a killed owner's command lives on, a known gap."""
    with owner(who, "trap '' TERM HUP; sleep 60 & echo ready; wait") as process:
        assert process.stdout is not None
        waiting.read_until(process.stdout.fileno(), b"ready\n")
        process.send_signal(number)
        assert waiting.read_all(process.stdout.fileno()) == b""


@pytest.mark.parametrize("who", EVERYBODY)
def test_ctrl_c_at_our_terminal_reaches_neither_the_command_nor_its_supervisor(who: str) -> None:
    """It goes to our process group; who gets it next is the driver's decision."""
    with owner(who, "echo ready; read line; exit 7", deed="interrupt our group") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        waiting.read_until(process.stdout.fileno(), b"interrupted\n")
        process.stdin.write(b"go on\n")
        process.stdin.close()
        assert waiting.read_all(process.stdout.fileno()) == b"Ended(exit_code=7, signal=None)\n"

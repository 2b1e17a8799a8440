"""`execution/run.py` over the namespace backend: what a pid namespace of its own changes for a command's end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sandgate.execution.run import run
from sandgate.kernel.build import helper_path
from sandgate.protocol.commands import CommandResult
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions
from support.process import waiting
from support.terminal.children import shell

pytestmark = pytest.mark.host("namespace")

LIMIT_MS = 20_000
DAEMONS = "setsid nohup sleep 60 & (setsid sh -c 'sleep 60 & sleep 60' &); "


def confined(script: str) -> ConfinedCommand:
    return shell(script).but(backend="namespace", permissions=EffectivePermissions(network="off"))


def result_of(script: str, *, timeout_ms: int = LIMIT_MS) -> CommandResult:
    outcome = run(confined(script), stdin=None, stdout=None, stderr=None, timeout_ms=timeout_ms, helper=helper_path())
    assert outcome.result is not None, outcome.failure
    return outcome.result


def test_daemons_do_not_delay_the_return() -> None:
    """Required: they are dead when the command is, so there is nothing to wait for."""
    result = result_of(DAEMONS + "printf hello")
    assert (result.stdout, result.drain_timed_out) == (b"hello", False)


@pytest.mark.slow
def test_at_the_time_limit_daemons_die_too() -> None:
    result = result_of(DAEMONS + "echo ready; sleep 60", timeout_ms=1_000)
    assert (result.termination, result.stdout, result.drain_timed_out) == ("timed_out", b"ready\n", False)


def test_many_runs_leave_no_process_and_no_descriptor() -> None:
    before = waiting.open_descriptors()
    codes = [result_of(f"{DAEMONS}exit {number}").exit_code for number in range(20)]
    assert codes == list(range(20))
    assert waiting.none_left_open(before)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


PROGRAM = """
import sys
sys.path[:0] = {path!r}
import test_confined_run as suite
outcome = suite.run(suite.confined(sys.argv[1]), stdin=None, stdout=1, stderr=2, timeout_ms=None, helper=sys.argv[2])
print(outcome.result.termination, outcome.result.exit_code, flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "last_words"),
    [
        (signal.SIGINT, b"interrupted 130\n"),
        (signal.SIGTERM, b""),
        (signal.SIGHUP, b""),
        (signal.SIGKILL, b""),
    ],
)
def test_nothing_survives_the_end_of_the_program_that_runs_it(number: signal.Signals, last_words: bytes) -> None:
    """Required. End of file on the output says that nobody is left to hold it."""
    tests = Path(__file__).parent.parent
    path = [*map(str, (tests, tests / "execution", tests.parent / "src"))]
    argv = [sys.executable, "-c", PROGRAM.format(path=path), DAEMONS + "echo ready; sleep 60", helper_path()]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        waiting.read_until(program.stdout.fileno(), b"ready\n")
        program.send_signal(number)
        assert waiting.read_all(program.stdout.fileno()) == last_words

"""`execution/run.py` when somebody ends a command: the clock, the caller, Ctrl-C, or the death of Sandgate itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sandgate.execution import lifetime
from sandgate.execution.run import run
from sandgate.execution.streams import PENDING_BYTES, READ_BYTES, ForwardingStopped
from support.process import waiting
from support.terminal.children import plan, shell, start_plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sandgate.execution.capture import Stream
    from sandgate.protocol.commands import CommandResult
    from sandgate.protocol.confinement import ConfinedCommand

LONG_MS = 20_000
SHORT_MS = 150


def ended(
    command: ConfinedCommand,
    *,
    timeout_ms: int | None = LONG_MS,
    cancel_fd: int | None = None,
    kill_grace_ms: int = 0,
    stdout: int | None = None,
    on_output: Callable[[Stream, bytes], None] | None = None,
    on_stopped: Callable[[ForwardingStopped], None] | None = None,
) -> CommandResult:
    outcome = run(
        command,
        stdin=None,
        stdout=stdout,
        stderr=None,
        timeout_ms=timeout_ms,
        cancel_fd=cancel_fd,
        kill_grace_ms=kill_grace_ms,
        on_output=on_output,
        on_stopped=on_stopped,
        starter=start_plain,
    )
    assert outcome.result is not None
    return outcome.result


def how(result: CommandResult) -> tuple[int, int | None, str]:
    return result.exit_code, result.signal, result.termination


def test_at_the_time_limit_the_tree_dies_and_the_output_stays() -> None:
    """Required."""
    result = ended(shell("sleep 60 & echo $!; sleep 60"), timeout_ms=SHORT_MS)
    assert (how(result), result.timed_out) == ((124, None, "timed_out"), True)
    assert SHORT_MS <= result.duration_ms < 5_000
    assert waiting.ended(int(result.stdout))


def test_a_stopped_command_is_killed_all_the_same() -> None:
    assert how(ended(shell("kill -STOP $$"), timeout_ms=SHORT_MS)) == (124, None, "timed_out")


def test_a_command_may_tidy_up_when_there_is_a_grace() -> None:
    script = "trap 'echo bye; exit 0' TERM; sleep 60 & echo ready; wait"
    assert ended(shell(script), timeout_ms=SHORT_MS, kill_grace_ms=5_000).stdout == b"ready\nbye\n"


def test_a_command_that_ignores_the_question_is_killed_after_the_grace() -> None:
    result = ended(shell("trap '' TERM; echo ready; sleep 60"), timeout_ms=SHORT_MS, kill_grace_ms=SHORT_MS)
    assert (how(result), result.stdout) == ((124, None, "timed_out"), b"ready\n")
    assert result.duration_ms >= 2 * SHORT_MS


def test_a_cancelled_command_is_not_called_timed_out() -> None:
    """Required."""
    ours, theirs = os.pipe()
    result = ended(shell("echo a; sleep 60"), cancel_fd=ours, on_output=lambda _stream, _data: os.close(theirs))
    os.close(ours)
    assert (how(result), result.stdout) == ((124, None, "cancelled"), b"a\n")


def test_the_cancel_descriptor_is_only_looked_at() -> None:
    ours, theirs = os.pipe()
    os.write(theirs, b"stop")
    assert how(ended(shell("sleep 60"), cancel_fd=ours)) == (124, None, "cancelled")
    assert os.read(ours, 10) == b"stop"
    os.close(ours)
    os.close(theirs)


def test_a_reader_that_never_reads_delays_neither_the_time_limit_nor_the_return(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lifetime, "DRAIN_MS", SHORT_MS)
    told: list[ForwardingStopped] = []
    taken: list[int] = []
    read_end, write_end = os.pipe()
    result = ended(
        plan("yes"),
        timeout_ms=SHORT_MS,
        stdout=write_end,
        on_output=lambda _stream, data: taken.append(len(data)),
        on_stopped=told.append,
    )
    os.close(read_end)
    os.close(write_end)
    assert how(result) == (124, None, "timed_out")
    assert sum(taken) < PENDING_BYTES + 4 * READ_BYTES  # the command had to wait
    assert [stopped.sentence() for stopped in told] == [
        "cannot pass on the command's stdout: whoever reads it was too slow"
    ]


def interrupt_ourselves(_stream: Stream, _data: bytes) -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_goes_to_the_command_which_may_tidy_up() -> None:
    result = ended(shell("trap 'echo bye; exit 0' INT; sleep 60 & echo ready; wait"), on_output=interrupt_ourselves)
    assert (how(result), result.stdout) == ((130, signal.SIGINT, "interrupted"), b"ready\nbye\n")


def test_what_ignores_ctrl_c_is_killed_after_the_grace_and_what_it_started_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lifetime, "INTERRUPT_GRACE_MS", SHORT_MS)
    result = ended(shell("trap '' INT; sleep 60 & echo $!; sleep 60"), on_output=interrupt_ourselves)
    assert how(result) == (130, signal.SIGINT, "interrupted")
    assert waiting.ended(int(result.stdout))


def test_what_a_command_leaves_behind_after_ctrl_c_is_killed() -> None:
    left_behind = "sh -c \"trap '' INT; echo \\$\\$; exec sleep 60 >/dev/null 2>&1\""
    script = f"trap 'exit 0' INT; {left_behind} & wait"
    assert waiting.ended(int(ended(shell(script), on_output=interrupt_ourselves).stdout))


def test_ctrl_c_while_others_hold_the_pipes_ends_the_wait_and_them() -> None:
    interrupts: list[threading.Thread] = []

    def once_it_has_ended(pid: int) -> None:
        assert waiting.ended(pid)
        os.kill(os.getpid(), signal.SIGINT)

    def listen(_stream: Stream, data: bytes) -> None:
        interrupts.append(threading.Thread(target=once_it_has_ended, args=(int(data.split()[0]),)))
        interrupts[-1].start()

    result = ended(shell("sleep 60 & echo $$ $!"), on_output=listen)
    interrupts[0].join()
    assert waiting.ended(int(result.stdout.split()[1]))
    assert result.termination in ("exited", "interrupted")  # which of the two we saw first is a matter of luck


def test_the_second_ctrl_c_does_not_wait() -> None:
    script = "trap 'echo again' INT; echo ready; while :; do sleep 60 & wait; done"
    result = ended(shell(script), on_output=interrupt_ourselves)
    assert (how(result), result.stdout) == ((130, signal.SIGINT, "interrupted"), b"ready\nagain\n")
    assert result.duration_ms < lifetime.INTERRUPT_GRACE_MS


def test_afterwards_ctrl_c_means_what_it_meant_before() -> None:
    ended(shell("true"))
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)


def test_a_program_with_its_own_handler_keeps_it() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: heard.append(number))
    try:
        result = ended(shell("echo ready; exit 3"), on_output=interrupt_ourselves)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (how(result), heard) == ((3, None, "exited"), [signal.SIGINT])


PROGRAM = """
import sys
sys.path[:0] = {path!r}
from support.terminal.children import shell, start_plain
from sandgate.execution.run import run
outcome = run(shell(sys.argv[1]), stdin=0, stdout=1, stderr=2, timeout_ms=None, starter=start_plain)
print(outcome.result.termination, outcome.result.exit_code, flush=True)
"""


@contextmanager
def program(script: str, *, first_line: bytes) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A program that runs `script` through us, and the descriptor of its output after `first_line`."""
    tests = str(Path(__file__).parents[1])
    source = str(Path(sys.modules["sandgate"].__path__[0]).parent)
    code = PROGRAM.format(path=[tests, source])
    argv = [sys.executable, "-c", code, script]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        output = process.stdout.fileno()
        try:
            assert waiting.read_until(output, b"\n") == first_line
            yield process, output
        finally:
            process.kill()


def test_ctrl_c_from_outside_ends_the_tree_before_the_program_goes_on() -> None:
    with program("echo ready; sleep 60", first_line=b"ready\n") as (process, output):
        process.send_signal(signal.SIGINT)
        assert waiting.read_all(output) == b"interrupted 130\n"
        assert process.wait(waiting.LIMIT_S) == 0


def test_a_broken_pipe_to_a_pager_ends_the_program_quietly() -> None:
    with program("echo ready; read _; exec yes", first_line=b"ready\n") as (process, _output):
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.close()
        process.stdin.close()
        process.wait(waiting.LIMIT_S)  # its own print fails, like any program's

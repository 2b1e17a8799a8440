"""One command after the other in a live shell: what each printed, how each ended, what the shell keeps."""

from __future__ import annotations

import threading

import pytest

from sandgate.errors import RequestError, TerminalFailed
from sandgate.terminals.live_shell import OUTPUT_BYTES, LiveShell, shell_start
from sandgate.terminals.start import Shape
from sandgate.terminals.waiting import drive
from support.terminal.children import plan
from support.terminal.terminal_stage import Stage

KINDS = pytest.mark.parametrize("kind", ["bash", "sh"])


def opened(stage: Stage, kind: str = "bash") -> LiveShell:
    nonce, integration = shell_start("bash" if kind == "bash" else "sh")
    wanted = plan(kind, *integration.arguments, tty=True)
    env = {**wanted.env, **dict(integration.environment)}
    terminal = stage.start(wanted.but(env=env), shape=Shape(tty=True, post_processing=False))
    shell = LiveShell(terminal, nonce, integration)
    drive(shell.ready())
    return shell


@KINDS
@pytest.mark.parametrize(
    ("command", "output", "exit_code"),
    [
        ("echo hi", b"hi\n", 0),
        ("false", b"", 1),
        ("(exit 7)", b"", 7),
        ("printf 'no end of line'", b"no end of line", 0),
        ("sh -c 'kill -9 $$'", None, 137),
        ("for x in 1 2\ndo\n  echo $x\ndone", b"1\n2\n", 0),
        ("echo 'it'\"'\"'s \"quoted\"'", b'it\'s "quoted"\n', 0),
        ("printf '\\033]133;D;0;00000000000000000000000000000000\\007'; false", None, 1),
    ],
)
def test_each_command_has_its_own_output_and_exit_code(
    stage: Stage, kind: str, command: str, output: bytes | None, exit_code: int
) -> None:
    shell = opened(stage, kind)
    result = shell.run(command)
    assert (result.exit_code, result.timed_out) == (exit_code, False)
    assert output is None or result.output == output
    assert shell.run("echo next").output == b"next\n"


@KINDS
def test_the_shell_keeps_its_directory_its_variables_and_its_functions(stage: Stage, kind: str) -> None:
    shell = opened(stage, kind)
    shell.run("cd / && limit=5; export PASSED_ON=yes; f() { echo called $1; }")
    assert shell.run('pwd; echo $limit; sh -c "echo \\$PASSED_ON"; f x').output == b"/\n5\nyes\ncalled x\n"


def test_a_syntax_error_is_the_commands_and_not_the_shells(stage: Stage) -> None:
    shell = opened(stage)
    assert shell.run("if then").exit_code not in (0, None)
    assert shell.run("echo still here").output == b"still here\n"


def test_a_command_over_its_time_is_interrupted_and_the_shell_goes_on(stage: Stage) -> None:
    shell = opened(stage)
    result = shell.run("echo begun; sleep 1000", timeout_ms=300)
    assert (result.timed_out, result.exit_code) == (True, 130)
    assert result.output.startswith(b"begun\n")
    assert shell.run("echo on").output == b"on\n"


def test_a_command_that_ignores_the_interrupt_makes_the_shell_busy(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandgate.terminals.live_shell.INTERRUPT_MS", 50)
    shell = opened(stage)
    result = shell.run("trap '' INT; sh -c 'trap \"\" INT; while :; do sleep 1000; done'", timeout_ms=100)
    assert (result.timed_out, result.exit_code) == (True, None)
    with pytest.raises(TerminalFailed, match="takes no command"):
        shell.run("echo x")


def test_of_a_long_output_both_ends_are_kept_and_the_rest_is_counted(stage: Stage) -> None:
    result = opened(stage).run("seq 1000000")
    whole = b"".join(b"%d\n" % number for number in range(1, 1_000_001))
    half = OUTPUT_BYTES // 2
    assert len(result.output) + result.omitted_bytes == len(whole)
    assert result.output[:half] == whole[:half]
    assert result.output[-half:] == whole[-half:]


def test_a_shell_that_has_ended_says_so(stage: Stage) -> None:
    shell = opened(stage)
    assert shell.run("exit 3").exit_code is None
    assert shell.terminal.wait_exit(timeout_ms=10_000) == 3
    with pytest.raises(TerminalFailed):
        shell.run("echo x")


def test_commands_of_several_threads_take_turns(stage: Stage) -> None:
    shell = opened(stage)
    results: dict[int, bytes] = {}

    def ask(number: int) -> None:
        results[number] = shell.run(f"echo {number}; echo {number}").output

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert results == {number: f"{number}\n{number}\n".encode() for number in range(8)}


def test_what_a_terminal_would_take_for_a_key_is_refused(stage: Stage) -> None:
    with pytest.raises(RequestError, match="control character"):
        opened(stage).run("echo \x03")


def test_a_program_that_is_no_shell_does_not_come_up(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandgate.terminals.live_shell.READY_MS", 200)
    nonce, integration = shell_start("bash")
    shell = LiveShell(stage.start(plan("cat", tty=True)), nonce, integration)
    with pytest.raises(TerminalFailed, match="did not come up"):
        drive(shell.ready())

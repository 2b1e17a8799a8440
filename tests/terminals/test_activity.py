"""Whether a live command waits for somebody, asked about real programs on real terminals."""

from __future__ import annotations

import signal
import threading
from time import monotonic

import pytest

from sandgate.terminals.activity import is_settled, state_of
from sandgate.terminals.waiting import Settling, collect, drive
from support.process.waiting import LIMIT_S, wait_until
from support.terminal.terminal_stage import LIMIT_MS, Stage, program, sees

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.terminals.terminal import Terminal

SHELL = ("bash", "--norc", "--noprofile", "-i")
ENDLESS_S = 60.0
ROUNDS = 25


def runs(terminal: Terminal, name: str) -> bool:
    """Whether this program is in the foreground, and no longer the shell that becomes it."""
    found = terminal.look()
    assert found is not None
    with open(f"/proc/{found.group}/comm") as file:
        return file.read() == f"{name}\n"


def test_a_shell_at_its_prompt_is_settled_and_one_that_works_is_not(stage: Stage) -> None:
    terminal = stage.start(program(*SHELL, tty=True))
    assert wait_until(lambda: is_settled(terminal))
    assert state_of(terminal) == "idle"
    terminal.write(b"sleep 1000\n")
    assert wait_until(lambda: runs(terminal, "sleep") and state_of(terminal) == "running")
    assert not is_settled(terminal)
    terminal.write(b"\x03")
    assert wait_until(lambda: is_settled(terminal) and state_of(terminal) == "idle")


def test_a_question_is_settled_and_a_secret_one_hides_what_is_typed(stage: Stage) -> None:
    terminal = stage.start(
        "printf 'user: '; read u; stty -echo; printf 'secret: '; read s; stty echo; exec cat", tty=True
    )
    sees(terminal, "user: ")
    assert wait_until(lambda: is_settled(terminal))
    assert (state_of(terminal), terminal.hides_input) == ("waiting_for_input", False)
    terminal.write(b"me\n")
    sees(terminal, "secret: ")
    assert wait_until(lambda: is_settled(terminal))
    assert (state_of(terminal), terminal.hides_input) == ("waiting_for_secret", True)
    terminal.write(b"hush\n")
    assert wait_until(lambda: state_of(terminal) == "waiting_for_input" and not terminal.hides_input)
    assert b"hush" not in terminal.read().data


def test_a_secret_is_hidden_before_anybody_reads_it(stage: Stage) -> None:
    """Required: echo off is enough; whoever types ahead must not be recorded because the program was not there yet."""
    terminal = stage.start("stty -echo; echo ready; exec sleep 1000", tty=True)
    sees(terminal, "ready")
    assert terminal.hides_input
    assert not is_settled(terminal)


def test_programs_that_echo_themselves_hide_nothing(stage: Stage) -> None:
    """A line editor switches the terminal's echo off, and prints each character itself."""
    terminal = stage.start(program(*SHELL, tty=True))
    assert wait_until(lambda: is_settled(terminal))
    found = terminal.look()
    assert found is not None
    assert not terminal.hides_input


def test_input_that_is_not_read_yet_keeps_it_unsettled(stage: Stage) -> None:
    """Required: a prompt seen before the answer was read would be the old one."""
    terminal = stage.start("echo ready; exec cat", tty=True)
    sees(terminal, "ready")
    assert wait_until(lambda: is_settled(terminal))
    terminal.signal(signal.SIGSTOP)
    assert wait_until(lambda: state_of(terminal) == "stopped")
    assert not is_settled(terminal)
    terminal.write(b"line\n")
    terminal.signal(signal.SIGCONT)
    sees(terminal, "line\r\nline\r\n")
    assert wait_until(lambda: is_settled(terminal))


def test_input_that_the_terminal_has_not_taken_keeps_it_unsettled(stage: Stage) -> None:
    terminal = stage.start("stty raw -echo; echo ready; exec sleep 1000", tty=True)
    sees(terminal, "ready")
    for _ in range(4):
        terminal.write(b"x" * 65_536)
    assert terminal.unwritten_bytes > 0
    assert not is_settled(terminal)


def test_output_that_was_not_read_yet_keeps_it_unsettled(stage: Stage) -> None:
    """Required: a call must not come back without what the command printed before it began to wait.

    Known before: with a busy machine one answer in ten was empty, and the output came with the next one.
    """
    terminal = stage.start("stty -echo; echo ready; read x; echo answer; exec cat", tty=True)
    sees(terminal, "ready\r\n")
    assert wait_until(lambda: is_settled(terminal))
    busy, may_go_on = threading.Event(), threading.Event()

    def keep_busy() -> None:
        busy.set()
        assert may_go_on.wait(LIMIT_S)

    stage.pump.at(monotonic(), keep_busy)
    assert busy.wait(LIMIT_S)
    before = terminal.total_bytes
    terminal.write(b"\n")
    try:
        assert wait_until(lambda: runs(terminal, "cat") and state_of(terminal) == "waiting_for_secret")
        assert terminal.total_bytes == before
        assert terminal.has_unread_output
        assert not is_settled(terminal)
    finally:
        may_go_on.set()
    sees(terminal, "answer\r\n")
    assert wait_until(lambda: is_settled(terminal))
    assert not terminal.has_unread_output


def test_a_command_without_a_terminal_is_never_settled(stage: Stage) -> None:
    terminal = stage.start("cat; exec sleep 1000")
    assert (state_of(terminal), is_settled(terminal), terminal.hides_input) == ("running", False, False)


@pytest.mark.parametrize("tty", [False, True], ids=["pipe", "terminal"])
def test_what_is_over_has_exited_and_waits_for_nobody(stage: Stage, tty: bool) -> None:
    terminal = stage.start("true", tty=tty)
    terminal.wait_exit(LIMIT_MS)
    assert (state_of(terminal), is_settled(terminal), terminal.hides_input) == ("exited", False, False)


def test_call_after_call_on_a_shell_has_the_whole_answer_of_its_own_line(stage: Stage) -> None:
    """Required: a call that comes back with the prompt must not come back with the one before."""
    terminal = stage.start(program(*SHELL, tty=True))
    drive(collect(terminal, yield_s=ENDLESS_S, settling=Settling(is_settled)))
    terminal.write(b"PS1='> '\n")
    drive(collect(terminal, yield_s=ENDLESS_S, settling=Settling(is_settled)))
    terminal.output.take()
    for number in range(ROUNDS):
        terminal.write(b"echo answer-$((%d * 2))\n" % number)
        drive(collect(terminal, yield_s=ENDLESS_S, settling=Settling(is_settled)))
        answer = terminal.output.take().joined()
        assert b"answer-%d\r\n" % (number * 2) in answer, (number, answer)
        assert answer.endswith(b"> ")

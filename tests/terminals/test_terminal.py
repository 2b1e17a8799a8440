"""Live commands as their callers see them: real terminals, real pipes, real ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from time import monotonic

import pytest

from sandgate.errors import InputNotTaken, RequestError, StdinClosed
from sandgate.patterns.wanted import Wanted
from sandgate.terminals.activity import is_settled
from sandgate.terminals.limits import DEFAULT_LIMITS
from sandgate.terminals.lines import CELLS_MAX
from sandgate.terminals.start import Shape
from sandgate.terminals.terminal import STDIN_CLOSED
from sandgate.terminals.traffic import NOT_WRITTEN, UNWRITTEN_BYTES_MAX
from sandgate.terminals.watching import watch
from support.process.waiting import LIMIT_S, is_dead, none_left_open, open_descriptors, wait_until
from support.terminal.terminal_stage import LIMIT_MS, Stage, program, sees

BOTH = pytest.mark.parametrize("tty", [False, True], ids=["pipe", "terminal"])
RAW = "stty raw -echo; "
SOON_S = 5.0


def child_of(stage_text: bytes) -> str:
    """The number a script printed as `pid=…`."""
    return stage_text.partition(b"pid=")[2].split()[0].decode()


# What it prints


@BOTH
def test_everything_is_read_also_what_was_printed_right_before_the_end(stage: Stage, tty: bool) -> None:
    """Required: the end overtakes nothing; asked often, because it is a race."""
    for number in range(60):
        terminal = stage.start(f"printf 'line\n%.0s' 1 2 3; printf 'last words {number}'; exit 5", tty=tty)
        assert terminal.wait_exit(LIMIT_MS) == 5
        data = terminal.read().data.replace(b"\r\n", b"\n")
        assert data == b"line\n" * 3 + b"last words %d" % number


@BOTH
def test_a_megabyte_that_is_no_text_arrives_to_the_byte(stage: Stage, tty: bool) -> None:
    """Required: nothing is decoded on the way; a terminal leaves it alone once it does not process output."""
    script = ("stty -opost; " if tty else "") + "head -c 1000000 /dev/zero | tr '\\0' '\\377'; printf '\\200end'"
    terminal = stage.start(script, tty=tty)
    assert terminal.wait_exit(LIMIT_MS) == 0
    assert terminal.read().data == b"\xff" * 1_000_000 + b"\x80end"
    assert terminal.output.take(whole_characters=True).joined().decode("utf-8", "replace").endswith("\ufffdend")


def test_of_more_than_is_kept_both_ends_remain_and_the_rest_is_counted(stage: Stage) -> None:
    terminal = stage.start("echo begin; head -c 3000000 /dev/zero; echo end")
    assert terminal.wait_exit(LIMIT_MS) == 0
    piece = terminal.read()
    assert (piece.data[:6], piece.data[-4:]) == (b"begin\n", b"end\n")
    assert len(piece.data) == DEFAULT_LIMITS.output_max_bytes
    assert piece.omitted_bytes == 3_000_010 - DEFAULT_LIMITS.output_max_bytes
    assert terminal.total_bytes == piece.end == 3_000_010


def test_readers_and_the_caller_take_nothing_from_one_another(stage: Stage) -> None:
    terminal = stage.start("echo one; read x; echo two", tty=True)
    end = sees(terminal, "one\r\n")
    assert terminal.output.take().joined() == b"one\r\n"
    terminal.write(b"\n")
    assert terminal.wait_exit(LIMIT_MS) == 0
    assert terminal.read(end).data == b"\r\ntwo\r\n"
    assert terminal.read().data == b"one\r\n\r\ntwo\r\n"
    assert terminal.output.take().joined() == b"\r\ntwo\r\n"


def test_listeners_hear_everything_in_order(stage: Stage) -> None:
    heard: list[bytes] = []
    terminal = stage.start("for i in 1 2 3; do echo $i; done", listeners=(heard.append,))
    assert terminal.wait_exit(LIMIT_MS) == 0
    assert b"".join(heard) == b"1\n2\n3\n"


def test_a_late_listener_hears_from_then_on(stage: Stage) -> None:
    terminal = stage.start("echo before; read x; echo after", tty=True)
    sees(terminal, "before")
    heard: list[bytes] = []
    terminal.listen(heard.append)
    terminal.write(b"\n")
    assert terminal.wait_exit(LIMIT_MS) == 0
    assert b"".join(heard) == b"\r\nafter\r\n"


def test_many_commands_at_once_keep_their_output_apart(stage: Stage) -> None:
    terminals = [stage.start(f"for i in 1 2 3 4 5; do echo {n}; done", tty=n % 2 == 0) for n in range(20)]
    for number, terminal in enumerate(terminals):
        assert terminal.wait_exit(LIMIT_MS) == 0
        assert terminal.read().data.split() == [b"%d" % number] * 5


# What is typed


def test_what_is_typed_arrives_and_control_characters_mean_what_they_mean(stage: Stage) -> None:
    """Required: 04 ends the input, and the command with it."""
    terminal = stage.start("exec cat", tty=True)
    terminal.write(b"hello\n")
    sees(terminal, "hello\r\n", "hello\r\n")
    terminal.write(b"\x04")
    assert terminal.wait_exit(LIMIT_MS) == 0


def test_ctrl_c_interrupts_the_foreground(stage: Stage) -> None:
    terminal = stage.start("trap 'echo caught; exit 7' INT; echo ready; while :; do read x; done", tty=True)
    sees(terminal, "ready")
    terminal.write(b"\x03")
    assert terminal.wait_exit(LIMIT_MS) == 7
    assert b"caught" in terminal.read().data


def test_typing_many_times_in_a_row_keeps_the_order(stage: Stage) -> None:
    """Far more than a terminal takes at once: the rest waits here and follows."""
    size = 300_000
    terminal = stage.start(f"{RAW} echo ready; head -c {size} | cksum", tty=True)
    sees(terminal, "ready")
    data = bytes(number % 251 for number in range(size))
    for start in range(0, size, 10_000):
        terminal.write(data[start : start + 10_000])
    assert terminal.wait_exit(LIMIT_MS) == 0
    assert terminal.unwritten_bytes == 0
    arrived = subprocess.run(["cksum"], input=data, capture_output=True, check=True).stdout.split()
    assert terminal.read().data.split()[-2:] == arrived


def test_a_command_without_a_terminal_takes_no_input(stage: Stage) -> None:
    """Required: the sentence to the letter."""
    terminal = stage.start("cat; echo end of input; sleep 1000")
    sees(terminal, "end of input")
    with pytest.raises(StdinClosed) as caught:
        terminal.write(b"x")
    assert str(caught.value) == STDIN_CLOSED


def test_a_command_that_never_reads_is_said_not_to_take_its_input(stage: Stage) -> None:
    """Required: typing never blocks, and what is kept for the command is bounded."""
    terminal = stage.start(f"{RAW} echo ready; exec sleep 1000", tty=True)
    sees(terminal, "ready")
    block, before = b"x" * 65_536, monotonic()
    while terminal.unwritten_bytes + len(block) <= UNWRITTEN_BYTES_MAX:
        terminal.write(block)
    with pytest.raises(InputNotTaken, match=rf"^{NOT_WRITTEN}: the command (reads more slowly|does not read)"):
        terminal.write(block)
    assert monotonic() - before < SOON_S
    assert 0 < terminal.unwritten_bytes <= UNWRITTEN_BYTES_MAX
    terminal.close()
    assert terminal.unwritten_bytes == 0


def test_typing_into_what_is_over_is_said(stage: Stage) -> None:
    terminal = stage.start("true", tty=True)
    terminal.wait_exit(LIMIT_MS)
    with pytest.raises(InputNotTaken, match="the command is over"):
        terminal.write(b"x")


def test_typing_while_it_ends_is_no_error_of_another_kind(stage: Stage) -> None:
    for _ in range(30):
        terminal = stage.start("read x", tty=True)
        try:
            for _ in range(50):
                terminal.write(b"y\n")
        except InputNotTaken:
            pass
        assert terminal.wait_exit(LIMIT_MS) == 0


# Its size


def test_a_new_size_is_seen_and_signalled(stage: Stage) -> None:
    script = "trap 'stty size' WINCH; stty size; while :; do read x; done"
    terminal = stage.start(script, tty=True, shape=Shape(tty=True, rows=10, columns=20))
    sees(terminal, "10 20")
    assert (terminal.identity.rows, terminal.identity.columns) == (10, 20)
    terminal.resize(50, 100)
    terminal.write(b"\n")  # dash runs a trap only after the read
    sees(terminal, "50 100")
    assert (terminal.identity.rows, terminal.identity.columns) == (50, 100)


@pytest.mark.parametrize(("rows", "columns"), [(0, 80), (24, 0), (-1, 80), (CELLS_MAX + 1, 80), (24, CELLS_MAX + 1)])
def test_a_size_no_terminal_has_is_refused(stage: Stage, rows: int, columns: int) -> None:
    terminal = stage.start("exec cat", tty=True)
    with pytest.raises(RequestError, match="is no size"):
        terminal.resize(rows, columns)


def test_without_a_terminal_there_is_no_size_and_after_the_end_no_harm(stage: Stage) -> None:
    with pytest.raises(RequestError, match="no terminal"):
        stage.start("exec sleep 1000").resize(24, 80)
    finished = stage.start("true", tty=True)
    finished.wait_exit(LIMIT_MS)
    finished.resize(30, 90)
    assert finished.identity.rows == 24


# Its end


@BOTH
@pytest.mark.parametrize(("script", "code"), [("exit 17", 17), ("true", 0), ("kill -TERM $$", 143)])
def test_the_exit_code_is_the_commands_own(stage: Stage, tty: bool, script: str, code: int) -> None:
    """Required: and 128 + N after signal N in both modes."""
    terminal = stage.start(script, tty=tty)
    assert terminal.wait_exit(LIMIT_MS) == code
    assert (terminal.exited, terminal.over, terminal.exit_code) == (True, True, code)


@BOTH
def test_a_command_killed_from_outside_says_137(stage: Stage, tty: bool) -> None:
    """Required."""
    terminal = stage.start("echo ready; exec sleep 1000", tty=tty)
    sees(terminal, "ready")
    os.kill(terminal.pid, signal.SIGKILL)
    assert terminal.wait_exit(LIMIT_MS) == 137
    outcome = terminal.outcome()
    assert outcome.result is not None
    assert (outcome.result.signal, outcome.result.termination) == (9, "signaled")


@BOTH
def test_a_grandchild_that_holds_the_output_does_not_keep_the_end_from_being_told(stage: Stage, tty: bool) -> None:
    """Required: the end is told by the process; whoever still has the other side is waited for briefly."""
    # A terminal hangs up when its session's leader ends.
    terminal = stage.start("(trap '' HUP; exec sleep 1000) & printf hello; exit 4", tty=tty)
    before = monotonic()
    assert terminal.wait_exit(LIMIT_MS) == 4
    assert monotonic() - before < SOON_S
    assert b"hello" in terminal.read().data


def test_a_grandchild_that_prints_without_end_does_not_either(stage: Stage) -> None:
    terminal = stage.start("yes & exit 6")
    assert terminal.wait_exit(LIMIT_MS) == 6
    assert terminal.over


def test_the_watcher_is_told_once_when_all_is_read_and_before_anybody_sees_the_end(stage: Stage) -> None:
    terminal = stage.start("printf all; exit 2")
    terminal.wait_exit(LIMIT_MS)
    (outcome,) = stage.witness.outcomes
    assert stage.witness.was_over == [False]
    assert outcome.result is not None
    assert (outcome.result.exit_code, outcome.result.aggregated, outcome.result.termination) == (2, b"all", "exited")
    terminal.close()
    terminal.terminate()
    assert len(stage.witness.outcomes) == 1


def test_a_watcher_that_fails_does_not_keep_the_end_from_being_told(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    complaints: list[str] = []
    monkeypatch.setattr(sys, "excepthook", lambda _kind, problem, _where: complaints.append(str(problem)))

    def fail(_terminal: object) -> None:
        raise ValueError("the watcher's mistake")

    monkeypatch.setattr(stage.witness, "over", fail)
    assert stage.start("exit 3").wait_exit(LIMIT_MS) == 3
    assert stage.start("exit 4", tty=True).wait_exit(LIMIT_MS) == 4
    assert wait_until(lambda: complaints == ["the watcher's mistake"] * 2)


def test_its_duration_stands_still_after_the_end(stage: Stage) -> None:
    terminal = stage.start("true")
    terminal.wait_exit(LIMIT_MS)
    assert terminal.duration_ms == terminal.duration_ms >= 0
    assert terminal.ended_ns >= terminal.started_ns


def test_waiting_for_the_end_gives_up_after_its_time(stage: Stage) -> None:
    terminal = stage.start("exec sleep 1000")
    assert terminal.wait_exit(0) is None
    assert terminal.wait_exit(20) is None
    assert not terminal.over


def test_many_may_wait_for_one_end(stage: Stage) -> None:
    terminal = stage.start("read x; exit 9", tty=True)
    codes: list[int | None] = []
    waiters = [threading.Thread(target=lambda: codes.append(terminal.wait_exit(LIMIT_MS))) for _ in range(6)]
    for each in waiters:
        each.start()
    terminal.write(b"\n")
    for each in waiters:
        each.join(LIMIT_S)
    assert codes == [9] * 6


# Ending it


@BOTH
def test_signals_reach_the_commands_group(stage: Stage, tty: bool) -> None:
    terminal = stage.start("trap 'echo caught; exit 8' USR1; echo ready; while :; do sleep 0.01; done", tty=tty)
    sees(terminal, "ready")
    terminal.signal(signal.SIGUSR1)
    assert terminal.wait_exit(LIMIT_MS) == 8
    terminal.signal(signal.SIGUSR1)  # nobody is left; nothing happens


@BOTH
def test_a_command_is_asked_to_end_and_may_clear_up(stage: Stage, tty: bool) -> None:
    script = "trap 'echo cleared; exit 0' TERM HUP; echo ready; while :; do sleep 0.01; done"
    terminal = stage.start(script, tty=tty)
    sees(terminal, "ready")
    terminal.terminate(LIMIT_S)
    assert terminal.wait_exit(LIMIT_MS) == 0
    assert b"cleared" in terminal.read().data
    outcome = terminal.outcome()
    assert outcome.result is not None
    assert outcome.result.termination == "cancelled"


def test_an_interactive_shell_that_ignores_term_ends_with_its_terminal(stage: Stage) -> None:
    """At its prompt: bash forgets a hang-up that comes between its last look for one and its wait for input."""
    terminal = stage.start(program("bash", "--norc", "--noprofile", "-i", tty=True))
    terminal.write(b"echo here-$((40 + 2))\n")
    sees(terminal, "here-42")
    assert wait_until(lambda: is_settled(terminal))
    terminal.terminate(LIMIT_S * 2)
    assert terminal.wait_exit(LIMIT_MS) is not None, "it was not killed, it left"


@BOTH
def test_who_ignores_every_question_is_killed_after_the_grace(stage: Stage, tty: bool) -> None:
    terminal = stage.start("trap '' TERM HUP INT; echo ready; while :; do sleep 0.01; done", tty=tty)
    sees(terminal, "ready")
    before = monotonic()
    terminal.terminate(0.1)
    terminal.terminate(0.1)
    assert terminal.wait_exit(LIMIT_MS) == 137
    assert monotonic() - before >= 0.1


@BOTH
def test_one_that_stopped_itself_can_be_asked_to_end(stage: Stage, tty: bool) -> None:
    """Required: a stopped command gets no signal but KILL until it is continued."""
    terminal = stage.start("trap 'exit 3' TERM HUP; echo ready; kill -STOP $$; while :; do sleep 0.01; done", tty=tty)
    sees(terminal, "ready")
    stat = f"/proc/{terminal.pid}/stat"

    def stopped() -> bool:
        with open(stat) as file:
            return file.read().rpartition(")")[2].split()[0] == "T"

    assert wait_until(stopped)
    terminal.terminate(LIMIT_S * 2)
    assert terminal.wait_exit(LIMIT_MS) == 3


def test_no_grace_is_a_kill(stage: Stage) -> None:
    terminal = stage.start("trap 'echo cleared; exit 0' TERM; echo ready; while :; do sleep 0.01; done")
    sees(terminal, "ready")
    terminal.terminate(0)
    assert terminal.wait_exit(LIMIT_MS) == 137
    assert b"cleared" not in terminal.read().data


@BOTH
def test_closing_kills_everything_it_started_and_returns_when_it_is_gone(stage: Stage, tty: bool) -> None:
    before = open_descriptors()
    terminal = stage.start("sleep 1000 & echo pid=$!; sh -c 'sleep 1000 | cat'", tty=tty)
    sees(terminal, "pid=", "\n")
    grandchild = child_of(terminal.read().data)
    terminal.close()
    terminal.close()
    assert (terminal.over, terminal.exit_code) == (True, 137)
    assert wait_until(lambda: is_dead(grandchild))
    assert none_left_open(before, most=2), "nothing but the pump's own"


def test_a_command_that_was_failed_says_why_and_is_gone(stage: Stage) -> None:
    terminal = stage.start("echo ready; exec sleep 1000")
    sees(terminal, "ready")
    terminal.fail("the reason")
    terminal.fail("a later reason")
    assert terminal.wait_exit(LIMIT_MS) == 137
    assert terminal.failure_message == "the reason"


def test_what_is_over_cannot_be_failed_any_more(stage: Stage) -> None:
    terminal = stage.start("true")
    terminal.wait_exit(LIMIT_MS)
    terminal.fail("too late")
    terminal.terminate()
    assert (terminal.failure_message, terminal.stopped_by) == ("", None)


def test_hundreds_of_commands_leave_nothing_behind(stage: Stage) -> None:
    """Required."""
    stage.start("true").wait_exit(LIMIT_MS)
    before = open_descriptors()
    for number in range(100):
        assert stage.start("true", tty=number % 2 == 0).wait_exit(LIMIT_MS) == 0
    assert none_left_open(before)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


# Waiting for output


def test_a_wait_returns_with_what_was_found_and_where_to_go_on(stage: Stage) -> None:
    terminal = stage.start("echo one two; read x; echo three", tty=True)
    found = terminal.wait_for(["nothing", Wanted("t[w]o", regex=True)], timeout_ms=LIMIT_MS)
    assert found is not None
    assert (found.which, found.text, found.end) == (1, "two", len("one two"))
    assert terminal.wait_for([b"o"], timeout_ms=0, offset=3) is not None
    assert terminal.wait_for(["one"], timeout_ms=0, offset=found.end) is None
    terminal.write(b"\n")
    assert sees(terminal, "three", offset=found.end) == terminal.read().data.index(b"three") + 5


def test_a_wait_ends_with_the_command_and_with_its_time(stage: Stage) -> None:
    assert stage.start("echo something").wait_for(["else"], timeout_ms=LIMIT_MS) is None
    assert stage.start("exec sleep 1000").wait_for(["else"], timeout_ms=20) is None


def test_a_wait_sees_the_last_words(stage: Stage) -> None:
    """Required: what is printed right before the end is looked at before the end counts."""
    for _ in range(30):
        assert stage.start("printf last").wait_for(["last"], timeout_ms=LIMIT_MS) is not None


def test_a_wait_from_beyond_the_end_begins_at_the_end(stage: Stage) -> None:
    terminal = stage.start("echo one; read x; echo two", tty=True)
    end = sees(terminal, "one\r\n")
    waiting = watch(terminal, ["two"], timeout_ms=LIMIT_MS, offset=10_000)
    next(waiting)
    terminal.write(b"\n")
    assert terminal.wait_exit(LIMIT_MS) == 0
    with pytest.raises(StopIteration) as done:
        waiting.send(None)
    assert done.value.value.end == end + len("\r\ntwo")


def test_a_wait_behind_output_that_is_not_kept_says_where_it_really_ended(stage: Stage) -> None:
    """Required: the offset goes on from the match, however much lay between and was not kept."""
    terminal = stage.start("echo begin; head -c 3000000 /dev/zero; echo end")
    terminal.wait_exit(LIMIT_MS)
    found = terminal.wait_for(["end\n"], timeout_ms=0)
    assert found is not None
    assert found.end == terminal.total_bytes
    first = terminal.wait_for(["begin"], timeout_ms=0, offset=0)
    assert first is not None
    assert first.end == 5


def test_patterns_that_cannot_be_used_are_said(stage: Stage) -> None:
    with pytest.raises(RequestError):
        stage.start("exec sleep 1000").wait_for([Wanted("(", regex=True)], timeout_ms=LIMIT_MS)


# Looking


def test_looking_costs_no_descriptor_and_is_possible_at_any_time(stage: Stage) -> None:
    piped, finished = stage.start("exec sleep 1000"), stage.start("true", tty=True)
    finished.wait_exit(LIMIT_MS)
    assert (piped.look(), finished.look()) == (None, None)
    live = stage.start("exec cat", tty=True)
    before = open_descriptors()
    assert wait_until(lambda: (found := live.look()) is not None and found.session == live.pid)
    assert none_left_open(before)


def test_a_pid_that_ended_is_reaped(stage: Stage) -> None:
    terminal = stage.start("true")
    terminal.wait_exit(LIMIT_MS)
    assert not os.path.exists(f"/proc/{terminal.pid}")

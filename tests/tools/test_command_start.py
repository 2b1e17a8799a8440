"""Starting a command as a model does, and what it is told."""

from __future__ import annotations

import threading
from time import monotonic

import pytest

from sandgate.errors import CommandRefused
from sandgate.protocol.denials import Denial
from sandgate.terminals.waiting import drive
from sandgate.tools.command_start import await_command, crowd_notice
from support.process.waiting import LIMIT_S
from support.terminal.terminal_stage import LIMIT_MS, sees
from support.tool.tool_host import PATIENT, ToolHost

SOON_S = 5.0


def test_a_command_that_ends_in_time_is_told_with_its_code_and_gone(host: ToolHost) -> None:
    """Required: the answer comes with the end and not with the time."""
    before = monotonic()
    answer = host.exec("printf out; printf err >&2; exit 3", yield_time_ms=31_415)
    assert monotonic() - before < SOON_S
    assert (answer.exit_code, answer.session_id, answer.output, answer.state) == (3, None, "outerr", "exited")
    assert answer.chunk_id is not None
    assert len(answer.chunk_id) == 6
    assert 0 <= answer.wall_time_seconds < SOON_S
    assert len(host.table.terminals()) == 0


def test_a_command_that_lives_on_is_told_by_its_number_and_found_under_it(host: ToolHost) -> None:
    answer = host.exec("echo working; exec sleep 1000", yield_time_ms=250)
    assert (answer.exit_code, answer.output, answer.state) == (None, "working\n", "running")
    assert answer.session_id is not None
    assert host.table.get(answer.session_id).identity.terminal_id == answer.session_id


def test_a_command_that_asks_is_told_as_soon_as_it_asks(host: ToolHost) -> None:
    before = monotonic()
    answer = host.exec("printf 'name? '; read name", tty=True, yield_time_ms=30_000)
    assert monotonic() - before < SOON_S
    assert (answer.output, answer.state) == ("name? ", "waiting_for_input")


@pytest.mark.parametrize("asked_ms", [0, 1, 250])
def test_no_call_comes_back_before_the_shortest_time(host: ToolHost, asked_ms: int) -> None:
    """Required: the lower clamp."""
    before = monotonic()
    assert host.exec("exec sleep 1000", yield_time_ms=asked_ms).session_id is not None
    assert 0.25 <= monotonic() - before < SOON_S


def test_the_wall_time_is_that_of_the_waiting(host: ToolHost) -> None:
    answer = host.exec("exec sleep 1000", yield_time_ms=300)
    assert 0.3 <= answer.wall_time_seconds < SOON_S


def test_a_background_process_that_holds_the_output_does_not_hold_the_answer(host: ToolHost) -> None:
    """Required."""
    before = monotonic()
    answer = host.exec("printf hello; (sleep 100; echo late) &", yield_time_ms=30_000)
    assert monotonic() - before < SOON_S
    assert (answer.output, answer.exit_code) == ("hello", 0)


def test_a_question_to_a_person_does_not_cost_the_command_its_time(host: ToolHost) -> None:
    """Required: the pause outlasts the time of the call, and the output is there all the same."""
    host.pause.hold()
    started = host.begin("echo done")
    answers = []
    call = threading.Thread(
        target=lambda: answers.append(drive(await_command(host, started, yield_time_ms=250))), daemon=True
    )
    call.start()
    assert started.terminal.wait_exit(LIMIT_MS) == 0
    assert answers == []
    host.pause.release()
    call.join(LIMIT_S)
    (answer,) = answers
    assert (answer.output, answer.session_id, answer.exit_code) == ("done\n", None, 0)


def test_a_refused_command_is_an_error_with_the_reason(host: ToolHost) -> None:
    host.refuses = "the rule says no"
    with pytest.raises(CommandRefused, match=r"^the rule says no$"):
        host.exec("echo never")
    assert len(host.table.terminals()) == 0


def test_a_command_that_was_given_up_waiting_for_can_still_be_asked_about(host: ToolHost) -> None:
    """Required: a call that is cancelled does not kill, and takes no output along."""
    started = host.begin("printf kept; exec sleep 1000")
    waiting = await_command(host, started)
    next(waiting)
    sees(started.terminal, "kept")
    waiting.close()
    number = started.terminal.identity.terminal_id
    assert host.write(number, yield_time_ms=250).output == "kept"


def test_output_beyond_the_budget_is_cut_and_counted(host: ToolHost) -> None:
    answer = host.exec("seq 5000", max_output_tokens=100)
    assert "tokens truncated" in answer.output
    assert answer.output.endswith("4999\n5000\n")
    assert answer.original_token_count == (23_893 + 3) // 4


def test_output_that_no_buffer_held_is_said(host: ToolHost) -> None:
    """Required."""
    answer = host.exec("echo begin; head -c 3000000 /dev/zero | tr '\\0' x; echo end", yield_time_ms=30_000)
    assert answer.omitted_bytes == 3_000_010 - PATIENT.output_max_bytes
    assert f"... {answer.omitted_bytes} bytes omitted ..." in answer.output
    assert answer.original_token_count == (3_000_010 + 3) // 4


def test_notices_and_denials_are_passed_on(host: ToolHost) -> None:
    host.denials = (Denial("write", "/etc/motd"),)
    answer = host.exec("true", notices=("used `sh`",))
    assert (answer.notices, answer.denials) == (("the sandbox refused: write /etc/motd", "used `sh`"), host.denials)


def test_many_denials_are_told_in_a_few_lines(host: ToolHost) -> None:
    host.denials = tuple(Denial("write", f"/etc/{number}") for number in range(7))
    notices = host.exec("true").notices
    assert notices[:2] == ("the sandbox refused: write /etc/0", "the sandbox refused: write /etc/1")
    assert notices[-1] == "the sandbox refused 4 more"


def test_a_crowd_is_warned_about_in_the_words_of_the_specification(host: ToolHost) -> None:
    """Required: and section 4: the maximum, the number, and what to do."""
    host.limits = PATIENT.but(warn_processes=2)
    first = host.exec("exec sleep 1000", yield_time_ms=250)
    second = host.exec("exec sleep 1000", yield_time_ms=250)
    assert first.notices == ()
    assert second.notices == (
        "The maximum number of unified exec processes you can keep open is 2 and you currently have 2 "
        "processes open. Reuse older processes or close them to prevent automatic pruning of old processes.",
    )
    assert crowd_notice(host, exited=True) == ()

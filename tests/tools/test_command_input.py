"""Typing into live commands as a model does, and what it is told."""

from __future__ import annotations

import threading
from time import monotonic

import pytest

from sandgate.errors import InputNotTaken, RequestError, StdinClosed, TerminalFailed, UnknownTerminal
from sandgate.protocol.commands import NS_PER_S
from sandgate.terminals.table import EXITED_RETENTION_S, TerminalTable
from sandgate.terminals.terminal import STDIN_CLOSED
from sandgate.terminals.waiting import drive
from sandgate.tools.arguments import WaitPattern, WriteStdinArguments
from sandgate.tools.command_input import write_stdin
from support.process.waiting import LIMIT_S, wait_until
from support.terminal.terminal_stage import LIMIT_MS, sees
from support.tool.tool_host import PATIENT, ToolHost

SOON_S = 5.0
SHELL = "PS1='> ' exec bash --norc --noprofile -i"


def shell(host: ToolHost) -> int:
    """The number of a shell at its prompt."""
    answer = host.exec(SHELL, tty=True)
    assert answer.session_id is not None
    assert answer.output.endswith("> ")
    return answer.session_id


def bury(host: ToolHost, session: int) -> None:
    """The command was over long ago, and nobody asked."""
    terminal = host.table.get(session)
    assert terminal.wait_exit(LIMIT_MS) is not None
    past = (EXITED_RETENTION_S + 1) * NS_PER_S
    terminal.last_used_ns -= past
    terminal.ended_ns -= past
    host.table.sweep()


# Typing


def test_a_shell_keeps_its_state_between_calls_and_each_call_has_its_own_answer(host: ToolHost) -> None:
    """Required: the answer comes with the prompt."""
    session = shell(host)
    before = monotonic()
    assert host.write(session, "export WORD=kept\n").session_id == session
    answer = host.write(session, "echo $WORD\n")
    assert monotonic() - before < SOON_S * 2
    assert answer.output == "echo $WORD\r\nkept\r\n> "
    assert answer.state == "idle"


def test_two_sessions_share_nothing(host: ToolHost) -> None:
    """Required."""
    one, two = shell(host), shell(host)
    host.write(one, "WORD=mine\n")
    assert "[mine]" in host.write(one, "echo [$WORD]\n").output
    assert "\n[]" in host.write(two, "echo [$WORD]\n").output


def test_a_program_that_answers_and_ends_is_told_with_its_code_and_its_number_is_free(host: ToolHost) -> None:
    """Required: test ideas 16 and 34."""
    session = host.exec("exec cat", tty=True).session_id
    assert host.write(session, "text\n").output == "text\r\ntext\r\n"
    answer = host.write(session, "\x04")
    assert (answer.exit_code, answer.session_id, answer.state) == (0, None, "exited")
    assert len(host.table.terminals()) == 0
    with pytest.raises(UnknownTerminal, match=rf"^Unknown process id {session}$"):
        host.write(session)


def test_keys_are_typed_after_the_characters(host: ToolHost) -> None:
    session = host.exec("trap 'echo caught; exit 9' INT; echo ready; while :; do read x; done", tty=True).session_id
    answer = host.write(session, "abc", keys=("ctrl-c",))
    assert answer.exit_code == 9
    assert "caught" in answer.output
    assert host.told == [("abc\x03", False)]


def test_input_without_a_terminal_is_refused_but_for_an_interrupt(host: ToolHost) -> None:
    """Required."""
    session = host.exec("exec sleep 1000", yield_time_ms=250).session_id
    with pytest.raises(StdinClosed) as caught:
        host.write(session, "x")
    assert str(caught.value) == STDIN_CLOSED
    with pytest.raises(StdinClosed):
        host.write(session, "\x03\x03")
    answer = host.write(session, "\x03")
    assert (answer.exit_code, answer.session_id) == (130, None)
    assert host.told == [("\x03", False)]


def test_input_that_nobody_takes_is_an_error_and_the_command_stays(host: ToolHost) -> None:
    session = host.exec("stty raw -echo; echo ready; exec sleep 1000", tty=True, yield_time_ms=250).session_id
    host.write(session, "x" * 700_000, yield_time_ms=250)
    with pytest.raises(InputNotTaken, match=r"^failed to write to stdin"):
        host.write(session, "x" * 700_000, yield_time_ms=250)
    assert not host.terminal(session).exited


def test_input_for_what_is_over_is_answered_with_the_end(host: ToolHost) -> None:
    """Required: the write fails because it exited, so the exit is what is told."""
    for tty in (False, True):
        session = host.begin("printf bye; exit 4", tty=tty).terminal.identity.terminal_id
        assert host.terminal(session).wait_exit(LIMIT_MS) == 4
        answer = host.write(session, "too late\n")
        assert (answer.exit_code, answer.output, answer.session_id) == (4, "bye", None)


@pytest.mark.parametrize(("echo", "secret"), [("-echo", True), ("echo", False)])
def test_what_is_typed_where_nothing_is_echoed_is_marked_as_a_secret(host: ToolHost, echo: str, secret: bool) -> None:
    """Required: listeners and records must not learn a password."""
    session = host.exec(f"stty {echo}; printf 'word: '; read x; stty echo; echo; exec cat", tty=True).session_id
    host.write(session, "hush\n")
    assert host.told == [("hush\n", secret)]
    host.write(session, "said\n")
    assert host.told[1:] == [("said\n", False)]


def test_half_a_character_that_was_typed_arrives_as_its_bytes(host: ToolHost) -> None:
    session = host.exec("stty raw -echo; head -c 2 | od -An -tx1", tty=True, yield_time_ms=250).session_id
    assert host.write(session, "é").output.split() == ["c3", "a9"]


# Looking


def test_a_look_is_told_as_one_and_brings_what_was_printed_since(host: ToolHost) -> None:
    """Required: empty polls are told, too."""
    session = host.exec("echo one; read x; echo two; exec sleep 1000", tty=True).session_id
    terminal = host.terminal(session)
    assert host.write(session, yield_time_ms=250).output == ""
    terminal.write(b"\n")
    sees(terminal, "two\r\n")
    assert host.write(session, yield_time_ms=250).output == "\r\ntwo\r\n"
    assert host.told == [("", False), ("", False)]


def test_a_look_comes_back_with_the_end(host: ToolHost) -> None:
    """Required."""
    started = host.begin("read x; echo V; exit 5", tty=True)
    session = started.terminal.identity.terminal_id
    answers = []
    call = threading.Thread(target=lambda: answers.append(host.write(session, yield_time_ms=60_000)), daemon=True)
    call.start()
    assert wait_until(lambda: started.terminal.changes._waiting != [])
    started.terminal.write(b"\n")
    call.join(LIMIT_S)
    (answer,) = answers
    assert (answer.output, answer.exit_code) == ("\r\nV\r\n", 5)


def test_a_look_at_a_silent_shell_waits_its_time(host: ToolHost) -> None:
    session = shell(host)
    before = monotonic()
    assert host.write(session, yield_time_ms=300).output == ""
    assert monotonic() - before >= 0.3


def test_an_end_that_nobody_asked_about_is_told_once(host: ToolHost) -> None:
    session = host.begin("printf 'last words'; exit 6").terminal.identity.terminal_id
    bury(host, session)
    answer = host.write(session, "ignored")
    assert (answer.exit_code, answer.output, answer.session_id, answer.state) == (6, "last words", None, "exited")
    with pytest.raises(UnknownTerminal):
        host.write(session)


def test_a_command_that_sandgate_ended_is_an_error_with_the_reason(host: ToolHost) -> None:
    """Required."""
    session = host.exec("echo begun; exec sleep 1000", yield_time_ms=250).session_id
    host.terminal(session).fail("network access was denied")
    with pytest.raises(TerminalFailed, match=r"^Unified exec process failed: network access was denied$"):
        host.write(session)
    with pytest.raises(UnknownTerminal):
        host.write(session)
    assert host.told == [("", False)]


# Waiting for something


def test_a_wait_comes_back_with_what_it_waited_for(host: ToolHost) -> None:
    session = host.exec(
        "stty -echo; printf 'go? '; read x; echo building; echo READY on 8080; exec sleep 1000", tty=True
    )
    before = monotonic()
    answer = host.write(
        session.session_id,
        "\n",
        yield_time_ms=30_000,
        wait_for=(WaitPattern("FAILED"), WaitPattern("READY.*", regex=True)),
    )
    assert monotonic() - before < SOON_S
    assert answer.matched is not None
    assert answer.matched.startswith("READY on 80")
    assert "building" in answer.output


def test_a_wait_looks_at_what_no_answer_has_had_yet_and_at_nothing_older(host: ToolHost) -> None:
    """Required: an old match would end every later wait at once."""
    session = host.exec("echo OLD; read x; echo NEW; exec sleep 1000", tty=True).session_id
    answer = host.write(session, yield_time_ms=250, wait_for=(WaitPattern("OLD"),))
    assert answer.matched is None
    terminal = host.terminal(session)
    terminal.write(b"\n")
    sees(terminal, "NEW")
    assert host.write(session, yield_time_ms=30_000, wait_for=(WaitPattern("NEW"),)).matched == "NEW"


def test_a_wait_is_not_cut_short_by_a_prompt(host: ToolHost) -> None:
    session = shell(host)
    before = monotonic()
    assert host.write(session, "true\n", yield_time_ms=300, wait_for=(WaitPattern("never"),)).matched is None
    assert monotonic() - before >= 0.3


def test_a_pattern_that_cannot_be_used_is_said_before_anything_is_typed(host: ToolHost) -> None:
    """Required: the model will send the call again, and the input must not be there twice."""
    session = host.exec("exec cat", tty=True, yield_time_ms=250).session_id
    with pytest.raises(RequestError):
        host.write(session, "typed\n", wait_for=(WaitPattern("(", regex=True),))
    assert host.terminal(session).read().data == b""
    assert host.told == []
    assert host.write(session, "once\n").output == "once\r\nonce\r\n", "the turn was given back"


# Turns


def test_calls_on_one_command_take_turns_and_share_nothing(host: ToolHost) -> None:
    """Required: every line is answered about in one call, whole, and in the order of calling."""
    session = host.exec("stty -echo; echo ready; exec cat", tty=True).session_id
    assert session is not None
    calls = [write_stdin(host, WriteStdinArguments(session, f"line-{number}\n")) for number in range(6)]
    first_waits = [next(call) for call in calls]  # all have entered, in this order
    assert len(first_waits) == 6
    answers: dict[int, str] = {}

    def finish(number: int) -> None:
        answers[number] = drive(calls[number]).output

    threads = [threading.Thread(target=finish, args=(number,), daemon=True) for number in reversed(range(6))]
    for each in threads:
        each.start()
    for each in threads:
        each.join(LIMIT_S)
    assert answers == {number: f"line-{number}\r\n" for number in range(6)}


def test_a_call_that_is_given_up_lets_the_next_one_in_and_takes_no_output_along(host: ToolHost) -> None:
    session = host.exec("stty -echo; echo ready; exec cat", tty=True).session_id
    assert session is not None
    waiting = write_stdin(host, WriteStdinArguments(session, "one\n", wait_for=(WaitPattern("never"),)))
    next(waiting)
    sees(host.terminal(session), "one\r\n")
    waiting.close()
    assert host.write(session, "two\n").output == "one\r\ntwo\r\n"


def test_who_waited_for_a_turn_on_a_command_that_ended_meanwhile_is_told_so(host: ToolHost) -> None:
    session = host.exec("read x; exit 3", tty=True).session_id
    assert session is not None
    first = write_stdin(host, WriteStdinArguments(session, "\n"))
    next(first)
    second = write_stdin(host, WriteStdinArguments(session, ""))
    next(second)
    assert drive(first).exit_code == 3
    with pytest.raises(UnknownTerminal, match=rf"^Unknown process id {session}$"):
        drive(second)


def test_a_number_that_was_given_to_another_command_meanwhile_is_not_taken_from_it(host: ToolHost) -> None:
    """Required: who waited for the old command must neither read nor remove the new one of its number."""
    host.table = TerminalTable(PATIENT, draw=lambda _size: 0)
    session = host.exec("read x; exit 3", tty=True).session_id
    assert session is not None
    first = write_stdin(host, WriteStdinArguments(session, "\n"))
    next(first)
    second = write_stdin(host, WriteStdinArguments(session, "for the old one\n"))
    next(second)
    assert drive(first).exit_code == 3
    other = host.exec("echo new; exec cat", tty=True)
    assert other.session_id == session
    with pytest.raises(UnknownTerminal):
        drive(second)
    assert host.write(session, "still here\n").output == "still here\r\nstill here\r\n"

"""The tool `write_stdin` on the real kernel: typing, keys, waiting for a pattern, and looking."""

from __future__ import annotations

import threading

import pytest

from sandgate.errors import InputNotTaken, UnknownTerminal
from sandgate.patterns.wanted import Wanted
from support.process.waiting import wait_until
from support.terminal.live_sessions import BACKENDS, CONNECTIONS, JOIN_LIMIT_S, Workplace, shell

pytestmark = pytest.mark.host("namespace", "notify")


@pytest.mark.parametrize("backend", BACKENDS)
def test_interrupt_reaches_a_command_without_terminal(place: Workplace, backend: str) -> None:
    """Idea 41, second half."""
    runtime = place.session(backend=backend)
    number = runtime.exec_command("sleep 1000", yield_time_ms=250, login=False).session_id or 0
    assert runtime.write_stdin(number, "\x03").exit_code == 130


@pytest.mark.parametrize("backend", BACKENDS)
def test_ctrl_c_ends_the_command_in_front_and_the_shell_prompts_again(place: Workplace, backend: str) -> None:
    """The reference loses the whole session here, inside its sandbox."""
    runtime = place.session(backend=backend)
    number = shell(runtime)
    assert runtime.write_stdin(number, "sleep 1000\r").state == "running"
    assert runtime.write_stdin(number, keys=("ctrl-c",)).state == "idle"
    assert "130" in runtime.write_stdin(number, "echo $?\r").output


@pytest.mark.parametrize("backend", BACKENDS)
def test_ctrl_z_stops_and_fg_goes_on(place: Workplace, backend: str) -> None:
    runtime = place.session(backend=backend)
    number = shell(runtime)
    runtime.write_stdin(number, "sleep 1000\r")
    assert "Stopped" in runtime.write_stdin(number, keys=("ctrl-z",)).output
    assert runtime.write_stdin(number, "fg\r").state == "running"


def test_burst_is_followed_by_its_slow_tail(place: Workplace) -> None:
    """Idea 36."""
    runtime = place.session()
    begun = runtime.exec_command(
        "head -c 160000 /dev/zero | tr '\\0' x; sleep 0.8; echo tail", yield_time_ms=250, login=False
    )
    assert begun.original_token_count == 40_000
    last = runtime.write_stdin(begun.session_id or 0)
    assert (last.output, last.exit_code) == ("tail\n", 0)


def test_call_comes_back_as_soon_as_a_pattern_appears(place: Workplace) -> None:
    runtime = place.session()
    script = "read go; for i in 1 2 3; do echo step $i; sleep 0.1; done; sleep 1000"
    number = runtime.exec_command(script, tty=True, login=False).session_id or 0
    wanted = (Wanted("never"), Wanted(r"step [2-9]", regex=True))
    answer = runtime.write_stdin(number, "\r", wait_for=wanted, yield_time_ms=30_000)
    assert (answer.matched, answer.state) == ("step 2", "running")


def test_pattern_is_looked_for_in_what_no_call_has_answered_with(place: Workplace) -> None:
    """The same words in an earlier answer do not count, and those that nobody has seen yet do."""
    runtime = place.session()
    number = runtime.exec_command("echo ready; read go; sleep 0.3; echo ready again; sleep 1000", tty=True, login=False)
    answer = runtime.write_stdin(number.session_id or 0, "\r", wait_for=(Wanted("ready"),), yield_time_ms=30_000)
    assert "ready again" in answer.output


def test_character_is_not_torn_between_two_answers(place: Workplace) -> None:
    runtime = place.session()
    script = r"printf 'a\xe2\x82'; sleep 0.8; printf '\xac\n'"
    first = runtime.exec_command(script, yield_time_ms=250, login=False)
    last = runtime.write_stdin(first.session_id or 0)
    assert (first.output, last.output) == ("a", "€\n")


def test_input_that_nobody_reads_is_refused_when_there_is_no_room(place: Workplace) -> None:
    runtime = place.session()
    number = runtime.exec_command("stty raw; sleep 1000", tty=True, yield_time_ms=250, login=False).session_id or 0
    typed = "x" * 500_000
    runtime.write_stdin(number, typed)
    runtime.write_stdin(number, typed)
    with pytest.raises(InputNotTaken, match=r"^failed to write to stdin"):
        runtime.write_stdin(number, typed)


@pytest.mark.parametrize("tty", CONNECTIONS)
def test_unknown_number_is_named(place: Workplace, tty: bool) -> None:
    runtime = place.session()
    runtime.exec_command("true", tty=tty, login=False)
    with pytest.raises(UnknownTerminal, match=r"^Unknown process id 99999$"):
        runtime.write_stdin(99_999, "x")


def test_calls_on_one_command_take_turns(place: Workplace) -> None:
    """Idea 47, for writing: what each typed is in its own answer."""
    runtime = place.session()
    number = shell(runtime)
    answers: dict[int, str] = {}

    def ask(index: int) -> None:
        answers[index] = runtime.write_stdin(number, f"echo answer-$(({index} + 1000))\r").output

    threads = [threading.Thread(target=ask, args=(index,)) for index in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(JOIN_LIMIT_S)
    assert {index: f"answer-{index + 1000}\r\n" in text for index, text in answers.items()} == dict.fromkeys(
        range(12), True
    )


def test_end_is_told_once_also_to_those_who_wait_in_line(place: Workplace) -> None:
    runtime = place.session()
    number = shell(runtime)
    outcomes: list[int | str | None] = []

    def poll() -> None:
        try:
            outcomes.append(runtime.write_stdin(number, yield_time_ms=5000).exit_code)
        except UnknownTerminal as error:
            outcomes.append(str(error))

    threads = [threading.Thread(target=poll) for _ in range(3)]
    for thread in threads:
        thread.start()
    runtime.live.table.get(number).write(b"exit 7\r")
    for thread in threads:
        thread.join(JOIN_LIMIT_S)
    assert sorted(map(str, outcomes)) == ["7", f"Unknown process id {number}", f"Unknown process id {number}"]
    assert wait_until(lambda: runtime.list_live() == ())

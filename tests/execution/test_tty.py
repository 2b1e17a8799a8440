"""Twin of `execution/tty.py`: commands with a terminal of their own, and ours when the command is gone."""

from __future__ import annotations

import errno
import os
import signal
import termios
import tty
from contextlib import suppress
from fcntl import ioctl
from struct import pack
from time import process_time
from typing import TYPE_CHECKING

import pytest

from sandgate.execution.run import run
from sandgate.execution.streams import ForwardingStopped
from support.process import waiting
from support.terminal.children import shell, start_plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sandgate.execution.capture import Stream
    from sandgate.protocol.commands import CommandResult
    from sandgate.protocol.confinement import ConfinedCommand

LIMIT_MS = 20_000


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """The person's side and our side of a terminal."""
    person, ours = os.openpty()
    yield person, ours
    for fd in (person, ours):
        with suppress(OSError):  # some tests hang up
            os.close(fd)


def types(person: int, keys: bytes, *, after: bytes) -> Callable[[Stream, bytes], None]:
    """A listener that presses `keys` when the command has printed `after`."""

    def listen(_stream: Stream, data: bytes) -> None:
        if data.endswith(after):
            os.write(person, keys)

    return listen


def result_of(
    command: ConfinedCommand,
    *,
    stdin: int | None = None,
    stdout: int | None = None,
    on_output: Callable[[Stream, bytes], None] | None = None,
    told: list[ForwardingStopped] | None = None,
) -> CommandResult:
    outcome = run(
        command,
        stdin=stdin,
        stdout=stdout,
        stderr=None,
        timeout_ms=LIMIT_MS,
        on_output=on_output,
        on_stopped=None if told is None else told.append,
        starter=start_plain,
    )
    assert outcome.result is not None
    return outcome.result


def test_all_three_streams_are_one_terminal_and_it_is_the_sessions_own() -> None:
    result = result_of(shell("test -t 0 && test -t 1 && test -t 2 && echo hi >/dev/tty; echo err >&2", tty=True))
    assert (result.stdout, result.stderr) == (b"hi\r\nerr\r\n", b"")


def test_what_is_typed_on_our_terminal_arrives_and_the_answer_comes_back(terminal: tuple[int, int]) -> None:
    person, ours = terminal
    before = termios.tcgetattr(ours)

    result = result_of(
        shell("printf 'name? '; read name; echo hello $name", tty=True),
        stdin=ours,
        stdout=ours,
        on_output=types(person, b"Ada\r", after=b"name? "),
    )
    assert result.stdout == b"name? Ada\r\nhello Ada\r\n"
    assert termios.tcgetattr(ours) == before
    assert waiting.read_until(person, b"hello Ada\r\n") == result.stdout  # once: the echo is the inner terminal's


def test_ctrl_c_is_a_key_of_the_commands_own_terminal(terminal: tuple[int, int]) -> None:
    person, ours = terminal
    result = result_of(
        shell("trap 'echo caught; exit 7' INT; sleep 60 & echo ready; wait", tty=True),
        stdin=ours,
        on_output=types(person, b"\x03", after=b"ready\r\n"),
    )
    assert (result.exit_code, result.termination) == (7, "exited")


def test_input_that_nobody_types_ends_and_is_not_echoed() -> None:
    ours, theirs = os.pipe()
    os.write(theirs, b"one\ntwo")
    os.close(theirs)
    result = result_of(shell("cat; echo .", tty=True), stdin=ours)
    os.close(ours)
    assert result.stdout == b"one\r\ntwo.\r\n"


def test_it_has_the_size_of_ours_and_follows_it(terminal: tuple[int, int]) -> None:
    _, ours = terminal
    ioctl(ours, termios.TIOCSWINSZ, pack("HHHH", 30, 100, 0, 0))

    def resize(_stream: Stream, data: bytes) -> None:
        if data.startswith(b"30 100"):
            ioctl(ours, termios.TIOCSWINSZ, pack("HHHH", 40, 120, 0, 0))
            os.kill(os.getpid(), signal.SIGWINCH)  # the kernel sends it to the terminal's own session only

    script = "trap 'stty size; exit 0' WINCH; sleep 60 & stty size; wait"
    result = result_of(shell(script, tty=True), stdin=ours, on_output=resize)
    assert result.stdout == b"30 100\r\n40 120\r\n"
    assert signal.getsignal(signal.SIGWINCH) == signal.SIG_DFL


def test_without_a_terminal_of_ours_it_has_the_usual_size() -> None:
    assert result_of(shell("stty size", tty=True)).stdout == b"24 80\r\n"


def test_our_terminal_is_put_right_after_a_command_that_was_killed_in_raw_mode(terminal: tuple[int, int]) -> None:
    """The command has our terminal as stdin, without `tty`."""
    _, ours = terminal
    before = termios.tcgetattr(ours)
    result_of(shell("stty raw -echo; kill -9 $$"), stdin=ours)
    assert termios.tcgetattr(ours) == before


def test_our_terminal_is_put_right_when_the_run_fails(terminal: tuple[int, int]) -> None:
    _, ours = terminal
    before = termios.tcgetattr(ours)

    def fail(_stream: Stream, _data: bytes) -> None:
        raise LookupError("listener")

    with pytest.raises(LookupError):
        result_of(shell("echo x; sleep 60", tty=True), stdin=ours, on_output=fail)
    assert termios.tcgetattr(ours) == before


def test_a_terminal_that_goes_away_hangs_up_nothing_but_itself(terminal: tuple[int, int]) -> None:
    person, ours = terminal
    told: list[ForwardingStopped] = []

    def hang_up(_stream: Stream, data: bytes) -> None:
        if data.startswith(b"ready"):
            os.close(person)

    script = "echo ready; cat >/dev/null; echo still here"
    result = result_of(shell(script, tty=True), stdin=ours, stdout=ours, on_output=hang_up, told=told)
    assert (result.exit_code, result.stdout[-12:]) == (0, b"still here\r\n")
    assert told == [ForwardingStopped("stdout", errno.EIO)]


def test_a_command_that_does_not_read_what_is_typed_does_not_delay_the_time_limit() -> None:
    with open("/dev/zero", "rb") as endless:
        begun = process_time()
        outcome = run(
            shell("stty raw; sleep 60", tty=True),
            stdin=endless.fileno(),
            stdout=None,
            stderr=None,
            timeout_ms=400,
            starter=start_plain,
        )
    assert outcome.result is not None
    assert outcome.result.termination == "timed_out"
    assert process_time() - begun < 0.2  # waiting for room is not done in circles


def test_nothing_is_left_open(terminal: tuple[int, int]) -> None:
    before = waiting.open_descriptors()
    result_of(shell("echo x", tty=True), stdin=terminal[1], stdout=terminal[1])
    assert waiting.none_left_open(before)


def test_raw_keys_reach_a_command_in_raw_mode(terminal: tuple[int, int]) -> None:
    person, ours = terminal
    tty.setraw(ours)
    result = result_of(
        shell("stty raw -echo; printf ready; head -c 3 | od -An -tx1", tty=True),
        stdin=ours,
        on_output=types(person, b"\x1b[A", after=b"ready"),
    )
    assert result.stdout.split() == [b"ready", b"1b", b"5b", b"41"]

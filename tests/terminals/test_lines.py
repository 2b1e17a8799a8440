"""Connections as the command at their other end sees them."""

from __future__ import annotations

import os
import subprocess
import sys
import termios
from fcntl import F_GETPIPE_SZ, fcntl

import pytest

from sandgate.terminals.lines import PIPE_BYTES, Line, open_line, open_pipe
from support.process.waiting import none_left_open, open_descriptors, readable, wait_until

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def terminal() -> Iterator[Line]:
    line = open_line(rows=24, columns=80, post_processing=True)
    yield line
    line.close()


@pytest.fixture
def pipe() -> Iterator[Line]:
    line = open_pipe()
    yield line
    line.close()


def taken(line: Line) -> bytes | None:
    """What is there; None when there is nothing yet."""
    buffer = bytearray(65_536)
    size = line.read_into(buffer)
    return None if size < 0 else bytes(buffer[:size])


def printed_by(script: str, line: Line) -> bytes:
    """Everything a script prints on a connection, which it holds alone."""
    stdin, stdout, stderr = line.ends
    process = subprocess.Popen(["sh", "-c", script], stdin=stdin, stdout=stdout, stderr=stderr)
    line.let_go()
    parts = []
    while True:
        readable(line.fd)
        data = taken(line)
        assert data is not None
        if not data:
            break
        parts.append(data)
    assert process.wait() == 0
    return b"".join(parts)


def test_the_command_sees_a_terminal_of_the_size_we_gave() -> None:
    line = open_line(rows=33, columns=121, post_processing=True)
    assert printed_by("test -t 0 && test -t 1 && test -t 2 && stty size", line) == b"33 121\r\n"
    line.close()


def test_without_post_processing_lines_end_in_a_newline_alone() -> None:
    line = open_line(rows=24, columns=80, post_processing=False)
    assert printed_by("echo one; echo two", line) == b"one\ntwo\n"
    line.close()


def test_a_pipe_brings_both_outputs_in_the_order_of_writing_and_input_is_empty(pipe: Line) -> None:
    script = "for i in 1 2 3; do echo out $i; echo err $i >&2; done; cat; echo end"
    expected = "".join(f"out {i}\nerr {i}\n" for i in (1, 2, 3)) + "end\n"
    assert printed_by(script, pipe) == expected.encode()


def test_a_pipe_has_no_terminal(pipe: Line) -> None:
    assert printed_by("for fd in 0 1 2; do test -t $fd && echo $fd; done; true", pipe) == b""


def test_nothing_yet_and_nothing_any_more_are_told_apart(terminal: Line, pipe: Line) -> None:
    """Required: None is a reason to wait, b"" the end; also where a terminal says EIO."""
    for line in (terminal, pipe):
        assert taken(line) is None
        line.let_go()
        assert taken(line) == b""


def test_what_the_command_printed_before_it_went_is_still_read(terminal: Line, pipe: Line) -> None:
    for line in (terminal, pipe):
        os.write(line.ends[1], b"last words")
        line.let_go()
        assert taken(line) == b"last words"
        assert taken(line) == b""


def test_what_can_be_read_is_known_without_reading_it(terminal: Line, pipe: Line) -> None:
    for line in (terminal, pipe):
        assert not line.readable()
        os.write(line.ends[1], b"news")
        assert wait_until(line.readable)
        assert taken(line) == b"news"
        assert not line.readable()
        line.let_go()
        assert line.readable(), "the end is to be read, too"


def test_writing_never_waits(terminal: Line) -> None:
    """Required: a program that does not read must not stop everybody else's bytes."""
    modes = termios.tcgetattr(terminal.ends[0])
    modes[3] &= ~(termios.ICANON | termios.ECHO)
    termios.tcsetattr(terminal.ends[0], termios.TCSANOW, modes)
    typed = [1]

    def full() -> bool:
        typed.append(terminal.write(b"." * 4096))
        return typed[-1] == 0

    assert wait_until(full)
    assert sum(typed) < 1_048_576


def test_writing_to_nobody_is_an_error(terminal: Line) -> None:
    terminal.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        terminal.write(b"x")


def test_a_new_size_is_told_to_the_terminal(terminal: Line) -> None:
    terminal.resize(40, 132)
    assert termios.tcgetwinsize(terminal.ends[0]) == (40, 132)


def test_nothing_of_ours_is_passed_on_to_a_program() -> None:
    """Required: a master in the wrong hands could type into a session."""
    lines = [open_line(rows=24, columns=80, post_processing=True), open_pipe()]
    fds = {fd for line in lines for fd in (line.fd, *line.ends)}
    assert [fd for fd in fds if os.get_inheritable(fd)] == []
    assert min(fds) > 2
    for line in lines:
        line.close()


def test_a_busy_pipe_is_given_room(pipe: Line) -> None:
    assert fcntl(pipe.fd, F_GETPIPE_SZ) == PIPE_BYTES


def test_closing_lets_everything_go_and_may_be_repeated() -> None:
    before = open_descriptors()
    for line in (open_line(rows=24, columns=80, post_processing=False), open_pipe()):
        line.let_go()
        line.let_go()
        line.close()
        line.close()
    for line in (open_line(rows=24, columns=80, post_processing=True), open_pipe()):
        line.close()
    assert none_left_open(before)


def test_a_terminal_that_cannot_be_made_as_wanted_leaves_nothing_behind() -> None:
    before = open_descriptors()
    with pytest.raises(Exception, match="no size"):
        open_line(rows=-1, columns=80, post_processing=True)
    assert none_left_open(before)


def test_our_ends_stay_clear_of_the_standard_numbers() -> None:
    """Required: handed to a child as 0, 1 or 2 a low number would stand in its own way."""
    script = (
        "import os; os.close(0); os.close(1)\n"
        "from sandgate.terminals.lines import open_pipe, open_line\n"
        "lines = [open_line(rows=24, columns=80, post_processing=True), open_pipe()]\n"
        "os._exit(min(fd for line in lines for fd in (line.fd, *line.ends)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, env={"PYTHONPATH": os.pathsep.join(sys.path)})
    assert 3 <= done.returncode < 20

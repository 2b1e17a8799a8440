"""Twin of `execution/streams.py`: our readers may be slow, gone, full or closed, and must not make us wait."""

import errno
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandgate.execution import streams
from sandgate.execution.capture import Capture
from sandgate.execution.streams import Forwarding, ForwardingStopped, OutputStream, clear_of_standard
from support.process import waiting


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    read_end, write_end = os.pipe()
    yield read_end, write_end
    for fd in (read_end, write_end):
        try:
            os.close(fd)
        except OSError:
            continue


def fill_pipe(write_end: int) -> int:
    """Fills it through a description of its own, so that the flags of `write_end` stay as they are."""
    other = os.open(f"/proc/self/fd/{write_end}", os.O_WRONLY | os.O_NONBLOCK)
    try:
        return waiting.fill(lambda data: os.write(other, data))
    finally:
        os.close(other)


def test_a_full_pipe_keeps_nobody_waiting_and_gets_everything_later(pipe: tuple[int, int]) -> None:
    read_end, write_end = pipe
    filled = fill_pipe(write_end)
    forwarding = Forwarding(write_end)
    forwarding.send(b"later")
    assert (forwarding.waiting, os.get_blocking(write_end)) == (True, True)
    os.read(read_end, filled)
    forwarding.flush()
    assert (forwarding.waiting, os.read(read_end, 100)) == (False, b"later")
    forwarding.close()


def test_a_pipe_that_cannot_be_opened_again_is_written_in_whole_pieces(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As another user the pipe's inode is not ours to open; poll and small writes remain."""
    read_end, write_end = pipe
    fill_pipe(write_end)
    os.read(read_end, 4096)  # room for exactly one piece
    monkeypatch.setattr(os, "open", refused)
    forwarding = Forwarding(write_end)
    forwarding.send(b"x" * 10_000)
    forwarding.flush()
    assert len(forwarding._pending) == 10_000 - 4096
    forwarding.close()


def refused(*_: object) -> int:
    raise PermissionError(errno.EACCES, "not yours")


def test_a_socket_is_written_after_poll_only() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        forwarding = Forwarding(ours.fileno())
        forwarding.send(b"hello")
        assert forwarding.waiting
        forwarding.flush()
        assert (theirs.recv(10), forwarding.waiting) == (b"hello", False)
        forwarding.close()


def test_a_file_is_written_at_once_where_its_own_offset_stands(tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb", buffering=0) as file:
        file.write(b"before ")
        forwarding = Forwarding(file.fileno())
        forwarding.send(b"after")
        forwarding.close()
    assert (tmp_path / "log").read_bytes() == b"before after"


def stopped_by(fd: int) -> ForwardingStopped | None:
    """What the caller hears after one chunk was to go to `fd`."""
    forwarding = Forwarding(fd)  # first: a number that is free now would be taken by the pipe
    read_end, write_end = os.pipe()
    stream = OutputStream("stdout", read_end, capture=Capture(), forwarding=forwarding, on_output=None)
    os.write(write_end, b"hello")
    os.close(write_end)
    stream.read()
    stopped = stream.stopped()
    stream.close()
    return stopped


def test_a_full_disk_is_told_once_with_its_cause() -> None:
    with open("/dev/full", "wb", buffering=0) as full:
        stopped = stopped_by(full.fileno())
    assert stopped == ForwardingStopped("stdout", errno.ENOSPC)
    assert stopped.sentence() == "cannot pass on the command's stdout: no space is left on its disk"


def test_a_closed_descriptor_is_told() -> None:
    number = os.dup(0)
    os.close(number)
    assert stopped_by(number) == ForwardingStopped("stdout", errno.EBADF)


def test_a_descriptor_that_is_not_open_for_writing_is_told() -> None:
    with open("/dev/null", "rb") as file:
        assert stopped_by(file.fileno()) == ForwardingStopped("stdout", errno.EBADF)


def test_a_terminal_that_went_away_is_told() -> None:
    master, slave = os.openpty()
    os.close(master)
    assert stopped_by(slave) == ForwardingStopped("stdout", errno.EIO)
    os.close(slave)


def test_a_reader_that_left_is_an_everyday_thing_and_closes_our_read_end(pipe: tuple[int, int]) -> None:
    gone, write_end = pipe
    os.close(gone)
    read_end, command = os.pipe()
    stream = OutputStream("stderr", read_end, capture=Capture(), forwarding=Forwarding(write_end), on_output=None)
    os.write(command, b"hello")
    stream.read()
    assert (stream.fd, stream.stopped()) == (None, None)
    with pytest.raises(BrokenPipeError):
        os.write(command, b"more")
    os.close(command)
    stream.close()


def test_when_the_reader_is_too_slow_the_command_waits(pipe: tuple[int, int]) -> None:
    _, write_end = pipe
    forwarding = Forwarding(write_end)
    forwarding.send(b"x" * (streams.PENDING_BYTES + 65_536))
    assert forwarding.full
    forwarding.stop(errno.ETIMEDOUT)
    assert (forwarding.full, forwarding.waiting, forwarding.lost) == (False, False, True)
    forwarding.close()


def test_descriptors_keep_clear_of_the_standard_numbers() -> None:
    """In a program that was started with stdin and stdout closed."""
    code = (
        "import os\nos.close(0); os.close(1)\n"
        "from sandgate.execution.streams import pipe\n"
        "os.write(2, repr(min(pipe())).encode())"
    )
    ended = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, timeout=waiting.LIMIT_S)
    assert ended.stderr == b"3"


def test_a_descriptor_from_three_up_stays_where_it_is(pipe: tuple[int, int]) -> None:
    assert clear_of_standard(pipe[0]) == pipe[0]

"""Another's socket in our hands; here that other is this very process."""

import errno
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandgate.kernel.borrowed_socket import BorrowedSocket, borrow_same, has_outcome
from sandgate.kernel.waiting import Answer, AnswerLater, CallFails, Returned

BACKLOG_TRIES_MAX = 16  # connections until a server that takes none has no room for one more


def own(made: socket.socket) -> BorrowedSocket:
    return BorrowedSocket(os.getpid(), made.fileno())


def raw(server: socket.socket) -> bytes:
    host, port = str(server.getsockname()[0]), int(server.getsockname()[1])
    return bytes([socket.AF_INET, 0]) + port.to_bytes(2, "big") + socket.inet_aton(host) + bytes(8)


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def outcome_of(answer: Answer) -> Answer:
    while isinstance(answer, AnswerLater):
        answer = answer.retry()
    return answer


@pytest.fixture
def full() -> Iterator[socket.socket]:
    """A server that takes nobody in any more."""
    server = socket.create_server(("127.0.0.1", 0), backlog=0)
    waiting = []
    for _ in range(BACKLOG_TRIES_MAX):
        made = socket.socket()
        waiting.append(made)
        made.setblocking(False)
        if made.connect_ex(server.getsockname()) == errno.EINPROGRESS and not has_outcome(made.fileno()):
            break
    else:
        pytest.fail("there was always room for one more")
    yield server
    for each in (server, *waiting):
        each.close()


def test_it_is_the_same_socket() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as made, own(made) as borrowed:
        assert (borrowed.domain, borrowed.kind, borrowed.waits) == (socket.AF_UNIX, socket.SOCK_SEQPACKET, True)
        made.setblocking(False)
        assert not borrowed.waits
        assert borrowed.inode == os.fstat(made.fileno()).st_ino


def test_what_is_no_socket_or_another_one_is_not_lent() -> None:
    with socket.socket(socket.AF_UNIX) as made, socket.socket(socket.AF_UNIX) as other, open("/dev/null") as file:
        inode = os.fstat(made.fileno()).st_ino
        with borrow_same(os.getpid(), made.fileno(), inode) as borrowed:
            assert borrowed.inode == inode
        for number in (other.fileno(), file.fileno()):
            with pytest.raises(OSError, match="Bad file descriptor"):
                borrow_same(os.getpid(), number, inode)


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_it_is_bound_in_a_directory_by_name_alone(tmp_path: Path, umask: int) -> None:
    """Required: nothing in the place of the name is followed, and the mode is at most what the mask leaves."""
    (tmp_path / "link").symlink_to("elsewhere")
    directory = os.open(tmp_path, os.O_PATH | os.O_DIRECTORY)
    with socket.socket(socket.AF_UNIX) as made, own(made) as borrowed:
        before = os.fstat(made.fileno()).st_mode
        with pytest.raises(OSError, match="in use"):
            borrowed.bind_in(directory, "link", umask)
        borrowed.bind_in(directory, "sock", umask)
        assert os.fstat(made.fileno()).st_mode == before
    os.close(directory)
    assert stat.S_IMODE((tmp_path / "sock").stat().st_mode) & umask == 0
    assert sorted(os.listdir(tmp_path)) == ["link", "sock"]


def test_a_connection_is_made_for_a_caller_that_waits() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = raw(server)
        with socket.socket() as made, own(made) as borrowed:
            assert outcome_of(borrowed.connect(address)) == Returned()
            assert made.getblocking()
            assert made.getpeername() == server.getsockname()
    with socket.socket() as made, own(made) as borrowed:
        assert outcome_of(borrowed.connect(address)) == CallFails(errno.ECONNREFUSED)


def test_a_connection_that_nobody_asks_about_any_more_leaves_no_descriptor(full: socket.socket) -> None:
    """Required: a caller that is killed while it connects costs us nothing."""
    with socket.socket() as made:
        before = descriptors()
        with own(made) as borrowed:
            answer = borrowed.connect(raw(full))
        del borrowed
        assert isinstance(answer, AnswerLater)
        assert isinstance(answer.retry(), AnswerLater)
        assert descriptors() == before + 1
        del answer
        assert descriptors() == before

"""Connections that were given, and the making of them for a caller, who is this very process here."""

import errno
import os
import socket
import threading
from pathlib import Path

import pytest

from sandgate.kernel.borrowed_socket import has_outcome
from sandgate.kernel.connections import GIVEN_MAX, GivenConnections, could_be_made, make_connection
from sandgate.kernel.deeds import Spot, WantedConnection
from sandgate.kernel.object_identity import identity_at
from sandgate.kernel.socket_address import SocketAddress, unix_address
from sandgate.kernel.waiting import Answer, AnswerLater, CallFails, Replaced, Returned
from sandgate.protocol.permissions import Grant


def to_host(made: socket.socket, host: str, port: int) -> WantedConnection:
    raw = bytes([socket.AF_INET, 0]) + port.to_bytes(2, "big") + socket.inet_aton(host) + bytes(8)
    return WantedConnection(os.getpid(), made.fileno(), os.fstat(made.fileno()).st_ino, SocketAddress(raw), None)


def to_file(made: socket.socket, path: Path) -> WantedConnection:
    parent = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    meant, mode = identity_at(parent, path.name)
    spot = Spot(str(path), mode & 0o170000, identity_at(parent)[0], meant)
    os.close(parent)
    inode = os.fstat(made.fileno()).st_ino
    return WantedConnection(os.getpid(), made.fileno(), inode, SocketAddress(unix_address(str(path))), spot)


def outcome_of(connection: WantedConnection) -> Answer:
    answer = make_connection(connection)
    while isinstance(answer, AnswerLater):
        answer = answer.retry()
    return answer


def test_a_grant_is_for_one_host_at_one_port_or_for_one_file(tmp_path: Path) -> None:
    given = GivenConnections()
    for grant in (Grant("write_path", "/x"), Grant("host", "10.0.0.1:80"), Grant("unix_socket", str(tmp_path / "s"))):
        given.add(grant)
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(tmp_path / "s"))
    with server, socket.socket(socket.AF_UNIX) as made:
        permits = [
            given.permit(to_host(made, *place)) for place in (("10.0.0.1", 80), ("10.0.0.1", 81), ("10.0.0.2", 80))
        ]
        assert permits == [0, None, None]
        assert given.permit(to_file(made, tmp_path / "s")) == 1
    assert len(given) == 2


def test_one_more_than_there_is_room_for_is_not_given() -> None:
    given = GivenConnections()
    for port in range(GIVEN_MAX + 1):
        given.add(Grant("host", f"10.0.0.1:{port}"))
    with socket.socket(socket.AF_UNIX) as made:
        assert given.permit(to_host(made, "10.0.0.1", GIVEN_MAX - 1)) == GIVEN_MAX - 1
        assert given.permit(to_host(made, "10.0.0.1", GIVEN_MAX)) is None


def test_on_the_loopback_somebody_must_listen() -> None:
    with socket.socket(socket.AF_UNIX) as made:
        with socket.create_server(("127.0.0.1", 0)) as server:
            connection = to_host(made, *server.getsockname())
            assert could_be_made(connection)
        assert not could_be_made(connection)
        assert could_be_made(to_host(made, "192.0.2.1", 80))


@pytest.mark.parametrize("waits", [True, False])
def test_a_host_is_connected_to_by_a_socket_that_takes_the_place_of_the_callers(waits: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as made:
        made.setblocking(waits)
        connection = to_host(made, *server.getsockname())
        answer = outcome_of(connection)
        assert isinstance(answer, Replaced)
        assert (answer.number, answer.cloexec, os.get_blocking(answer.fd)) == (made.fileno(), True, waits)
        with socket.socket(fileno=answer.fd) as connected:
            assert connected.getpeername() == server.getsockname()
            with pytest.raises(OSError, match="already connected"):
                connected.connect(server.getsockname())
        made.close()
        assert make_connection(connection) == CallFails(errno.EBADF)


def test_a_host_that_is_not_there_is_the_callers_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
    with socket.socket(socket.AF_UNIX) as made:
        assert outcome_of(to_host(made, *address)) == CallFails(errno.ECONNREFUSED)


def test_a_connection_under_way_is_given_up_with_its_caller() -> None:
    """Required: neither a descriptor nor a socket is left, and nothing is handed to another file."""
    server = socket.create_server(("127.0.0.1", 0), backlog=0)
    waiting = [socket.socket() for _ in range(16)]
    for each in waiting:
        each.setblocking(False)
        if each.connect_ex(server.getsockname()) == errno.EINPROGRESS and not has_outcome(each.fileno()):
            break
    with socket.socket(socket.AF_UNIX) as made:
        before = len(os.listdir("/proc/self/fd"))
        answer = make_connection(to_host(made, *server.getsockname()))
        assert isinstance(answer, AnswerLater)
        assert len(os.listdir("/proc/self/fd")) == before + 1
        del answer
        assert len(os.listdir("/proc/self/fd")) == before
    for each in (server, *waiting):
        each.close()


def made_in_a_thread(connection: WantedConnection) -> Answer:
    """Of its own, as the supervisor is: it gives up powers for good."""
    answers: list[Answer] = []
    thread = threading.Thread(target=lambda: answers.append(make_connection(connection)))
    thread.start()
    thread.join()
    return answers[0]


def test_a_file_is_the_one_that_was_meant_or_none(tmp_path: Path) -> None:
    """Required: another socket under the same name, or behind another directory, is not connected to."""
    place = tmp_path / "dir/sock"
    place.parent.mkdir()
    servers = []
    for _ in range(2):
        servers.append(socket.socket(socket.AF_UNIX))
        servers[-1].bind(str(place))
        servers[-1].listen()
        place.rename(tmp_path / f"sock{len(servers)}")
    (tmp_path / "sock1").rename(place)
    with socket.socket(socket.AF_UNIX) as made:
        connection = to_file(made, place)
        place.rename(tmp_path / "sock1")
        (tmp_path / "sock2").rename(place)
        assert made_in_a_thread(connection) == CallFails(errno.EACCES)
        place.unlink()
        place.symlink_to(tmp_path / "sock1")
        assert made_in_a_thread(connection) == CallFails(errno.EACCES)
        place.unlink()
        assert made_in_a_thread(connection) == CallFails(errno.ENOENT)
        (tmp_path / "sock1").rename(place)
        place.parent.rename(tmp_path / "away")
        (tmp_path / "dir").symlink_to("away")
        assert isinstance(made_in_a_thread(connection), CallFails)
        (tmp_path / "dir").unlink()
        (tmp_path / "away").rename(tmp_path / "dir")
        assert made_in_a_thread(connection) == Returned()
    for server in servers:
        server.close()

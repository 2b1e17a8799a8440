"""A port of a sandbox's network on this host's loopback: who gets through, who does not, and what is left."""

from __future__ import annotations

import errno
import os
import socket
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from sandgate.kernel.helper import HelperChild, prepare
from sandgate.kernel.networks import EmptyNetworks
from sandgate.kernel.serving import ServedPort, listener_on, network_of, serve
from support.kernel.helper_runs import plan_for
from support.process.waiting import none_left_open, open_descriptors, readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.host("namespace")

PORT = 5173
LIMIT_S = 20
ECHO = (
    "import socket, threading\n"
    "server = socket.create_server(('{address}', 5173), family=socket.{family}, backlog=200)\n"
    "print('up', flush=True)\n"
    "def answer(peer):\n"
    "    parts = list(iter(lambda: peer.recv(65536), b''))\n"
    "    peer.sendall(b''.join(parts)[::-1]); peer.close()\n"
    "while True:\n"
    "    threading.Thread(target=answer, args=(server.accept()[0],)).start()\n"
)
INET, INET6 = ECHO.format(address="127.0.0.1", family="AF_INET"), ECHO.format(address="::1", family="AF_INET6")


@pytest.fixture
def networks() -> EmptyNetworks:
    return EmptyNetworks()


@contextmanager
def running(helper: str, networks: EmptyNetworks | None, code: str) -> Iterator[HelperChild]:
    """A server that is up."""
    reading, writing = os.pipe()
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    child = prepare(helper, network="off", networks=networks).start(
        plan_for("python3", "-c", code, network="off"), stdin=null, stdout=writing, stderr=writing
    )
    try:
        readable(reading)
        assert os.read(reading, 100) == b"up\n"
        yield child
    finally:
        child.close()
        for fd in (reading, writing, null):
            os.close(fd)


@contextmanager
def served(helper: str, networks: EmptyNetworks, port: int = PORT) -> Iterator[ServedPort]:
    lent = networks.lend(helper)
    assert lent is not None
    assert lent.parts is not None
    with closing(listener_on(0)) as listener:
        shown = serve(helper, lent.parts, port, listener)
    lent.give_back()
    try:
        yield shown
    finally:
        shown.close()


def through(shown: ServedPort, text: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", shown.host_port), timeout=LIMIT_S) as client:
        client.sendall(text)
        client.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: client.recv(65_536), b""))


def refused_at(address: str, port: int) -> int:
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as client:
        client.settimeout(LIMIT_S)
        return client.connect_ex((address, port))


@pytest.mark.parametrize("code", [INET, INET6])
def test_a_server_inside_is_reached_from_the_host_and_only_while_it_is_shown(
    helper: str, networks: EmptyNetworks, code: str
) -> None:
    """Required, both halves: nothing of the host reaches it otherwise; also one that listens on IPv6 alone."""
    with running(helper, networks, code):
        assert refused_at("127.0.0.1", PORT) == errno.ECONNREFUSED
        with served(helper, networks) as shown:
            assert through(shown, b"hello") == b"olleh"
        assert refused_at("127.0.0.1", shown.host_port) == errno.ECONNREFUSED


def test_all_bytes_arrive_in_order_both_ways(helper: str, networks: EmptyNetworks) -> None:
    """More than any buffer on the way holds, with the end of one direction before the other begins."""
    text = os.urandom(3_000_000)
    with running(helper, networks, INET), served(helper, networks) as shown:
        assert through(shown, text) == text[::-1]


def test_it_listens_on_the_loopback_address_alone(helper: str, networks: EmptyNetworks) -> None:
    """Required: no other host may ever reach it. Another address of this one stands for them."""
    with running(helper, networks, INET), served(helper, networks) as shown:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(("192.0.2.1", 9))
                own = probe.getsockname()[0]
            except OSError:
                own = "127.0.0.2"
        assert refused_at(own, shown.host_port) == errno.ECONNREFUSED
        assert refused_at("127.0.0.2", shown.host_port) == errno.ECONNREFUSED


def test_more_connections_than_are_carried_at_once_wait_their_turn(helper: str, networks: EmptyNetworks) -> None:
    """Required: SERVED_MAX is a bound, and nobody is lost for it."""
    with running(helper, networks, INET), served(helper, networks) as shown:
        clients = [socket.create_connection(("127.0.0.1", shown.host_port), timeout=LIMIT_S) for _ in range(100)]
        for client in clients:
            client.sendall(b"ab")
            client.shutdown(socket.SHUT_WR)
        assert [b"".join(iter(lambda: each.recv(9), b"")) for each in clients] == [b"ba"] * 100  # noqa: B023
        for client in clients:
            client.close()


def test_a_port_that_nobody_serves_resets_and_says_so_once(helper: str, networks: EmptyNetworks) -> None:
    with served(helper, networks) as shown:
        assert not shown.met_nobody()
        for _ in range(2):
            with pytest.raises(ConnectionResetError):
                through(shown, b"hello")
        assert [shown.met_nobody() for _ in range(2)] == [True, False]


def test_when_the_server_ends_its_connections_do(helper: str, networks: EmptyNetworks) -> None:
    with served(helper, networks) as shown:
        with running(helper, networks, INET):
            client = socket.create_connection(("127.0.0.1", shown.host_port), timeout=LIMIT_S)
            client.sendall(b"never ends")
            assert through(shown, b"hello") == b"olleh"
        readable(client.fileno())
        with client, suppress(ConnectionResetError):  # where it had not read everything
            assert client.recv(9) == b""


def test_a_client_that_goes_away_gives_back_its_place(helper: str, networks: EmptyNetworks) -> None:
    """Required: resets of clients must not use up the places."""
    with running(helper, networks, INET), served(helper, networks) as shown:
        for _ in range(150):
            client = socket.create_connection(("127.0.0.1", shown.host_port), timeout=LIMIT_S)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            client.close()
        assert through(shown, b"hello") == b"olleh"


def test_what_runs_alone_can_be_shown_by_its_process(helper: str) -> None:
    """A network that was not lent belongs to its sandbox's own users."""
    with running(helper, None, INET) as child:
        inside = int(Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()[0])
        network = network_of(inside)
        with closing(listener_on(0)) as listener:
            shown = serve(helper, network, PORT, listener)
        for part in network:
            os.close(part)
        assert through(shown, b"hello") == b"olleh"
        shown.close()


def test_nothing_inside_sees_who_carries_or_gets_at_the_host_through_it(helper: str, networks: EmptyNetworks) -> None:
    """Required: both halves. The host's server is there, and its port inside is not."""
    look = (
        "import os, socket\n"
        "print('up', flush=True)\n"
        "names = [name for name in os.listdir('/proc') if name.isdigit()]\n"
        "client = socket.socket()\n"
        "print(len(names), client.connect_ex(('127.0.0.1', {port})), flush=True)\n"
    )
    with socket.create_server(("127.0.0.1", 0)) as server, served(helper, networks) as shown:
        for port in (server.getsockname()[1], shown.host_port):
            assert refused_at("127.0.0.1", port) in (0, errno.ECONNRESET)  # let in, and nobody is there
            reading, writing = os.pipe()
            null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
            child = prepare(helper, network="off", networks=networks).start(
                plan_for("python3", "-c", look.format(port=port), network="off"),
                stdin=null,
                stdout=writing,
                stderr=writing,
            )
            said = b""
            while said.count(b"\n") < 2:
                readable(reading)
                said += os.read(reading, 200)
            child.close()
            assert said.split() == [b"up", b"2", str(errno.ECONNREFUSED).encode()]  # init and itself
            for fd in (reading, writing, null):
                os.close(fd)


def test_a_port_that_is_taken_is_an_error_before_anything_is_shown() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.raises(OSError, match="in use"):
        listener_on(server.getsockname()[1])


def test_a_network_that_cannot_be_entered_is_told(helper: str) -> None:
    """The host's own belongs to nobody that we could become."""
    null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    with closing(listener_on(0)) as listener, pytest.raises(OSError, match="enter network"):
        serve(helper, (null, null), PORT, listener)
    os.close(null)


def test_nothing_is_left_of_it(helper: str, networks: EmptyNetworks) -> None:
    with served(helper, networks):
        pass  # what the session keeps is no leak
    before = open_descriptors()
    for _ in range(2):
        with served(helper, networks) as shown:
            pid = shown._pid
        shown.close()
        assert none_left_open(before)
        assert not os.path.exists(f"/proc/{pid}")

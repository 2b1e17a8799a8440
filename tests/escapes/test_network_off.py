"""With the network off nothing outside is reachable, localhost and name servers included (rows 15 and 16)."""

import socket
from collections.abc import Iterator

import pytest

from escape_stage import BOTH_BACKENDS, Stage

CONNECT = """
import socket, sys
family, host, port = sys.argv[1:]
kind = {"4": socket.AF_INET, "6": socket.AF_INET6}[family]
with socket.socket(kind) as client:
    client.settimeout(5)
    client.connect((host, int(port)))
    print("connected")
"""
SEND = """
import socket, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
    client.sendto(b"secret", ("127.0.0.1", int(sys.argv[1])))
print("sent")
"""
FAMILIES = """
import errno, socket
for family, kind in ((socket.AF_NETLINK, 3), (socket.AF_PACKET, 3), (socket.AF_VSOCK, 1), (socket.AF_ALG, 5)):
    try:
        socket.socket(family, kind).close()
        print(int(family), "made")
    except OSError as problem:
        print(int(family), errno.errorcode[problem.errno])
"""
SPELLINGS = [
    ("4", "127.0.0.1"),
    ("4", "0.0.0.0"),
    ("4", "127.1"),
    ("4", "localhost"),
    ("6", "::ffff:127.0.0.1"),
]


@pytest.fixture
def server() -> Iterator[int]:
    """A port on this host's loopback."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@BOTH_BACKENDS
@pytest.mark.parametrize(("family", "host"), SPELLINGS)
def test_a_service_on_this_host_is_unreachable(stage: Stage, backend: str, server: int, family: str, host: str) -> None:
    attack = stage.script(CONNECT, family, host, str(server))
    assert stage.unconfined(attack).stdout == "connected\n"
    assert stage.confined(attack, backend=backend).stdout == ""


@pytest.mark.host("namespace")
def test_with_the_network_on_the_service_is_reachable(stage: Stage, server: int) -> None:
    assert stage.confined(stage.script(CONNECT, "4", "127.0.0.1", str(server)), network=True).stdout == "connected\n"


@BOTH_BACKENDS
def test_a_datagram_leaves_no_trace_outside(stage: Stage, backend: str) -> None:
    """A question to a name server is a datagram: nothing must arrive, whatever the sender is told."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.setblocking(False)
        attack = stage.script(SEND, str(receiver.getsockname()[1]))
        assert stage.unconfined(attack).stdout == "sent\n"
        assert receiver.recv(16) == b"secret"
        stage.confined(attack, backend=backend)
        with pytest.raises(BlockingIOError):
            receiver.recv(16)


@BOTH_BACKENDS
def test_an_outside_address_is_denied_and_named(stage: Stage, backend: str) -> None:
    ran = stage.confined(stage.script(CONNECT, "4", "203.0.113.7", "443"), backend=backend)
    assert (ran.stdout, ran.verdict) == ("", "denied"), ran
    assert ran.denials[0][0] == "connect"
    if backend == "namespace":
        assert ran.denials == [["connect", "203.0.113.7:443", ["host", "203.0.113.7:443"]]]


@pytest.mark.host("namespace")
def test_a_granted_host_is_reached_and_its_neighbour_is_not(stage: Stage, server: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as neighbour:
        other = neighbour.getsockname()[1]
        grants = [("host", f"127.0.0.1:{server}")]
        asked = stage.script(CONNECT, "4", "127.0.0.1", str(server))
        assert stage.confined(asked, grants=grants).stdout == "connected\n"
        assert stage.confined(stage.script(CONNECT, "4", "127.0.0.1", str(other)), grants=grants).stdout == ""


@BOTH_BACKENDS
def test_other_socket_families_do_not_open(stage: Stage, backend: str) -> None:
    answers = [line.split()[1] for line in stage.confined(stage.script(FAMILIES), backend=backend).stdout.splitlines()]
    assert answers == ["EPERM"] * 4

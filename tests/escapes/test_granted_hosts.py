"""A granted host is one address and port; no other spelling widens it (threat table, row 17, without a proxy)."""

import socket
import threading
from collections.abc import Iterator

import pytest

from sandgate.errors import RequestError
from sandgate.kernel.plan_codec import encode
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions
from support.escape.escape_stage import Stage

pytestmark = pytest.mark.host("namespace", "notify")

CONNECT = """
import socket, sys
family, host, port = sys.argv[1:]
kind = {"4": socket.AF_INET, "6": socket.AF_INET6}[family]
with socket.socket(kind) as client:
    client.settimeout(5)
    try:
        client.connect((host, int(port)))
        print("connected")
    except OSError:
        print("refused")
"""
ADDRESSES = ("127.0.0.1", "127.000.000.001", "127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "localhost", "::1", "")
PORTS = ("", "0", "-1", "65536", "80x", "http", " 80", "80 ", "*", "8_0", "+80", "٨٠")


@pytest.fixture
def server() -> Iterator[int]:
    """A port on this host's loopback."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def granted(host: str) -> bytes:
    """The plan of a command that was granted `host`."""
    return encode(ConfinedCommand("namespace", ("true",), "/", {}, EffectivePermissions(hosts=(host,))))


def test_the_granted_address_is_reached_and_its_neighbours_are_not(stage: Stage, server: int) -> None:
    grants = [("host", f"127.0.0.1:{server}")]
    reached = {
        (family, host): stage.confined(stage.script(CONNECT, family, host, str(port)), grants=grants).stdout.strip()
        for family, host, port in [
            ("4", "127.0.0.1", server),
            ("6", "::ffff:127.0.0.1", server),
            ("4", "127.0.0.2", server),
            ("6", "::1", server),
            ("4", "192.0.2.1", server),
        ]
    }
    assert reached == {
        ("4", "127.0.0.1"): "connected",
        ("6", "::ffff:127.0.0.1"): "connected",
        ("4", "127.0.0.2"): "refused",
        ("6", "::1"): "refused",
        ("4", "192.0.2.1"): "refused",
    }


def test_another_port_of_the_granted_address_stays_closed(stage: Stage, server: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        attack = stage.script(CONNECT, "4", "127.0.0.1", str(other.getsockname()[1]))
        assert stage.unconfined(attack).stdout == "connected\n"
        assert stage.confined(attack, grants=[("host", f"127.0.0.1:{server}")]).stdout == "refused\n"


@pytest.mark.parametrize(
    "address", [*ADDRESSES[1:], "*", "127.0.0.1\0.evil", "127.0.0.1 ", "[127.0.0.1]", "user@127.0.0.1"]
)
def test_only_a_numeric_address_can_be_granted(address: str) -> None:
    with pytest.raises(RequestError, match="cannot grant the host"):
        granted(f"{address}:80")


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize("address", ["127.0.0.1", "[::1]"])
def test_only_a_plain_port_can_be_granted(address: str, port: str) -> None:
    with pytest.raises(RequestError, match="cannot grant the host"):
        granted(f"{address}:{port}")


REUSE = """
import ctypes, os, socket, sys
granted, other = int(sys.argv[1]), int(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, action):
    try: action(); print(name)
    except OSError: pass
client = socket.socket()
client.connect(("127.0.0.1", granted))
libc.connect(client.fileno(), b"\\0" * 16, 16)
attempt("connected elsewhere", lambda: client.connect(("127.0.0.1", other)))
unix = socket.socket(socket.AF_UNIX, fileno=os.dup(client.fileno()))
attempt("connected to a name", lambda: unix.connect("\\0sandgate-reuse"))
libc.connect(client.fileno(), b"\\0" * 16, 16)
attempt("bound", lambda: client.bind(("0.0.0.0", 0)))
attempt("took a name", lambda: unix.bind("\\0sandgate-reuse-taken"))
attempt("listens", lambda: client.listen())
"""
DATAGRAM = """
import socket, sys
granted, other = int(sys.argv[1]), int(sys.argv[2])
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
    for port in (granted, other):
        try:
            client.connect(("127.0.0.1", granted))
            client.sendmsg([b"x"], [], 0, ("127.0.0.1", port))
        except OSError:
            pass
print("sent")
"""
CARRY = """
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=20) as client:
    client.sendall(b"x" * 3_000_000)
    client.shutdown(socket.SHUT_WR)
    print(sum(len(part) for part in iter(lambda: client.recv(100_000), b"")))
"""
FIRE_AND_LEAVE = """
import os, socket, sys
client = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
client.sendall(b"x" * 100_000)
os._exit(0)
"""
NOT_WAITING = """
import errno, select, socket, sys
client = socket.socket()
client.setblocking(False)
print(client.connect_ex(("127.0.0.1", int(sys.argv[1]))) == errno.EINPROGRESS)
select.select([], [client], [])
print(client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0)
"""


def test_a_connection_that_was_granted_cannot_be_turned_into_another(stage: Stage, server: int) -> None:
    """What is handed in is no socket of the host's network."""
    with socket.create_server(("127.0.0.1", 0)) as other, socket.socket(socket.AF_UNIX) as named:
        named.bind("\0sandgate-reuse")
        named.listen()
        attack = stage.script(REUSE, str(server), str(other.getsockname()[1]))
        ran = stage.confined(attack, grants=[("host", f"127.0.0.1:{server}")])
        assert (ran.exit_code, ran.stdout) == (0, "")


def test_a_granted_address_takes_no_datagrams(stage: Stage) -> None:
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as granted_port,
        socket.socket(type=socket.SOCK_DGRAM) as other,
    ):
        ports = []
        for receiver in (granted_port, other):
            receiver.bind(("127.0.0.1", 0))
            receiver.setblocking(False)
            ports.append(receiver.getsockname()[1])
        attack = stage.script(DATAGRAM, *map(str, ports))
        assert stage.confined(attack, grants=[("host", f"127.0.0.1:{ports[0]}")]).stdout == "sent\n"
        for receiver in (granted_port, other):
            with pytest.raises(BlockingIOError):
                receiver.recv(9)


def serve_once(listener: socket.socket, received: list[int], *, echo: bool) -> threading.Thread:
    """Reads one connection to its end, then sends everything back."""

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            data = b"".join(iter(lambda: connection.recv(100_000), b""))
            received.append(len(data))
            if echo:
                connection.sendall(data)

    thread = threading.Thread(target=serve)
    thread.start()
    return thread


@pytest.mark.parametrize(("script", "echo", "expected"), [(CARRY, True, 3_000_000), (FIRE_AND_LEAVE, False, 100_000)])
def test_everything_is_carried_to_the_granted_host(stage: Stage, script: str, echo: bool, expected: int) -> None:
    """In both directions, past an end in one of them, and after the command is over."""
    received: list[int] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        thread = serve_once(listener, received, echo=echo)
        ran = stage.confined(stage.script(script, str(port)), grants=[("host", f"127.0.0.1:{port}")])
        if ran.exit_code != 0:
            socket.create_connection(("127.0.0.1", port)).close()
        thread.join()
    assert (received, ran.stdout) == ([expected], f"{expected}\n" if echo else "")


def test_a_program_that_does_not_wait_learns_that_nobody_listens(stage: Stage) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        ran = stage.confined(stage.script(NOT_WAITING, str(port)), grants=[("host", f"127.0.0.1:{port}")])
    assert ran.stdout in ("True\nTrue\n", "False\nTrue\n")

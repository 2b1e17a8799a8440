"""A granted host is one address and port; no other spelling widens it (threat table, row 17, without a proxy)."""

import socket
from collections.abc import Iterator

import pytest

from escape_stage import Stage
from sandgate.errors import RequestError
from sandgate.kernel.plan_codec import encode
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions

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

"""With the network off nothing outside is reachable, localhost and name servers included (rows 15 and 16)."""

import json
import os
import socket
from collections.abc import Iterator

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, Stage

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
AUDIT, SOCK_DIAG, UEVENT = 9, 4, 15
for family, kind, protocol in (
    (socket.AF_NETLINK, 3, AUDIT), (socket.AF_NETLINK, 3, SOCK_DIAG), (socket.AF_NETLINK, 3, UEVENT),
    (socket.AF_PACKET, 3, 0), (socket.AF_VSOCK, 1, 0), (socket.AF_ALG, 5, 0),
):
    try:
        socket.socket(family, kind, protocol).close()
        print(int(family), "made")
    except OSError as problem:
        print(int(family), errno.errorcode[problem.errno])
"""
# What `ip link`, and with `change` `ip link set lo down` and `ip addr add` ask of the kernel: rtnetlink(7). Never to be
# run with `change` where the network is the host's.
INTERFACES = """
import errno, json, socket, struct, sys
GET_LINK, NEW_ADDRESS, SET_LINK, DUMP, REQUEST_AND_ANSWER = 18, 20, 19, 0x301, 5
def ask(kind, flags, body):
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as kernel:
            kernel.bind((0, 0))
            kernel.sendto(struct.pack("=IHHII", 16 + len(body), kind, flags, 1, 0) + body, (0, 0))
            told = kernel.recv(65536)
    except OSError as problem:
        return errno.errorcode[problem.errno]
    code = -struct.unpack_from("=i", told, 16)[0] if struct.unpack_from("=H", told, 4)[0] == 2 else 0
    return errno.errorcode.get(code, "done")
def names():
    listed = ask(GET_LINK, DUMP, bytes(16))
    return sorted(name for _, name in socket.if_nameindex()) if listed == "done" else listed
told = {"names": names()}
if sys.argv[1:] == ["change"]:
    told["down"] = ask(SET_LINK, REQUEST_AND_ANSWER, struct.pack("=BBHiII", 0, 0, 0, 1, 0, 1))
    body = struct.pack("=BBBBIHH4s", 2, 8, 0, 0, 1, 8, 2, bytes((10, 0, 0, 1)))
    told["address"] = ask(NEW_ADDRESS, REQUEST_AND_ANSWER, body)
print(json.dumps(told))
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
    assert answers == ["EPERM"] * 6


@pytest.mark.host("namespace")
def test_the_interfaces_that_show_are_those_of_the_own_network_and_none_can_be_changed(stage: Stage) -> None:
    """Required: programs list their interfaces (`os.networkInterfaces`), and the host's are nobody's business."""
    everywhere = json.loads(stage.unconfined(stage.script(INTERFACES)).stdout)
    assert everywhere == {"names": sorted(os.listdir("/sys/class/net"))}
    change = stage.script(INTERFACES, "change")
    in_own_network = stage.unconfined(["unshare", "--map-root-user", "--net", *change])
    assert json.loads(in_own_network.stdout) == {"names": ["lo"], "down": "done", "address": "done"}
    assert json.loads(stage.confined(change).stdout) == {"names": ["lo"], "down": "EPERM", "address": "EPERM"}


@pytest.mark.host("landlock")
def test_without_a_network_of_its_own_no_interface_shows(stage: Stage) -> None:
    assert json.loads(stage.confined(stage.script(INTERFACES), backend="landlock").stdout)["names"] == "EPERM"

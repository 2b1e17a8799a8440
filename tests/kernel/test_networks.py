"""The empty network that the commands of a session share."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import pytest

from sandgate.kernel import networks as networks_module
from sandgate.kernel.build import helper_path
from sandgate.kernel.child import Ended
from sandgate.kernel.helper import HelperChild, prepare
from sandgate.kernel.networks import EmptyNetworks, Network, make_network
from support.kernel.helper_runs import attend, plan_for
from support.process.waiting import none_left_open, open_descriptors, opened_since

pytestmark = pytest.mark.host("namespace")

LISTENING = (
    "import os, socket, sys\n"
    "server = socket.create_server(('127.0.0.1', 4242)); client = socket.create_connection(('127.0.0.1', 4242))\n"
    "there, _ = server.accept(); there.close(); client.close(); server.close()\n"
    "plain = socket.socket(); plain.bind(('127.0.0.1', 4242)); plain.listen()\n"
    "hidden = socket.socket(socket.AF_UNIX); hidden.bind('\\0only mine'); hidden.listen()\n"
    "print(os.readlink('/proc/self/ns/net'), os.readlink('/proc/self/ns/user'))\n"
    "lines = open('/proc/net/dev').read().splitlines()\n"
    "names = [line.partition(':')[0].strip() for line in lines if ':' in line]\n"
    "print(open('/proc/net/tcp').read().count(chr(10)), names)\n"
)


@pytest.fixture
def networks() -> EmptyNetworks:
    return EmptyNetworks()


def run(networks: EmptyNetworks | None, *argv: str) -> tuple[HelperChild, list[str]]:
    reading, writing = os.pipe()
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    try:
        prepared = prepare(helper_path(), network="off", networks=networks)
        child = prepared.start(plan_for(*argv), stdin=null, stdout=writing, stderr=writing)
        os.close(writing)
        attend(child)
        return child, os.read(reading, 65_536).decode().splitlines()
    finally:
        os.close(reading)
        os.close(null)


def namespaces(network: Network) -> tuple[str, ...]:
    assert network.parts is not None
    return tuple(os.readlink(f"/proc/self/fd/{part}") for part in network.parts)


def test_one_network_serves_one_command_after_the_other_as_if_it_were_new(networks: EmptyNetworks) -> None:
    """Required: no port is taken and no name is known because of an earlier command."""
    seen = [run(networks, "python3", "-c", LISTENING) for _ in range(4)]
    assert {child.ended for child, _said in seen} == {Ended(0, None)}
    assert all("net" in child.layers for child, _said in seen)
    lent = networks.lend(helper_path())
    assert lent is not None
    owner, network = namespaces(lent)
    assert {said[0].split()[0] for _child, said in seen} == {network}
    assert owner not in {said[0].split()[1] for _child, said in seen}  # each has users of its own
    lent.discard()
    assert {said[1] for _child, said in seen} == {"2 ['lo']"}  # the heading, and the one socket that listens now


ONE_FAMILY = """
import socket, sys
print(socket.getaddrinfo(sys.argv[1], 80, int(sys.argv[2]), socket.SOCK_STREAM, 0, socket.AI_ADDRCONFIG)[0][4][0])
"""


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize(
    ("name", "family", "address"),
    [
        ("localhost", socket.AF_INET, "127.0.0.1"),
        ("127.0.0.1", socket.AF_INET, "127.0.0.1"),
        ("::1", socket.AF_INET6, "::1"),
    ],
)
def test_who_looks_for_families_that_this_host_has_finds_the_loopback(
    networks: EmptyNetworks, own: bool, name: str, family: int, address: str
) -> None:
    """Required: a resolver does not count *the* loopback addresses as a sign of their family."""
    if family == socket.AF_INET6 and not Path("/proc/net/if_inet6").exists():
        pytest.skip("this kernel has no IPv6")
    if own:
        networks.expect_one_command()
    child, said = run(networks, "python3", "-c", ONE_FAMILY, name, str(int(family)))
    assert (child.ended, said) == (Ended(0, None), [address])


def test_an_empty_network_is_the_hosts_for_nobody(networks: EmptyNetworks) -> None:
    """The server on the host's loopback is there without a sandbox, and not in a lent network."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"import socket; socket.create_connection(('127.0.0.1', {port})); print('reached')"
        assert subprocess.run(["python3", "-c", code], capture_output=True, check=True).stdout == b"reached\n"
        child, said = run(networks, "python3", "-c", code)
        assert (child.ended, said[-1]) == (Ended(1, None), "ConnectionRefusedError: [Errno 111] Connection refused")


def test_nobody_inside_may_change_it(networks: EmptyNetworks) -> None:
    """Its owner is above every sandbox, so not even a root with all capabilities inside is root over it."""
    code = (
        "import fcntl, socket, struct\n"
        "request = struct.pack('16sh', b'lo', 0)\n"
        "print(fcntl.ioctl(socket.socket(), 0x8914, request))\n"  # SIOCSIFFLAGS: take the loopback down
    )
    child, said = run(networks, "python3", "-c", code)
    assert (child.ended, said[-1]) == (Ended(1, None), "PermissionError: [Errno 1] Operation not permitted")


def test_commands_at_once_share_one(networks: EmptyNetworks) -> None:
    """Required: a server that one command started is reached by another, while both run."""
    reading, writing = os.pipe()
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    serve = (
        "import socket\n"
        "server = socket.create_server(('127.0.0.1', 4242)); print('up', flush=True)\n"
        "server.accept()[0].send(b'hello')\n"
    )
    server = prepare(helper_path(), network="off", networks=networks).start(
        plan_for("python3", "-c", serve), stdin=null, stdout=writing, stderr=writing
    )
    assert os.read(reading, 100) == b"up\n"
    ask = "import socket; print(socket.create_connection(('127.0.0.1', 4242)).recv(10))"
    assert run(networks, "python3", "-c", ask)[1] == ["b'hello'"]
    attend(server)
    assert run(EmptyNetworks(), "python3", "-c", ask)[1][-1] == "ConnectionRefusedError: [Errno 111] Connection refused"
    for fd in (reading, writing, null):
        os.close(fd)


def test_another_session_has_another(networks: EmptyNetworks) -> None:
    one, same, other = networks.lend(helper_path()), networks.lend(helper_path()), EmptyNetworks().lend(helper_path())
    assert one is not None
    assert same is not None
    assert other is not None
    assert namespaces(one) == namespaces(same)
    assert not set(namespaces(one)) & set(namespaces(other))
    for network in (one, same, other):
        network.give_back()


def test_an_only_command_makes_its_own(networks: EmptyNetworks) -> None:
    networks.expect_one_command()
    assert networks.lend(helper_path()) is None
    later = networks.lend(helper_path())
    assert later is not None
    later.give_back()


@pytest.mark.parametrize("killed", [False, True])
def test_after_a_helper_that_did_not_see_everything_die_there_is_a_new_one(
    networks: EmptyNetworks, killed: bool
) -> None:
    prepared = prepare(helper_path(), network="off", networks=networks)
    assert prepared._lent is not None
    before = namespaces(prepared._lent)
    if killed:
        os.kill(prepared._pid, 9)
    prepared.discard()
    after = networks.lend(helper_path())
    assert after is not None
    assert (namespaces(after) == before) is not killed
    after.give_back()


def test_a_network_that_cannot_be_joined_is_replaced_by_one_of_its_own() -> None:
    """Required: whatever was lent, the command is confined as its plan says."""
    lender = EmptyNetworks()
    null = [os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC) for _ in range(2)]
    lender._common = (null[0], null[1])
    child, said = run(lender, "python3", "-c", LISTENING)
    assert (child.ended, said[1]) == (Ended(0, None), "2 ['lo']")
    assert said[0].split()[0] != os.readlink("/proc/self/ns/net")
    assert "net" in child.layers


def test_what_cannot_be_made_is_not_lent() -> None:
    lender = EmptyNetworks()
    assert [lender.lend("/bin/false") for _ in range(3)] == [None] * 3
    assert EmptyNetworks().lend("/nowhere/sandgate-exec") is None


def test_where_none_can_be_made_it_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """In many containers none can: there a command must not pay for a try each time."""
    tried: list[str] = []
    monkeypatch.setattr(networks_module, "make_network", lambda helper: tried.append(helper))
    lender = EmptyNetworks()
    assert [lender.lend("helper") for _ in range(5)] == [None] * 5
    assert tried == ["helper"]


def test_a_forked_process_and_another_user_have_networks_of_their_own(
    networks: EmptyNetworks, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = networks.lend(helper_path())
    monkeypatch.setattr(networks_module, "who", lambda: (os.getpid() + 1, 0, 0))
    second = networks.lend(helper_path())
    assert first is not None
    assert second is not None
    assert not set(namespaces(first)) & set(namespaces(second))
    first.give_back()
    second.give_back()


def test_nothing_is_left_of_a_session() -> None:
    before = open_descriptors()
    lender = EmptyNetworks()
    lent = [lender.lend(helper_path()) for _ in range(5)]
    for network in lent:
        assert network is not None
        network.give_back()
    assert len(opened_since(before)) == 2
    del lender, lent, network
    assert none_left_open(before)


def test_making_one_leaves_no_process() -> None:
    parts = make_network(helper_path())
    assert parts is not None
    for part in parts:
        os.close(part)
    assert Path(f"/proc/self/task/{os.getpid()}/children").read_text() == ""


def test_a_network_that_was_forgotten_is_closed() -> None:
    """Whoever is interrupted at the wrong moment neither gives it back nor discards it."""
    before = open_descriptors()
    lender = EmptyNetworks()
    forgotten = lender.lend(helper_path())
    assert len(opened_since(before)) == 4
    del forgotten, lender
    assert none_left_open(before)

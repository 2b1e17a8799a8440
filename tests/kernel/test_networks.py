"""Empty networks that are lent to one command after the other."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import pytest

from helper_runs import attend, plan_for
from sandgate.kernel import networks as networks_module
from sandgate.kernel.build import helper_path
from sandgate.kernel.child import Ended
from sandgate.kernel.helper import HelperChild, prepare
from sandgate.kernel.networks import IDLE_MAX, EmptyNetworks, Network, make_network

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
    lender = EmptyNetworks()
    assert lender.lend(helper_path()) is None  # the first command makes its own
    return lender


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


def descriptors() -> list[str]:
    return sorted(os.listdir("/proc/self/fd"))


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


def test_two_commands_at_once_never_share_one(networks: EmptyNetworks) -> None:
    one, other = networks.lend(helper_path()), networks.lend(helper_path())
    assert one is not None
    assert other is not None
    assert not set(namespaces(one)) & set(namespaces(other))
    first = one.parts
    one.give_back()
    again = networks.lend(helper_path())
    assert again is not None
    assert (again.parts, one.parts) == (first, None)
    for network in (again, other):
        network.discard()


@pytest.mark.parametrize("killed", [False, True])
def test_only_a_helper_that_saw_everything_die_gives_its_network_back(networks: EmptyNetworks, killed: bool) -> None:
    prepared = prepare(helper_path(), network="off", networks=networks)
    lent = prepared._lent
    assert lent is not None
    parts = lent.parts
    if killed:
        os.kill(prepared._pid, 9)
    prepared.discard()
    assert networks._idle == ([] if killed else [parts])


def test_a_network_that_cannot_be_joined_is_replaced_by_one_of_its_own() -> None:
    """Required: whatever was lent, the command is confined as its plan says."""
    lender = EmptyNetworks()
    lender.lend(helper_path())
    null = [os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC) for _ in range(2)]
    lender.take_back((null[0], null[1]))
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
    assert first is not None
    first.give_back()
    monkeypatch.setattr(networks_module, "_who", lambda: (os.getpid() + 1, 0, 0))
    second = networks.lend(helper_path())
    assert second is not None
    assert networks._idle == []
    second.discard()


def test_nothing_is_left_of_a_session() -> None:
    before = descriptors()
    lender = EmptyNetworks()
    lent = [network for network in (lender.lend(helper_path()) for _ in range(IDLE_MAX + 3)) if network is not None]
    assert len(lent) == IDLE_MAX + 2
    for network in lent:
        network.give_back()
    assert len(descriptors()) == len(before) + 2 * IDLE_MAX
    del lender, lent, network
    assert descriptors() == before


def test_making_one_leaves_no_process() -> None:
    parts = make_network(helper_path())
    assert parts is not None
    for part in parts:
        os.close(part)
    assert Path(f"/proc/self/task/{os.getpid()}/children").read_text() == ""


def test_a_network_that_was_forgotten_is_closed() -> None:
    """Whoever is interrupted at the wrong moment neither gives it back nor discards it."""
    before = descriptors()
    lender = EmptyNetworks()
    lender.lend(helper_path())
    forgotten = lender.lend(helper_path())
    assert len(descriptors()) == len(before) + 2
    del forgotten
    assert descriptors() == before

"""Sockets: no network, no host service, but the command's own."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from support.kernel.confined_runs import Account, seen

pytestmark = [pytest.mark.host("landlock"), pytest.mark.host("notify")]

pytest_plugins = ["support.kernel.landlock_fixtures"]


PYTHON = "/usr/bin/python3"


CONNECT = "import socket; s = socket.socket({family}, {kind}); s.connect({address!r})"


def test_tcp_and_udp_are_refused_with_their_address_recorded(account: Account, workspace: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for kind in ("socket.SOCK_STREAM", "socket.SOCK_DGRAM"):
            attack = (PYTHON, "-c", CONNECT.format(family="socket.AF_INET", kind=kind, address=("127.0.0.1", port)))
            outcome = account.confined(attack, workspace)
            assert "Operation not permitted" in outcome["output"]
            assert seen(outcome) == [("connect", f"127.0.0.1:{port}")]
            assert account.unconfined(attack, workspace)["exit_code"] == 0
        send = (
            "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
            f"s.sendto(b'x', ('127.0.0.1', {port}))"
        )
        assert seen(account.confined((PYTHON, "-c", send), workspace)) == [("connect", f"127.0.0.1:{port}")]


def test_host_sockets_are_refused_by_path_and_by_abstract_name(
    account: Account, workspace: Path, outside: Path
) -> None:
    name = f"\0sandgate-test-{os.getpid()}"
    for address, record in ((f"{outside}/s", f"{outside}/s"), (name, f"unix:@{name[1:]}")):
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(address)
            server.listen()
            account.own(outside)
            attack = (PYTHON, "-c", CONNECT.format(family=1, kind=1, address=address))
            outcome = account.confined(attack, workspace)
            assert "Operation not permitted" in outcome["output"]
            assert seen(outcome) == [("connect", record)]
            assert account.unconfined(attack, workspace)["exit_code"] == 0
            if address != name:
                assert account.confined(attack, workspace, sockets=[address])["exit_code"] == 0


def test_a_host_socket_inside_the_workspace_is_not_the_commands_own(account: Account, workspace: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{workspace}/host.sock")
        server.listen()
        account.own(workspace)
        attack = (PYTHON, "-c", CONNECT.format(family=1, kind=1, address="host.sock"))
        assert seen(account.confined(attack, workspace)) == [("connect", f"{workspace}/host.sock")]


def test_own_sockets_work_and_keep_their_name(account: Account, workspace: Path) -> None:
    program = (
        "import socket, os\n"
        "for name in ('own.sock', os.getcwd() + '/src/own.sock', '\\0own'):\n"
        "    s = socket.socket(1); s.bind(name); s.listen(); c = socket.socket(1); c.connect(name)\n"
        "    c.send(b'x'); print(s.accept()[0].recv(1), s.getsockname() in (name, name.encode()))\n"
    )
    outcome = account.confined((PYTHON, "-c", program), workspace)
    assert (outcome["output"], outcome["refused"]) == ("b'x' True\n" * 3, [])


def test_network_on_connects_inet_but_still_not_to_host_sockets(account: Account, workspace: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = ("127.0.0.1", server.getsockname()[1])
        connect = (PYTHON, "-c", CONNECT.format(family=2, kind=1, address=address))
        assert account.confined(connect, workspace, network="on")["exit_code"] == 0
    closed = account.confined(connect, workspace, network="on")
    assert "Connection refused" in closed["output"]

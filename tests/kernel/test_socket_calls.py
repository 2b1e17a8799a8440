"""Sockets: no network, no host service, but the command's own."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path

import pytest

from sandgate.kernel.borrowed_socket import BorrowedSocket
from sandgate.kernel.path_access import PathAccess
from sandgate.kernel.socket_calls import _note_bound
from sandgate.kernel.waiting import Observed
from sandgate.protocol.permissions import EffectivePermissions
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


PLANT = """
import os, socket, sys
rounds = int(sys.argv[1])
os.symlink("..", "src/way")
flipper = os.fork()
while not flipper:
    for to in ("../.git", ".."):
        os.symlink(to, "src/next")
        os.rename("src/next", "src/way")
bound = 0
for number in range(rounds):
    with socket.socket(socket.AF_UNIX) as made:
        try:
            made.bind(f"src/way/s{number}")
            bound += 1
        except OSError:
            pass
    if os.path.exists(f".git/s{number}"):
        break
os.kill(flipper, 9)
print(bound > 0)
"""
BINDS = 200  # below SOCKETS_MAX; before, a handful was enough


def test_no_link_that_flips_leads_a_socket_into_what_is_closed_below(account: Account, workspace: Path) -> None:
    """Required: the directory of a repository is not the command's, whatever stands on the way to it."""
    attack = (PYTHON, "-c", PLANT, str(BINDS))
    assert account.unconfined(attack, workspace)["exit_code"] == 0
    assert any(path.is_socket() for path in (workspace / ".git").iterdir())
    for path in (*workspace.glob(".git/s*"), *workspace.glob("s[0-9]*"), *workspace.glob("src/*")):
        path.unlink()
    outcome = account.confined(attack, workspace)
    assert outcome["output"] == "True\n"
    assert not any(path.is_socket() for path in (workspace / ".git").iterdir())


def test_a_socket_file_has_the_mode_that_the_command_gives_it(account: Account, workspace: Path) -> None:
    """Required: who makes it for itself alone has it alone."""
    program = "import os, socket\nos.umask(0o077)\nsocket.socket(1).bind('s'); print(oct(os.stat('s').st_mode))"
    assert account.confined((PYTHON, "-c", program), workspace)["output"] == "0o140700\n"


def test_another_sockets_file_under_the_bound_name_is_not_the_commands_own(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Required: another command, or a person, may have renamed it there between the call and the look."""
    monkeypatch.chdir(workspace)
    observed = Observed(PathAccess(EffectivePermissions(), {}, {}), network=False)
    folder = os.open(".", os.O_PATH)
    with socket.socket(socket.AF_UNIX) as host, socket.socket(socket.AF_UNIX) as own:
        host.bind("host")
        own.bind("own")
        with BorrowedSocket(os.getpid(), own.fileno()) as borrowed:
            _note_bound(observed, folder, "own", borrowed)
            noted = set(observed.sockets)
            os.rename("host", "own")
            _note_bound(observed, folder, "own", borrowed)
        there = os.stat("own")
    os.close(folder)
    assert len(noted) == 1
    assert set(observed.sockets) == noted
    assert (there.st_dev, there.st_ino) not in noted
    observed.close()


def test_the_abstract_name_of_a_socket_that_is_closed_is_nobodys(account: Account, workspace: Path) -> None:
    """Required: a service of the host that takes the name next is not the command's own."""
    name = f"\0sandgate-test-{os.getpid()}-{account.name}"
    for pipe in ("closed", "taken"):
        os.mkfifo(workspace / pipe)
    account.own(workspace)
    attack = (
        "import socket\n"
        f"name = {name!r}\n"
        "with socket.socket(1) as own: own.bind(name); own.listen(); socket.socket(1).connect(name)\n"
        "open('closed', 'w').close()\n"
        "open('taken').close()\n"
        "socket.socket(1).connect(name); print('connected')\n"
    )

    def serve(host: socket.socket) -> None:
        (workspace / "closed").read_bytes()
        host.bind(name)
        host.listen()
        (workspace / "taken").write_bytes(b"")

    for run, connected in ((account.unconfined, True), (account.confined, False)):
        with socket.socket(socket.AF_UNIX) as host:
            taking = threading.Thread(target=serve, args=(host,))
            taking.start()
            outcome = run((PYTHON, "-c", attack), workspace)
            taking.join()
        assert (outcome["exit_code"] == 0) is connected, outcome
    assert "Operation not permitted" in outcome["output"]
    assert seen(outcome) == [("connect", f"unix:@{name[1:]}")]


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

"""Pathname sockets of the host are out of reach: containers, buses, agents (threat table, rows 8 and 9)."""

import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, Stage

CONNECT = """
import socket, sys
with socket.socket(socket.AF_UNIX) as client:
    client.connect(sys.argv[1])
    print("connected")
"""
SEND = """
import socket, sys
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as client:
    client.sendto(b"x", sys.argv[1])
    print("sent")
"""


def listen(path: Path) -> socket.socket:
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen()
    path.chmod(0o777)
    return server


@pytest.fixture
def runtime_socket(stage: Stage) -> Iterator[Path]:
    """Where container engines and buses listen; needs root to make one there."""
    folder = Path(f"/run/sandgate-escape-{os.getpid()}")
    if os.geteuid() != 0:
        folder = stage.folder / "runtime"
    folder.mkdir(mode=0o755)
    try:
        with listen(folder / "docker.sock"):
            yield folder / "docker.sock"
    finally:
        shutil.rmtree(folder)


@BOTH_BACKENDS
@pytest.mark.parametrize("network", [False, True], ids=["off", "on"])
def test_a_container_socket_cannot_be_connected(
    stage: Stage, backend: str, network: bool, runtime_socket: Path
) -> None:
    attack = stage.script(CONNECT, runtime_socket)
    assert stage.unconfined(attack).stdout == "connected\n"
    assert stage.confined(attack, backend=backend, network=network).stdout == ""


@BOTH_BACKENDS
@pytest.mark.parametrize("network", [False, True], ids=["off", "on"])
@pytest.mark.parametrize("place", ["outside", "repo"])
def test_a_listening_socket_anywhere_cannot_be_connected(stage: Stage, backend: str, network: bool, place: str) -> None:
    """An agent's socket in the home directory, a development server's in the workspace itself."""
    path = getattr(stage, place) / "agent.1"
    with listen(path):
        attack = stage.script(CONNECT, path)
        assert stage.unconfined(attack).stdout == "connected\n"
        assert stage.confined(attack, backend=backend, network=network).stdout == ""


@pytest.mark.host("namespace")
def test_a_granted_socket_can_be_connected_and_its_neighbour_cannot(stage: Stage, runtime_socket: Path) -> None:
    neighbour = runtime_socket.with_name("other.sock")
    grants = [("unix_socket", str(runtime_socket))]
    with listen(neighbour):
        assert stage.confined(stage.script(CONNECT, runtime_socket), grants=grants).stdout == "connected\n"
        assert stage.confined(stage.script(CONNECT, neighbour), grants=grants).stdout == ""


@BOTH_BACKENDS
def test_variables_that_lead_to_host_sockets_are_gone(stage: Stage, backend: str) -> None:
    leading = {
        "SSH_AUTH_SOCK": "/tmp/ssh-x/agent.1",
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/0/bus",
        "DISPLAY": ":0",
        "TMUX": "/tmp/tmux-0/default,1,0",
        "DOCKER_HOST": "unix:///run/docker.sock",
    }
    assert set(leading) <= {line.partition("=")[0] for line in stage.unconfined(["env"], env=leading).stdout.split()}
    seen = stage.confined(["env"], backend=backend, env=leading).stdout
    assert [name for name in leading if name in seen] == []


DETOURS = """
import os, socket, sys
path = sys.argv[1]
held = os.open(path, os.O_PATH)
for detour in (path, "/proc/self/root" + path, "/proc/thread-self/root" + path, f"/proc/self/fd/{held}",
               f"/proc/{os.getpid()}/root{path}", "/proc/self/cwd/" + os.path.relpath(path)):
    with socket.socket(socket.AF_UNIX) as client:
        try: client.connect(detour); print("connected", detour)
        except OSError: pass
"""
FLIP = """
import ctypes, socket, sys, threading
path, tries = sys.argv[1].encode(), 200
sys.setswitchinterval(1e-5)  # who is back from connect(2) does not wait long for its turn
libc = ctypes.CDLL(None)
bad = b"\\1\\0" + path + b"\\0"
buffer = ctypes.create_string_buffer(bad, len(bad))
flipping = True
def flip():
    while flipping:
        buffer[len(bad) - 2] = b"#"
        buffer[0] = b"\\2"
        buffer[0] = b"\\1"
        buffer[len(bad) - 2] = path[-1:]
threading.Thread(target=flip).start()
for _ in range(tries):
    with socket.socket(socket.AF_UNIX) as client:
        if libc.connect(client.fileno(), buffer, len(bad)) == 0: print("connected"); break
flipping = False
"""
SEND_MESSAGE = """
import socket, sys
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as client:
    client.sendmsg([b"x"], [], 0, sys.argv[1])
    print("sent")
"""
OWN_SERVER = """
import os, socket, threading
from multiprocessing.connection import Client, Listener
def echo(listener):
    with listener.accept() as connection: connection.send(connection.recv())
for address in (None, "relative", os.path.abspath("absolute")):
    with Listener(address, "AF_UNIX", backlog=1) as listener:
        thread = threading.Thread(target=echo, args=[listener])
        thread.start()
        with Client(listener.address) as client:
            client.send("hello")
            print(client.recv())
        thread.join()
"""


@BOTH_BACKENDS
@pytest.mark.parametrize("network", [False, True], ids=["off", "on"])
@pytest.mark.parametrize("attack", [DETOURS, FLIP], ids=["detours", "flip"])
def test_no_spelling_of_a_path_leads_to_a_socket_of_the_host(
    stage: Stage, backend: str, network: bool, attack: str
) -> None:
    path = stage.outside / "agent.1"
    with listen(path):
        if attack == DETOURS:  # the other one needs luck
            assert "connected" in stage.unconfined(stage.script(attack, path)).stdout
        assert stage.confined(stage.script(attack, path), backend=backend, network=network).stdout == ""


@BOTH_BACKENDS
def test_a_socket_in_the_temporary_directory_is_the_hosts_all_the_same(stage: Stage, backend: str) -> None:
    """One may write there, so nothing but who listens tells whose it is."""
    path = Path(f"/tmp/sandgate-escape-{os.getpid()}-{stage.uid}.sock")
    with listen(path):
        try:
            assert stage.confined(stage.script(CONNECT, path), backend=backend).stdout == ""
        finally:
            path.unlink()


@BOTH_BACKENDS
@pytest.mark.parametrize("script", [SEND, SEND_MESSAGE], ids=["sendto", "sendmsg"])
def test_a_datagram_socket_cannot_be_written_to(stage: Stage, backend: str, script: str) -> None:
    path = stage.outside / "log"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(str(path))
        path.chmod(0o777)
        attack = stage.script(script, path)
        assert stage.unconfined(attack).stdout == "sent\n"
        assert stage.confined(attack, backend=backend).stdout == ""


@pytest.mark.host("namespace")
@pytest.mark.parametrize("network", [False, True], ids=["off", "on"])
def test_servers_of_the_command_itself_are_reached(stage: Stage, network: bool) -> None:
    ran = stage.confined(stage.script(OWN_SERVER), network=network)
    assert (ran.stdout, ran.stderr) == ("hello\n" * 3, "")

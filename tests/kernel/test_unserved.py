"""Connections to the own loopback where nobody listens: noted, told where the host has a server, and cheap."""

import os
import select
import socket
from pathlib import Path

import pytest

from sandgate.kernel.helper import start
from support.kernel.helper_runs import attend, plan_for, run
from support.process.waiting import readable

pytestmark = pytest.mark.host("namespace", "notify")

UNSERVED_MAX = 16  # ports of one command, native/unserved.c
EMPTY = 60_000
SEEK = """
import errno, select, socket, sys
waits, count, again = sys.argv[1] == "waits", int(sys.argv[2]), int(sys.argv[3])
own = socket.create_server(("127.0.0.1", 4242), backlog=0)
def seek(port):
    with socket.socket() as client:
        client.setblocking(waits)
        if client.connect_ex(("127.0.0.1", port)) == errno.EINPROGRESS:
            select.select([], [client], [], 20)
            return client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
for _ in range(again):
    seek(4242); own.accept()[0].close()
    for port in range(60000, 60000 + count): seek(port)
"""
FULL = """
import socket
own = socket.create_server(("127.0.0.1", 4242), backlog=0)
for client in [socket.socket() for _ in range(4)]:
    client.setblocking(False); client.connect_ex(("127.0.0.1", 4242)); client.detach()
"""
DONE = "\nprint('done', flush=True); input()"


@pytest.mark.parametrize("waits", ["waits", "does not"])
@pytest.mark.parametrize(("count", "noted"), [(3, 3), (UNSERVED_MAX + 4, UNSERVED_MAX)])
def test_ports_where_nobody_listens_are_noted_and_no_refusal(helper: str, waits: str, count: int, noted: int) -> None:
    """Required: once each, and not without end: who tries all of them must not use up the room of refusals."""
    outcome = run(helper, plan_for("python3", "-c", SEEK, waits, str(count), "2", network="off"))
    assert (outcome.exit_code, outcome.refused) == (0, []), outcome.output
    assert outcome.unserved == [f"127.0.0.1:{EMPTY + at}" for at in range(noted)]


def test_a_server_whose_queue_is_full_is_somebody(helper: str) -> None:
    outcome = run(helper, plan_for("python3", "-c", FULL, network="off"))
    assert (outcome.exit_code, outcome.unserved) == (0, []), outcome.output


@pytest.mark.parametrize("timeout", ["None", "0", "20"])
def test_a_server_of_the_hosts_is_told_however_the_command_waits(helper: str, timeout: str) -> None:
    """Required, both halves: without the sandbox it is reached."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        socket.create_connection(address).close()
        code = f"import socket; it = socket.socket(); it.settimeout({timeout}); it.connect_ex({address!r})"
        outcome = run(helper, plan_for("python3", "-c", code, network="off"))
    (refused,) = outcome.refused
    assert (refused.address, refused.errno) == (f"127.0.0.1:{address[1]}", "ECONNREFUSED")


DATAGRAM = """
import socket, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as it:
    it.connect(("127.0.0.1", int(sys.argv[1])))
"""


@pytest.mark.parametrize(("kind", "told"), [(socket.SOCK_STREAM, False), (socket.SOCK_DGRAM, True)])
def test_a_datagram_misses_a_server_of_datagrams_and_none_of_streams(
    helper: str, kind: socket.SocketKind, told: bool
) -> None:
    """Resolvers connect one to sort their answers, also those for a server that the command is about to be itself."""
    with socket.socket(socket.AF_INET, kind) as server:
        server.bind(("127.0.0.1", 0))
        if kind == socket.SOCK_STREAM:
            server.listen()
        port = server.getsockname()[1]
        outcome = run(helper, plan_for("python3", "-c", DATAGRAM, str(port), network="off"))
    assert outcome.exit_code == 0, outcome.output
    assert [each.address for each in outcome.refused] == ([f"127.0.0.1:{port}"] if told else [])


def reads_of(pid: int) -> int:
    """How often a process has read something so far.  proc_pid_io(5)"""
    try:
        lines = Path(f"/proc/{pid}/io").read_text().splitlines()
    except PermissionError:
        pytest.skip("only root may count the reads of a process that nobody may trace")
    return int(dict(line.split(": ") for line in lines)["syscr"])


def test_a_thousand_empty_ports_do_not_make_the_host_look_a_thousand_times(helper: str) -> None:
    """Required: each look goes through all of the host's connections, and the command waits for it."""
    count = 1_000
    asking, asked = os.pipe()
    reading, writing = os.pipe()
    plan = plan_for("python3", "-c", SEEK + DONE, "waits", str(count), "1", network="off")
    child = start(plan, stdin=asking, stdout=writing, stderr=writing, helper=helper)
    readable(reading)
    assert os.read(reading, 99) == b"done\n"
    assert reads_of(child.pid) < count
    os.close(asked)
    attend(child)
    assert len(child.unserved) == UNSERVED_MAX
    for fd in (asking, reading, writing):
        os.close(fd)


LISTEN = "import socket; it = socket.socket({}); it.bind({!r}); it.listen(); print('done', flush=True); input()"


@pytest.mark.parametrize(
    ("family", "address", "may"),
    [
        ("socket.AF_INET", ("127.0.0.1", 0), True),
        ("socket.AF_INET6", ("::1", 0), True),
        ("socket.AF_UNIX", "\0only-a-name", False),
    ],
)
def test_that_a_command_may_serve_a_port_is_told_before_it_does(
    helper: str, family: str, address: object, may: bool
) -> None:
    """Required: whoever looks for ports only then misses none, and pays nothing for commands without."""
    read_end, write_end = os.pipe()
    stdin_end, held = os.pipe()
    plan = plan_for("python3", "-c", LISTEN.format(family, address), network="off")
    child = start(plan, stdin=stdin_end, stdout=write_end, stderr=write_end, helper=helper)
    try:
        os.close(write_end)
        assert os.read(read_end, 5) == b"done\n"
        if may:
            child.handle(child.descriptors()[0])
        assert child.may_listen is may
        assert child.refused == []
    finally:
        child.close()
        for fd in (read_end, stdin_end, held):
            os.close(fd)


MANY_REFUSED = """
import socket, sys
for number in range(700):
    try:
        open(f"/etc/refused-{number}", "x")
    except OSError:
        pass
    if number % 50 == 49:
        print("some", flush=True); input()
it = socket.create_server(("127.0.0.1", 0)); print("done", flush=True); input()
"""


def test_that_it_serves_is_told_however_much_was_refused_before(helper: str) -> None:
    """Required: the table of refusals has an end, and what is served is no refusal."""
    read_end, write_end = os.pipe()
    stdin_end, held = os.pipe()
    plan = plan_for("python3", "-c", MANY_REFUSED, network="off")
    child = start(plan, stdin=stdin_end, stdout=write_end, stderr=write_end, helper=helper)
    try:
        os.close(write_end)
        while os.read(read_end, 5) != b"done\n":
            while select.select([child.descriptors()[0]], [], [], 0)[0]:
                child.handle(child.descriptors()[0])
            os.write(held, b"\n")
        while select.select([child.descriptors()[0]], [], [], 0)[0]:
            child.handle(child.descriptors()[0])
        assert len(child.refused) >= 512
        assert child.may_listen
    finally:
        child.close()
        for fd in (read_end, stdin_end, held):
            os.close(fd)

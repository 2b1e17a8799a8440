"""Connections that wait for an answer, and are made from outside when it is a yes."""

import errno
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandgate.kernel.build import helper_path
from sandgate.protocol.permissions import Grant
from support.kernel.held_runs import BACKENDS, LANDLOCK, HeldOutcome, HeldRun, run_held
from support.kernel.helper_runs import plan_for
from support.kernel.server import Greeter

ELSEWHERE = "192.0.2.1:80"  # RFC 5737: nobody's


@pytest.fixture(params=BACKENDS)
def helper(request: pytest.FixtureRequest) -> str:
    """Both backends hold connections, and make them alike."""
    return LANDLOCK if request.param == LANDLOCK else helper_path()


def refused_as(helper: str, error: int) -> int:
    """Under Landlock the supervisor refuses; elsewhere that a network is empty, or a file covered, does."""
    return errno.EPERM if helper == LANDLOCK else error


@pytest.fixture
def greeter() -> Iterator[Greeter]:
    server = Greeter(socket.create_server(("127.0.0.1", 0)))
    yield server
    server.close()


@pytest.fixture
def socket_file(tmp_path: Path) -> Iterator[Path]:
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(tmp_path / "sock"))
    greeting = Greeter(server)
    yield tmp_path / "sock"
    greeting.close()


CALL = """
import select, socket, sys
def call(family, address, waits=True):
    made = socket.socket(family)
    made.setblocking(waits)
    try:
        made.connect(address)
    except BlockingIOError:
        select.select([], [made], [])
    except OSError as problem:
        return problem.errno
    made.setblocking(True)
    try:
        made.sendall(b"caller")
        return made.recv(9)
    except OSError as problem:
        return problem.errno
"""


def run(helper: str, script: str, *grants: Grant) -> HeldOutcome:
    argv = (sys.executable, "-I", "-S", "-c", CALL + script)
    return run_held(helper, plan_for(*argv, network="off"), lambda _held: grants)


@pytest.mark.parametrize("waits", [True, False], ids=["waiting", "not waiting"])
def test_a_yes_connects_to_a_server_of_the_hosts(helper: str, greeter: Greeter, waits: bool) -> None:
    """Required: asked once, connected each time; what lies within the answer is counted."""
    port = greeter.server.getsockname()[1]
    script = f'for _ in range(2): print(call(socket.AF_INET, ("127.0.0.1", {port}), {waits}))'
    outcome = run(helper, script, Grant("host", f"127.0.0.1:{port}"))
    assert outcome.output == "b'hello'\n" * 2
    assert [(held.refused.operation, held.refused.address) for held in outcome.held] == [
        ("connect", f"127.0.0.1:{port}")
    ]
    assert [(call.number, call.path, call.error) for call in outcome.performed] == [(1, f"127.0.0.1:{port}", 0)]
    assert (outcome.performed_omitted, outcome.refused) == (1, [])
    greeter.stop()
    assert greeter.heard == [b"caller"] * 2


@pytest.mark.parametrize("waits", [True, False], ids=["waiting", "not waiting"])
def test_a_no_is_the_refusal_of_ever_for_a_connection(helper: str, greeter: Greeter, waits: bool) -> None:
    port = greeter.server.getsockname()[1]
    script = f"""
print(call(socket.AF_INET, ("127.0.0.1", {port}), {waits}))
print(call(socket.AF_INET, ("192.0.2.1", 80), {waits}))
"""
    outcome = run(helper, script)
    code = refused_as(helper, errno.ECONNREFUSED)
    assert outcome.output == f"{code}\n1\n"
    assert [(each.operation, each.address, each.errno) for each in outcome.refused] == [
        ("connect", f"127.0.0.1:{port}", errno.errorcode[code]),
        ("connect", ELSEWHERE, "EPERM"),
    ]
    assert [held.refused.address for held in outcome.held] == [f"127.0.0.1:{port}", ELSEWHERE]
    assert greeter.heard == []


def test_a_yes_for_one_port_opens_no_other(helper: str, greeter: Greeter) -> None:
    port = greeter.server.getsockname()[1]
    script = f'print(call(socket.AF_INET, ("127.0.0.1", {port})), call(socket.AF_INET, ("192.0.2.1", {port})))'
    outcome = run(helper, script, Grant("host", f"192.0.2.1:{port + 1}"))
    assert outcome.output == f"{refused_as(helper, errno.ECONNREFUSED)} 1\n"
    assert greeter.heard == []


def test_where_nobody_listens_nobody_is_asked(helper: str, greeter: Greeter) -> None:
    """Required: no answer could make it right; and what looks up a name is asked about as a whole, after the end."""
    port = greeter.server.getsockname()[1]
    greeter.stop()
    script = f"""
print(call(socket.AF_INET, ("127.0.0.1", {port})))
try:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("127.0.0.1", 53))
except PermissionError:
    pass
"""
    outcome = run(helper, script)
    assert outcome.output == f"{refused_as(helper, errno.ECONNREFUSED)}\n"
    assert outcome.held == []


@pytest.mark.parametrize("hidden", [False, True], ids=["in sight", "hidden"])
def test_a_yes_connects_to_a_socket_file(helper: str, socket_file: Path, hidden: bool) -> None:
    from sandgate.protocol.confinement import Mount

    argv = (sys.executable, "-I", "-S", "-c", CALL + f'print(call(socket.AF_UNIX, "{socket_file}"))')
    mounts = (Mount("hide_file", str(socket_file)),) if hidden else ()
    plan = plan_for(*argv, network="off", mounts=mounts)
    refused = run_held(helper, plan, lambda _held: ())
    assert refused.output == f"{refused_as(helper, errno.EACCES)}\n"
    assert [(each.operation, each.address) for each in refused.refused] == [("connect", f"unix:{socket_file}")]
    allowed = run_held(helper, plan, lambda _held: (Grant("unix_socket", str(socket_file)),))
    assert (allowed.output, allowed.refused) == ("b'hello'\n", [])
    assert [(call.number, call.path, call.error) for call in allowed.performed] == [(1, f"unix:{socket_file}", 0)]


def test_a_socket_file_that_is_exchanged_while_asked_about_is_not_connected_to(
    helper: str, socket_file: Path, tmp_path: Path
) -> None:
    """Required: what is connected to is what was shown, or nothing."""
    (tmp_path / "shown").mkdir()
    first = socket.socket(socket.AF_UNIX)
    first.bind(str(tmp_path / "shown/sock"))
    first.listen()
    place = tmp_path / "shown/sock"

    def exchange(_held: object) -> tuple[Grant, ...]:
        (tmp_path / "shown").rename(tmp_path / "gone")
        (tmp_path / "shown").mkdir()
        os.rename(socket_file, place)
        return (Grant("unix_socket", str(place)),)

    argv = (sys.executable, "-I", "-S", "-c", CALL + f'print(call(socket.AF_UNIX, "{place}"))')
    outcome = run_held(helper, plan_for(*argv, network="off"), exchange)
    assert outcome.output == "13\n"
    first.close()


EXCHANGED = """
import os, threading, time
made = socket.socket()
def wait():
    try:
        made.connect(("127.0.0.1", PORT))
    except OSError as problem:
        print(problem.errno, flush=True)
thread = threading.Thread(target=wait); thread.start()
open("FIFO").read()
other = os.open("/dev/null", os.O_RDONLY); os.dup2(other, made.fileno())
open("FIFO.done", "w").close()
thread.join()
print(os.path.sameopenfile(other, made.fileno()), os.readlink(f"/proc/self/fd/{made.fileno()}"))
"""


def test_a_descriptor_that_became_another_file_is_left_alone(helper: str, greeter: Greeter, tmp_path: Path) -> None:
    """Required: while a connection waits its number may come to mean something else; that is neither connected nor
    replaced."""
    for name in ("fifo", "fifo.done"):
        os.mkfifo(tmp_path / name)
    port = greeter.server.getsockname()[1]
    script = EXCHANGED.replace("PORT", str(port)).replace("FIFO", str(tmp_path / "fifo"))

    def exchanged(_held: object) -> tuple[Grant, ...]:
        (tmp_path / "fifo").write_text("go")
        (tmp_path / "fifo.done").read_text()
        return (Grant("host", f"127.0.0.1:{port}"),)

    argv = (sys.executable, "-I", "-S", "-c", CALL + script)
    plan = plan_for(*argv, network="off", write=(str(tmp_path),))
    outcome = run_held(helper, plan, exchanged)
    assert outcome.output == "9\nTrue /dev/null\n"
    assert greeter.heard == []


OPTIONS = """
made = socket.create_connection(("127.0.0.1", PORT))
own, _ = socket.socketpair()
for sock, option in ((made, "NODELAY"), (made, "KEEPIDLE"), (made, "MAXSEG"), (own, "NODELAY")):
    try:
        sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, "TCP_" + option), 5)
        print("set")
    except OSError as problem:
        print(problem.errno)
made.sendall(b"caller")
print(made.recv(9))
"""


def test_options_of_a_connection_that_make_no_difference_are_taken(helper: str, greeter: Greeter) -> None:
    """Required: HTTP libraries set them and give up when that fails; on any other socket they fail as ever."""
    port = greeter.server.getsockname()[1]
    outcome = run(helper, OPTIONS.replace("PORT", str(port)), Grant("host", f"127.0.0.1:{port}"))
    refused = "set\nset\n" if helper == LANDLOCK else "95\n95\n"  # there it takes all of them, and heeds none
    assert outcome.output == f"set\nset\n{refused}b'hello'\n"


def test_the_error_of_a_host_is_the_callers(helper: str, greeter: Greeter) -> None:
    """Required: a yes does not help where nobody is, and what happened is told as it was."""
    port = greeter.server.getsockname()[1]
    script = f'print(call(socket.AF_INET, ("127.0.0.1", {port})))'

    def stopped(_held: object) -> tuple[Grant, ...]:
        greeter.close()
        return (Grant("host", f"127.0.0.1:{port}"),)

    argv = (sys.executable, "-I", "-S", "-c", CALL + script)
    outcome = run_held(helper, plan_for(*argv, network="off"), stopped)
    assert outcome.output == f"{errno.ECONNREFUSED}\n"
    assert [(call.number, call.error) for call in outcome.performed] == [(1, errno.ECONNREFUSED)]


KEPT = """
made = socket.socket(socket.AF_INET, socket.SOCK_STREAM | FLAG)
os.set_inheritable(made.fileno(), INHERITED)
try:
    made.connect(("127.0.0.1", PORT))
except BlockingIOError:
    pass
print(os.get_blocking(made.fileno()), os.get_inheritable(made.fileno()))
made.setblocking(True)
made.sendall(b"caller")
while made.recv(9): pass
"""


@pytest.mark.parametrize("inherited", [True, False])
@pytest.mark.parametrize("flag", ["0", "socket.SOCK_NONBLOCK"])
def test_what_takes_the_place_of_a_socket_has_its_flags(
    helper: str, greeter: Greeter, flag: str, inherited: bool
) -> None:
    port = greeter.server.getsockname()[1]
    script = "import os" + KEPT.replace("FLAG", flag).replace("INHERITED", str(inherited)).replace("PORT", str(port))
    outcome = run(helper, script, Grant("host", f"127.0.0.1:{port}"))
    assert outcome.output == f"{flag == '0'} {inherited}\n"


def test_a_host_of_the_plan_is_reached_without_a_question(helper: str, greeter: Greeter) -> None:
    """Required: also where nobody is there to be asked; a neighbour stays closed."""
    port = greeter.server.getsockname()[1]
    script = f'print(call(socket.AF_INET, ("127.0.0.1", {port})), call(socket.AF_INET, ("192.0.2.1", {port})))'
    argv = (sys.executable, "-I", "-S", "-c", CALL + script)
    outcome = HeldRun(helper, plan_for(*argv, network="off", hosts=(f"127.0.0.1:{port}",))).finish()
    assert outcome.output == "b'hello' 1\n"
    assert [each.address for each in outcome.refused] == [f"192.0.2.1:{port}"]

"""Datagrams to hosts wait for an answer, and are relayed both ways when it is a yes."""

import errno
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from sandgate.kernel.build import helper_path
from sandgate.protocol.held_calls import FoundHost, HeldAnswer, HeldCall
from sandgate.protocol.permissions import Grant
from support.kernel.held_runs import HeldOutcome, HeldRun, run_held
from support.kernel.helper_runs import plan_for

pytestmark = pytest.mark.host("namespace", "notify")

LIMIT_S = 30
LARGEST = 65_507  # bytes in a datagram over IPv4: udp(7)
WITHOUT_END = b"stop"


class Echo:
    """A server of the host's that sends back what it hears, in capitals."""

    def __init__(self, family: socket.AddressFamily = socket.AF_INET) -> None:
        self.server = socket.socket(family, socket.SOCK_DGRAM)
        self.server.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0))
        self.port: int = self.server.getsockname()[1]
        self.heard: list[bytes] = []
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            packet, sender = self.server.recvfrom(65536)
            if packet == WITHOUT_END:
                return
            with self._changed:
                self.heard.append(packet)
                self._changed.notify_all()
            with suppress(OSError):
                self.server.sendto(packet.upper(), sender)

    def hears(self, count: int) -> list[bytes]:
        """The first ones, once there are as many."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.heard) >= count, LIMIT_S), self.heard
        return self.heard[:count]

    def stop(self) -> list[bytes]:
        """What was heard until now: what was sent before this comes before it."""
        if self._thread.is_alive():
            with socket.socket(self.server.family, socket.SOCK_DGRAM) as last:
                last.sendto(WITHOUT_END, self.server.getsockname())
            self._thread.join(LIMIT_S)
        self.server.close()
        return self.heard


@pytest.fixture
def echo() -> Iterator[Echo]:
    server = Echo()
    yield server
    server.stop()


@pytest.fixture
def other() -> Iterator[Echo]:
    server = Echo()
    yield server
    server.stop()


CLIENT = f"""
import errno, os, select, socket, struct, sys
def made(family=socket.AF_INET):
    new = socket.socket(family, socket.SOCK_DGRAM)
    new.settimeout({LIMIT_S})
    return new
def tried(call, *arguments):
    try:
        return call(*arguments)
    except OSError as problem:
        return errno.errorcode[problem.errno]
"""

Answers = Callable[[HeldCall], tuple[Grant, ...] | HeldAnswer]


def yes(held: HeldCall) -> tuple[Grant, ...]:
    return (Grant("host", held.refused.address or ""),)


def no(_held: HeldCall) -> tuple[Grant, ...]:
    return ()


def run(script: str, answer: Answers = yes) -> HeldOutcome:
    argv = (sys.executable, "-I", "-S", "-c", CLIENT + script)
    return run_held(helper_path(), plan_for(*argv, network="off"), answer)


def asked(outcome: HeldOutcome) -> list[tuple[str, str | None]]:
    return [(held.refused.syscall, held.refused.address) for held in outcome.held]


def test_what_is_sent_by_address_waits_and_a_yes_carries_it_both_ways(echo: Echo) -> None:
    """Required: one question; the socket hears from whom it has asked, and what it sends later needs no answer."""
    there = ("127.0.0.1", echo.port)
    outcome = run(f"""
client = made()
for word in (b"one", b"two", b""):
    print(client.sendto(word, {there!r}), *client.recvfrom(99))
""")
    assert outcome.output == "".join(f"{len(each)} {each.encode()!r} {there}\n" for each in ("ONE", "TWO", ""))
    assert asked(outcome) == [("sendto", f"127.0.0.1:{echo.port}")]
    assert outcome.held[0].refused.datagrams
    assert [(call.number, call.path, call.error) for call in outcome.performed] == [(1, f"127.0.0.1:{echo.port}", 0)]
    assert outcome.refused == []
    assert echo.stop() == [b"one", b"two", b""]


@pytest.mark.parametrize("waits", [True, False], ids=["waiting", "not waiting"])
def test_a_connected_socket_waits_and_a_yes_connects_it(echo: Echo, waits: bool) -> None:
    there = ("127.0.0.1", echo.port)
    outcome = run(f"""
for _ in range(2):
    client = made()
    if not {waits}: client.setblocking(False)
    client.connect({there!r})
    print(client.getpeername() == {there!r}, client.send(b"one"), end=" ")
    select.select([client], [], [], {LIMIT_S})
    print(*client.recvfrom(99))
""")
    assert outcome.output == f"True 3 b'ONE' {there}\n" * 2
    assert asked(outcome) == [("connect", f"127.0.0.1:{echo.port}")]
    assert outcome.refused == []


@pytest.mark.parametrize("host", ["192.0.2.1", "10.0.0.1", "2001:db8::1"])
def test_a_no_is_the_refusal_of_ever_and_is_told(host: str) -> None:
    """A private address is asked about as any other, by its number."""
    family, text = ("socket.AF_INET6", f"[{host}]:9") if ":" in host else ("socket.AF_INET", f"{host}:9")
    outcome = run(f"""
client = made({family})
print(tried(client.sendto, b"x", ("{host}", 9)), tried(client.connect, ("{host}", 9)))
""", no)  # fmt: skip
    assert outcome.output == "EPERM EPERM\n"
    assert asked(outcome) == [("sendto", text), ("connect", text)]
    assert [(each.operation, each.address, each.errno) for each in outcome.refused] == [("connect", text, "EPERM")]


def test_with_nobody_to_answer_it_is_as_without(echo: Echo) -> None:
    script = f"""
client = made()
print(tried(client.sendto, b"x", ("192.0.2.1", 9)), tried(client.connect, ("192.0.2.1", 9)))
client.sendto(b"x", ("127.0.0.1", {echo.port}))
"""
    argv = (sys.executable, "-I", "-S", "-c", CLIENT + script)
    outcome = HeldRun(helper_path(), plan_for(*argv, network="off", hosts=(f"127.0.0.1:{echo.port}",))).finish()
    assert outcome.output == "EPERM EPERM\n"
    assert echo.stop() == []


def test_a_yes_is_for_that_address_and_port_alone(echo: Echo, other: Echo) -> None:
    """Required: two sides. A socket that was exchanged reaches the other one neither by calls that are seen nor by
    those that are not; the same datagram from outside does."""
    there, beside = ("127.0.0.1", echo.port), ("127.0.0.1", other.port)
    outcome = run(f"""
for client in (made(), made()):
    client.sendto(b"one", {there!r})
    print(client.recv(9))
    for reach in (lambda: client.sendmsg([b"escaped"], [], 0, {beside!r}),
                  lambda: client.sendto(b"escaped", {beside!r}),
                  lambda: client.connect({beside!r}) or client.send(b"escaped"),
                  lambda: client.bind(("0.0.0.0", 0)), lambda: client.sendto(b"escaped", {beside!r})):
        print(tried(reach), end=" ")
""", lambda held: yes(held) if held.refused.address == f"127.0.0.1:{echo.port}" else ())  # fmt: skip
    assert outcome.output.count("b'ONE'") == 2
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outside:
        outside.sendto(b"from outside", beside)
    assert other.stop() == [b"from outside"]
    assert f"127.0.0.1:{other.port}" in [each.address for each in outcome.refused]


def test_one_socket_serves_as_many_hosts_as_are_allowed(echo: Echo, other: Echo) -> None:
    ports = (echo.port, other.port)
    outcome = run(f"""
client = made()
for word in (b"a", b"b"):
    for port in {ports!r}:
        client.sendto(word, ("127.0.0.1", port))
        print(*client.recvfrom(9))
""")
    assert outcome.output == "".join(f"b'{word}' {('127.0.0.1', port)}\n" for word in "AB" for port in ports)
    assert asked(outcome) == [("sendto", f"127.0.0.1:{port}") for port in ports]


@pytest.mark.parametrize("size", [LARGEST, 1, 0])
def test_datagrams_of_every_size_stay_whole(echo: Echo, size: int) -> None:
    outcome = run(f"""
client = made()
client.connect(("127.0.0.1", {echo.port}))
client.send(bytes({size}))
print(len(client.recv(99999)), tried(client.send, bytes({LARGEST + 1})))
""")
    assert outcome.output == f"{size} EMSGSIZE\n"


def test_what_is_sent_last_still_goes_out(echo: Echo) -> None:
    """As programs do that send measurements and end."""
    outcome = run(f"""
client = made()
for number in range(50): client.sendto(b"%d" % number, ("127.0.0.1", {echo.port}))
os._exit(0)
""")
    assert outcome.exit_code == 0
    assert echo.hears(50) == [b"%d" % number for number in range(50)]


@pytest.mark.parametrize("address", ["::1", "::ffff:127.0.0.1"])
def test_either_family_is_carried(address: str) -> None:
    mapped = address != "::1"
    server = Echo(socket.AF_INET if mapped else socket.AF_INET6)
    outcome = run(f"""
there = ({address!r}, {server.port}, 0, 0)
client = made(socket.AF_INET6)
client.sendto(b"one", there)
print(client.recvfrom(9) == (b"ONE", there))
client = made(socket.AF_INET6)
client.connect(there)
client.send(b"two")
print(client.recvfrom(9) == (b"TWO", there))
""")
    assert outcome.output == "True\nTrue\n"
    assert server.stop() == [b"one", b"two"]
    said = f"127.0.0.1:{server.port}" if mapped else f"[::1]:{server.port}"
    assert asked(outcome) == [("sendto", said)]


@pytest.mark.parametrize(
    "address",
    [
        ("224.0.0.251", 5353),
        ("239.1.2.3", 9),
        ("255.255.255.255", 9),
        ("192.0.2.1", 0),
        ("ff02::fb", 5353),
        ("fe80::1", 9),
    ],
)
def test_groups_everybody_and_no_port_are_asked_about_with_nobody(address: tuple[str, int]) -> None:
    family = "socket.AF_INET6" if ":" in address[0] else "socket.AF_INET"
    outcome = run(f"""
client = made({family})
client.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
print(tried(client.sendto, b"x", {address!r}), tried(client.connect, {address!r}))
""")
    assert outcome.output == "EPERM EPERM\n"
    assert outcome.held == []
    assert len(outcome.refused) == 1


def test_servers_inside_are_reached_as_ever(echo: Echo) -> None:
    """Required: nobody is asked, and a server on the loopback is not taken from its clients."""
    outcome = run(f"""
server = made(); server.bind(("127.0.0.1", 0))
for client in (made(), made()):
    client.sendto(b"in", server.getsockname())
    packet, sender = server.recvfrom(9)
    server.sendto(packet, sender)
    print(client.recv(9))
print(tried(server.sendto, b"x", ("192.0.2.1", 9)))
client.sendto(b"in", server.getsockname())
print(server.recv(9))
client.sendto(b"out", ("127.0.0.1", {echo.port}))
print(client.recv(9), tried(client.sendto, b"in", server.getsockname()))
""")
    assert outcome.output == "b'in'\nb'in'\nEPERM\nb'in'\nb'OUT' ENETUNREACH\n"
    assert asked(outcome) == [("sendto", f"127.0.0.1:{echo.port}")]


def test_a_time_limit_that_was_set_before_still_holds() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        outcome = run(f"""
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 0, 100_000))
os.set_inheritable(client.fileno(), True)
client.connect(("127.0.0.1", {silent.getsockname()[1]}))
print(tried(client.recv, 9), os.get_inheritable(client.fileno()))
""")
    assert outcome.output == "EAGAIN True\n"


EXCHANGED = """
import ctypes, threading
libc = ctypes.CDLL(None, use_errno=True)
def address(port): return struct.pack("=H", socket.AF_INET) + struct.pack("!H4s8x", port, bytes([127, 0, 0, 1]))
place = ctypes.create_string_buffer(address(PORT), 16)
client = made(); another = made()
thread = threading.Thread(target=lambda: libc.sendto(client.fileno(), b"escaped", 7, 0, place, 16))
thread.start()
open("FIFO").read()
WHAT
open("FIFO.done", "w").close()
thread.join()
client.sendto(b"one", ("127.0.0.1", PORT))
print(client.recv(9))
"""


@pytest.mark.parametrize("what", ["place[:16] = address(OTHER)", "os.dup2(another.fileno(), client.fileno())"])
def test_what_is_changed_after_the_question_reaches_nobody_else(
    echo: Echo, other: Echo, tmp_path: Path, what: str
) -> None:
    """Required: two sides. The kernel reads the address again after the yes; from there no other leads anywhere."""
    for name in ("fifo", "fifo.done"):
        os.mkfifo(tmp_path / name)
    script = EXCHANGED.replace("WHAT", what).replace("PORT", str(echo.port)).replace("OTHER", str(other.port))
    argv = (sys.executable, "-I", "-S", "-c", CLIENT + script.replace("FIFO", str(tmp_path / "fifo")))

    def exchanged(held: HeldCall) -> tuple[Grant, ...]:
        if held.number == 1:
            (tmp_path / "fifo").write_text("go")
            (tmp_path / "fifo.done").read_text()
        return yes(held)

    outcome = run_held(helper_path(), plan_for(*argv, network="off", write=(str(tmp_path),)), exchanged)
    assert outcome.output == "b'ONE'\n"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outside:
        outside.sendto(b"from outside", ("127.0.0.1", other.port))
    assert (echo.stop(), other.stop()) == ([b"one"], [b"from outside"])


def test_nobody_is_asked_any_more_when_the_process_is_gone() -> None:
    argv = (sys.executable, "-I", "-S", "-c", CLIENT + """
child = os.fork()
if not child:
    made().sendto(b"x", ("192.0.2.1", 9))
os.waitpid(child, 0)
print("over")
""")  # fmt: skip
    running = HeldRun(helper_path(), plan_for(*argv, network="off").but(holds_calls=True))
    running.serve(until=lambda: bool(running.child.held))
    os.kill(running.child.held[0].refused.pid, signal.SIGKILL)
    running.serve(until=lambda: bool(running.child.let_go))
    outcome = running.finish()
    assert (outcome.output, outcome.let_go) == ("over\n", [1])


def test_a_host_of_the_plan_takes_no_question_where_somebody_answers(echo: Echo) -> None:
    script = f"""
client = made()
client.sendto(b"one", ("127.0.0.1", {echo.port}))
print(client.recv(9))
client = made()
client.connect(("127.0.0.1", {echo.port}))
client.send(b"two")
print(client.recv(9))
"""
    argv = (sys.executable, "-I", "-S", "-c", CLIENT + script)
    outcome = run_held(helper_path(), plan_for(*argv, network="off", hosts=(f"127.0.0.1:{echo.port}",)), no)
    assert (outcome.output, outcome.held) == ("b'ONE'\nb'TWO'\n", [])


def test_a_flood_is_bounded_and_the_next_one_is_still_served(echo: Echo) -> None:
    """More sockets than relays, more bytes than buffers: what is too much is lost, as datagrams are."""
    outcome = run(f"""
there = ("127.0.0.1", {echo.port})
flood = made(); flood.connect(there)
for _ in range(2000): flood.send(bytes(32768))
kept = []
for number in range(150):
    kept.append(made())
    kept[-1].sendto(b"%d" % number, there)
    while (heard := kept[-1].recv(99)) != b"%d" % number: pass
print(heard)
""")
    assert outcome.output == "b'149'\n"
    assert len(outcome.held) == 1


def test_who_shares_a_socket_and_who_has_copied_it(echo: Echo) -> None:
    """The number that was used is exchanged: what was copied before stays as it was; later copies share."""
    outcome = run(f"""
there = ("127.0.0.1", {echo.port})
client = made(); copied = client.dup()
client.sendto(b"one", there)
print(client.recv(9), tried(copied.send, b"x"))
copied.settimeout({LIMIT_S})
copied.sendto(b"two", there)
print(copied.recv(9))
child = os.fork()
if not child:
    client.sendto(b"three", there)
    os._exit(0)
os.waitpid(child, 0)
print(client.recv(9))
client.close(); copied.close()
client = made()
client.sendto(b"four", there)
print(client.recv(9))
""")
    assert outcome.output == "b'ONE' EDESTADDRREQ\nb'TWO'\nb'THREE'\nb'FOUR'\n"
    assert len(outcome.held) == 1


def test_a_name_that_was_given_is_sent_to_without_a_question_and_sorted_without_one(echo: Echo) -> None:
    """Resolvers connect a datagram socket to each address that they have found, and send nothing."""
    name = "a.example"
    query = name_question(name)
    outcome = run(f"""
stream = socket.socket()
stream.connect(("192.0.2.53", 53))
packet = {query!r}
stream.sendall(len(packet).to_bytes(2, "big") + packet)
stream.recv(999)
client = made()
print(tried(client.connect, ("127.0.0.1", {echo.port})))
client.sendto(b"one", ("127.0.0.1", {echo.port}))
print(client.recv(9))
""", lambda _held: HeldAnswer((Grant("host", name),), hosts=(FoundHost(name, ("127.0.0.1",)),)))  # fmt: skip
    assert outcome.output == "ENETUNREACH\nb'ONE'\n"
    assert [held.refused.address for held in outcome.held] == [name]


def name_question(name: str) -> bytes:
    labels = b"".join(bytes([len(each)]) + each for each in name.encode().split(b"."))
    return bytes([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]) + labels + bytes([0, 0, 1, 0, 1])


def test_sockets_of_other_kinds_are_as_they_were() -> None:
    """An echo request is no datagram of UDP, though its socket is one of datagrams."""
    outcome = run("""
ping = tried(socket.socket, socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)
print(ping if isinstance(ping, str) else tried(ping.sendto, b"x" * 8, ("192.0.2.1", 0)))
""")
    assert outcome.output.strip() in ("EPERM", "EACCES", "EPROTONOSUPPORT")
    assert outcome.held == []


def test_a_host_that_cannot_be_reached_is_told_as_it_was() -> None:
    """Required: a yes does not help there; the errno is that of the host's network, if it has no way to it."""
    outcome = run('print(tried(made().connect, ("192.0.2.1", 9)))')
    (performed,) = outcome.performed
    expected = errno.errorcode[performed.error] if performed.error else "None"
    assert outcome.output == f"{expected}\n"

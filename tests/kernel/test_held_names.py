"""Names that a command looks up wait for an answer, and are looked up outside when it is a yes."""

import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator

import pytest

from sandgate.kernel.build import helper_path
from sandgate.protocol.held_calls import FoundHost, HeldAnswer, HeldCall
from sandgate.protocol.permissions import Grant
from support.kernel.held_runs import HeldOutcome, HeldRun, run_held
from support.kernel.helper_runs import plan_for
from support.kernel.server import Greeter

pytestmark = pytest.mark.host("namespace", "notify")

NAME = "a.example"
ADDRESSES = ("192.0.2.7", "2001:db8::7")  # RFC 5737, RFC 3849: nobody's
HOST = FoundHost(NAME, ADDRESSES)

# What a resolver does, without one: whichever C library is here, and whatever it is told.
RESOLVER = """
import errno, os, socket, struct, sys
SERVER = ("192.0.2.53", 53)
A, AAAA, TXT, HTTPS = 1, 28, 16, 65
def question(name, kind=A, number=7, flags=0x0100, count=1, family=1, more=b""):
    labels = b"".join(bytes([len(each)]) + each for each in name.encode().split(b"."))
    return struct.pack(">6H", number, flags, count, 0, 0, 0) + labels + b"\\0" + struct.pack(">2H", kind, family) + more
def datagrams():
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.connect(SERVER)
    return made
def stream():
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.connect(SERVER)
    return made
def framed(packet):
    return len(packet).to_bytes(2, "big") + packet
def read(made):
    head = made.recv(2, socket.MSG_WAITALL)
    return made.recv(int.from_bytes(head, "big"), socket.MSG_WAITALL) if head else b""
def said(answer):
    if not answer:
        return "nothing"
    number, flags, _, count = struct.unpack(">4H", answer[:8])
    if flags & 0x0200:
        return "cut off"
    if flags & 15 in (1, 5):
        return {1: "unreadable", 5: "refused"}[flags & 15]
    at = answer.index(b"\\0", 12) + 5
    found = []
    for _ in range(count):
        size = int.from_bytes(answer[at + 10 : at + 12], "big")
        found.append(socket.inet_ntop({4: socket.AF_INET, 16: socket.AF_INET6}[size], answer[at + 12 : at + 12 + size]))
        at += 12 + size
    return " ".join(found) or {0: "none", 3: "no such name", 4: "not done"}[flags & 15]
def asked(made, packet):
    made.send(packet)
    return said(made.recv(2048))
def by_stream(name, kind=A):
    with stream() as made:
        made.sendall(framed(question(name, kind)))
        return said(read(made))
"""

Answers = Callable[[HeldCall], FoundHost | None]
"""What a held name stands for; None is a no."""


def allowed(_held: HeldCall) -> FoundHost:
    return HOST


def refused(_held: HeldCall) -> None:
    return None


def run(script: str, answers: Answers = allowed) -> HeldOutcome:
    def answer(held: HeldCall) -> HeldAnswer:
        host = answers(held)
        return HeldAnswer() if host is None else HeldAnswer((Grant("host", host.name),), hosts=(host,))

    argv = (sys.executable, "-I", "-S", "-c", RESOLVER + script)
    return run_held(helper_path(), plan_for(*argv, network="off"), answer)


def names(outcome: HeldOutcome) -> list[str | None]:
    return [held.refused.address for held in outcome.held]


def test_a_yes_gives_the_addresses_that_were_found_outside() -> None:
    """Required: asked once, by the name; the datagram sends the resolver to a connection, which waits."""
    outcome = run(f'''
with datagrams() as made:
    print(asked(made, question("{NAME}")))
    print(asked(made, question("{NAME}", AAAA)))
    print(by_stream("{NAME}"), by_stream("{NAME}", AAAA))
    print(asked(made, question("{NAME.upper()}")), asked(made, question("{NAME}", HTTPS)))
''')
    assert outcome.output.splitlines()[0] == "cut off"
    assert outcome.output.splitlines()[2:] == ["192.0.2.7 2001:db8::7", "192.0.2.7 none"]
    assert names(outcome) == [NAME]
    assert [(call.number, call.path) for call in outcome.performed] == [(1, NAME)]
    assert outcome.refused == []


def test_a_no_ends_the_lookup_at_once_and_is_not_asked_again() -> None:
    outcome = run(f'''
made = datagrams()
print(asked(made, question("{NAME}")), by_stream("{NAME}"))
made = datagrams()
print(asked(made, question("{NAME}")), by_stream("{NAME}"))
''', refused)  # fmt: skip
    assert outcome.output == "cut off nothing\nrefused nothing\n"
    assert names(outcome) == [NAME]
    assert [(each.operation, each.address, each.errno) for each in outcome.refused] == [("connect", NAME, "EPERM")]


def test_a_name_without_addresses_is_said_not_to_exist() -> None:
    outcome = run(f'print(by_stream("{NAME}"))', lambda _held: FoundHost(NAME, ()))
    assert outcome.output == "no such name\n"


@pytest.fixture
def greeter() -> Iterator[Greeter]:
    server = Greeter(socket.create_server(("127.0.0.1", 0)))
    yield server
    server.close()


CALL = f"""
print(by_stream("{NAME}"))
def call(address, port):
    with socket.socket(socket.AF_INET) as made:
        try:
            made.connect((address, port))
            made.sendall(b"caller")
            return made.recv(9)
        except OSError as problem:
            return errno.errorcode[problem.errno]
"""


def test_the_addresses_of_a_given_name_are_reached_at_any_port(greeter: Greeter) -> None:
    """On the host's loopback, since there is no other network: the name is said to open it."""
    port = greeter.server.getsockname()[1]
    outcome = run(
        f'{CALL}\nprint(call("127.0.0.1", {port}), call("192.0.2.1", {port}))',
        lambda held: FoundHost(NAME, ("127.0.0.1",)) if held.refused.address == NAME else None,
    )
    assert outcome.output == "127.0.0.1\nb'hello' EPERM\n"
    assert names(outcome) == [NAME, f"192.0.2.1:{port}"]
    greeter.stop()
    assert greeter.heard == [b"caller"]


def test_an_address_that_the_name_does_not_open_is_asked_about_by_itself(greeter: Greeter) -> None:
    """Required: who owns a name says what it stands for, and may say the loopback."""
    port = greeter.server.getsockname()[1]
    outcome = run(
        f'{CALL}\nprint(call("127.0.0.1", {port}))',
        lambda held: FoundHost(NAME, ("127.0.0.1",), ("127.0.0.1",)) if held.refused.address == NAME else None,
    )
    assert outcome.output == "127.0.0.1\nECONNREFUSED\n"
    assert names(outcome) == [NAME, f"127.0.0.1:{port}"]
    greeter.stop()
    assert greeter.heard == []


def test_what_is_no_question_about_addresses_is_refused_and_asked_of_nobody() -> None:
    """Other kinds and classes, replies, two questions, pointers that go round, what is cut off, what is too long."""
    outcome = run(f"""
made = datagrams()
print(asked(made, question("{NAME}", TXT)), asked(made, question("{NAME}", A, family=3)))
hostile = [b"", b"x", question("a.example")[:12], question("a.example")[:20], question("a.example")[:-4],
    question("a.example", flags=0x8100), question("a.example", flags=0x2800), question("a.example", count=2),
    struct.pack(">6H", 1, 0x100, 1, 0, 0, 0) + b"\\xc0\\x0c\\0\\1\\0\\1",
    struct.pack(">6H", 1, 0x100, 1, 0, 0, 0) + b"\\x3f" * 60,
    struct.pack(">6H", 1, 0x100, 1, 0, 0, 0) + (b"\\x3f" + b"a" * 63) * 5 + b"\\0\\0\\1\\0\\1",
    question("10.0.0.1:80"), question("a b.example"), question("unix:x"), question("*"), question("a\\x1b[2J.example"),
    b"\\xff" * 65000]
for packet in hostile:
    with datagrams() as made:
        made.send(packet)
        made.send(question("{NAME}", TXT, number=99))
        while int.from_bytes((answer := made.recv(2048))[:2], "big") != 99:
            assert said(answer) in ("unreadable", "refused"), packet
    with stream() as made:
        try:
            made.sendall(framed(packet[:65535]))
            made.shutdown(socket.SHUT_WR)
            assert read(made) == b"", packet
        except OSError as problem:
            assert problem.errno in (errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN), problem
print(by_stream("{NAME}"))
""")
    assert outcome.output == "not done not done\n192.0.2.7\n"
    assert names(outcome) == [NAME]


def test_a_flood_of_names_is_one_bounded_queue() -> None:
    """Required: no more wait than the table holds; what is beyond is refused, and the first still gets its answer."""
    outcome = run("""
made = datagrams()
for number in range(200):
    try:
        made.send(question(f"n{number}.example"))
    except BrokenPipeError:
        break
print(by_stream("n0.example"))
""", lambda held: FoundHost(held.refused.address or "", ADDRESSES[:1]))  # fmt: skip
    assert outcome.output == "192.0.2.7\n"
    assert len(outcome.held) <= 64 + 1


def test_nobody_is_asked_any_more_when_the_process_is_gone() -> None:
    """Its question is taken back; the command goes on."""
    argv = (sys.executable, "-I", "-S", "-c", RESOLVER + f"""
child = os.fork()
if not child:
    by_stream("{NAME}")
os.waitpid(child, 0)
print("over")
""")  # fmt: skip
    running = HeldRun(helper_path(), plan_for(*argv, network="off").but(holds_calls=True))
    running.serve(until=lambda: bool(running.child.held))
    os.kill(running.child.held[0].refused.pid, signal.SIGKILL)
    running.serve(until=lambda: bool(running.child.let_go))
    outcome = running.finish()
    assert (outcome.output, outcome.let_go) == ("over\n", [1])


def test_what_is_sent_by_address_waits_and_is_answered_from_there() -> None:
    """Required: as musl asks: the call waits, not the reply, which comes from the server and lies there afterwards."""
    outcome = run(f"""
made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
made.bind(("", 0))
for kind in (A, AAAA):
    packet = question("{NAME}", kind)
    assert made.sendto(packet, SERVER) == len(packet)
made.setblocking(False)
for _ in range(2):
    answer, server = made.recvfrom(2048)
    print(said(answer), server == SERVER)
""")
    assert outcome.output == "192.0.2.7 True\n2001:db8::7 True\n"
    assert names(outcome) == [NAME]


def test_a_no_to_what_is_sent_by_address_is_a_name_that_does_not_exist() -> None:
    outcome = run(f"""
made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
made.sendto(question("{NAME}"), SERVER)
print(said(made.recv(2048)))
""", refused)  # fmt: skip
    assert outcome.output == "no such name\n"
    assert [each.address for each in outcome.refused] == [NAME]


def test_the_sockets_of_a_resolver_reach_nobody_else() -> None:
    """Required: two sides. The same datagram comes to the server from outside, and not from such a socket."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(5)
        there = server.getsockname()
        attack = f"""
for made in (datagrams(), stream(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)):
    if made.type == socket.SOCK_DGRAM:
        made.sendto(question("{NAME}"), SERVER)
    for reach in (lambda: made.sendmsg([b"escaped"], [], 0, {there!r}), lambda: made.sendto(b"escaped", {there!r}),
                  lambda: (made.connect({there!r}), made.send(b"escaped"))):
        try:
            reach()
        except OSError:
            pass
print("tried")
"""
        assert run(attack).output == "tried\n"
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outside:
            outside.sendto(b"from outside", there)
        assert server.recv(99) == b"from outside"


@pytest.mark.parametrize(
    ("host", "said"), [(None, "nothing"), (FoundHost(NAME, ()), "no such name")], ids=["no", "none"]
)
def test_what_a_resolver_tries_after_a_name_in_vain_is_no_further_question(host: FoundHost | None, said: str) -> None:
    """Required: the domains of its list, one after the other; another name beside it is a question."""
    tried = f'by_stream("{NAME}"), by_stream("{NAME}.corp.example"), by_stream("b{NAME}")'
    outcome = run(
        f"print(*({tried}), sep=', ')", lambda held: host if held.refused.address == NAME else HOST.but(name=f"b{NAME}")
    )
    assert outcome.output == f"{said}, {said}, 192.0.2.7\n"
    assert names(outcome) == [NAME, f"b{NAME}"]
    assert [each.address for each in outcome.refused] == ([NAME] if host is None else [])


@pytest.mark.parametrize("server", ["2001:db8::53", "::ffff:192.0.2.53", "::1"])
def test_a_server_of_either_family_is_answered_for(server: str) -> None:
    """Over datagrams, over a stream, and by address, from the address that was asked."""
    outcome = run(f"""
server = ({server!r}, 53, 0, 0)
with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as made:
    made.connect(server)
    made.sendall(framed(question("{NAME}")))
    print(said(read(made)))
with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as made:
    made.connect(server)
    print(asked(made, question("{NAME}", AAAA)), made.getpeername() == server)
with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as made:
    made.sendto(question("{NAME}"), server)
    answer, sender = made.recvfrom(2048)
    print(said(answer), sender == server)
""")
    assert outcome.output == "192.0.2.7\n2001:db8::7 True\n192.0.2.7 True\n"
    assert names(outcome) == [NAME]

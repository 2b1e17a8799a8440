"""Ports of live commands on this host's loopback, from a program: real servers in sandboxes, requests from the host."""

from __future__ import annotations

import asyncio
import errno
import socket
import sys
from contextlib import closing
from http.client import HTTPConnection

import pytest

from sandgate.errors import PortUnavailable, RequestError
from sandgate.runtime.aio import AsyncGate
from sandgate.terminals.session_ports import SHOWN_MAX, SessionPorts
from sandgate.terminals.shown_ports import PORT_MAX, PortWish
from support.process.waiting import none_left_open, open_descriptors, wait_until
from support.terminal.live_sessions import Workplace, run_to_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from sandgate.runtime.runtime import Runtime

pytestmark = pytest.mark.host("namespace", "notify")

PORT = 4242
LIMIT_S = 20
SERVE = f"""{sys.executable} -c '
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"from inside")
server = HTTPServer(("127.0.0.1", %s), Page)
print("serving", flush=True)
server.serve_forever()
'"""


def serving(session: Runtime, port: int = PORT) -> tuple[int, tuple[str, ...]]:
    """The number of a server that is up, and what was noted beside its output."""
    started = session.exec_command(SERVE % port, login=False, yield_time_ms=250)
    assert started.session_id is not None, started
    notices = started.notices
    if "serving" not in started.output:
        answer = session.write_stdin(started.session_id, yield_time_ms=20_000, wait_for=["serving"])
        assert "serving" in answer.output
        notices += answer.notices
    return started.session_id, notices


def page(host_port: int) -> tuple[int, bytes]:
    with closing(HTTPConnection("127.0.0.1", host_port, timeout=LIMIT_S)) as browser:
        browser.request("GET", "/")
        answer = browser.getresponse()
        return answer.status, answer.read()


def reached(host_port: int) -> int:
    """0, or the errno of there being nobody."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", host_port))


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def test_a_port_is_shown_until_it_is_closed(place: Workplace) -> None:
    """Required, both halves: before and after nobody on the host reaches it."""
    session, host_port = place.session(), free_port()
    number, _ = serving(session)
    assert reached(host_port) == errno.ECONNREFUSED
    with session.show_port(PORT, host_port=host_port) as shown:
        assert (shown.port, shown.host_port, shown.session_id) == (PORT, host_port, number)
        assert shown.url == f"http://127.0.0.1:{host_port}/"
        assert page(host_port) == (200, b"from inside")
        assert [(each.port, each.session_id, each.network, each.host_port) for each in session.list_ports()] == [
            (PORT, number, "own", host_port)
        ]
    assert reached(host_port) == errno.ECONNREFUSED
    assert [each.host_port for each in session.list_ports()] == [None]
    session.show_port(PORT, host_port=host_port).close()  # and again


def test_it_ends_with_its_command_and_with_its_session(place: Workplace) -> None:
    session, host_port = place.session(), free_port()
    ends: list[Callable[[int], object]] = [session.terminate, lambda _: session.close()]
    for end in ends:
        number, _ = serving(session)
        shown = session.show_port(PORT, host_port=host_port)
        assert page(host_port) == (200, b"from inside")
        end(number)
        assert wait_until(lambda: reached(host_port) == errno.ECONNREFUSED)
        assert shown.closed


def test_a_program_that_was_started_as_a_terminal_is_shown_too(place: Workplace) -> None:
    session, host_port = place.session(), free_port()
    terminal = session.terminal(("sh", "-c", SERVE % PORT), tty=False)
    assert terminal.wait_for(["serving"], timeout_ms=20_000)
    with session.show_port(PORT, host_port=host_port):
        assert page(host_port) == (200, b"from inside")


def test_showing_leaves_nothing_behind(place: Workplace) -> None:
    session = place.session()
    serving(session)
    session.show_port(PORT, host_port=free_port()).close()
    before = open_descriptors()
    for _ in range(3):
        session.show_port(PORT, host_port=free_port()).close()
    assert none_left_open(before)


# What cannot be shown


def test_a_port_that_nobody_serves_names_those_that_are(place: Workplace) -> None:
    session = place.session()
    with pytest.raises(RequestError) as nobody:
        session.show_port(PORT)
    assert (nobody.value.what, nobody.value.why) == (
        f"no live command of this session serves port {PORT}",
        "none of them serves any port",
    )
    serving(session)
    with pytest.raises(RequestError, match="serves port 5173") as other:
        session.show_port(5173)
    assert other.value.why == f"they serve {PORT}"
    assert place.session().list_ports() == ()  # another session's are nobody's business


@pytest.mark.parametrize("port", [0, -1, PORT_MAX + 1, 10**30, "4242", 80.0, True, None])
def test_what_is_no_port_is_refused_in_one_sentence(place: Workplace, port: Any) -> None:
    with pytest.raises(RequestError, match="is no port") as refused:
        place.session().show_port(port)
    assert refused.value.why == f"a number from 1 to {PORT_MAX} is wanted"


def test_a_port_that_is_shown_already_says_where(place: Workplace) -> None:
    session, host_port = place.session(), free_port()
    serving(session)
    with session.show_port(PORT, host_port=host_port):
        with pytest.raises(RequestError, match=f"already shown at http://127.0.0.1:{host_port}/"):
            session.show_port(PORT, host_port=free_port())
        assert page(host_port) == (200, b"from inside")


def test_a_port_of_the_host_that_is_taken_or_not_for_commands_is_named_with_another(place: Workplace) -> None:
    session = place.session()
    serving(session)
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = server.getsockname()[1]
        with pytest.raises(PortUnavailable, match="somebody listens there already") as refused:
            session.show_port(PORT, host_port=taken)
    assert refused.value.hint is not None
    assert "host_port=" in refused.value.hint
    with pytest.raises(RequestError, match="port 80 of this host is not used for commands") as low:
        session.show_port(PORT, host_port=80)
    assert low.value.hint == "choose another one for it: `host_port=8080`"


@pytest.mark.parametrize("backend", [pytest.param("landlock", marks=pytest.mark.host("landlock")), "none"])
def test_a_port_on_the_hosts_own_network_needs_no_showing(place: Workplace, backend: str) -> None:
    session, port = place.session(network="on", backend=backend), free_port()
    _, notices = serving(session, port)
    assert [(each.port, each.network, each.host_port) for each in session.list_ports()] == [(port, "host", None)]
    with pytest.raises(RequestError, match="needs no relay"):
        session.show_port(port)
    assert notices == ()


def test_a_session_shows_a_bounded_number(place: Workplace) -> None:
    ports = SessionPorts(place.session().live.table)
    for at in range(SHOWN_MAX):
        ports._reserve(PortWish(5000 + at, 5000 + at), 1)
    with pytest.raises(RequestError, match=f"{SHOWN_MAX} ports are shown already"):
        ports._reserve(PortWish(9000, 9000), 1)
    ports.ended(1)
    ports._reserve(PortWish(9000, 9000), 1)


def test_one_that_was_closed_while_it_began_is_not_shown(place: Workplace) -> None:
    """Required: the end of its command may come between finding it and showing it."""
    shown = SessionPorts(place.session().live.table)._reserve(PortWish(5000, 5000), 1)
    shown.close()
    closed: list[str] = []

    class Served:
        def close(self) -> None:
            closed.append("closed")

    assert shown.begin(Served()) is False  # type: ignore[arg-type]
    assert closed == ["closed"]


# On an event loop


def test_the_same_on_an_event_loop(place: Workplace) -> None:
    async def shows() -> None:
        gate, host_port = AsyncGate(session), free_port()
        (row,) = await gate.list_ports()
        assert (row.port, row.host_port) == (PORT, None)
        with await gate.show_port(PORT, host_port=host_port):
            assert await asyncio.to_thread(page, host_port) == (200, b"from inside")
            with pytest.raises(RequestError, match="already shown"):
                await gate.show_port(PORT)

    session = place.session()
    serving(session)
    asyncio.run(shows())


# What is said about it


def test_an_answer_says_once_how_a_person_shows_the_port(place: Workplace) -> None:
    """Required: in one line, for who reads nothing but the text."""
    session = place.session()
    number, notices = serving(session)
    said = (
        f"it listens on {PORT}, for this session's commands alone; "
        f"a person shows it in a browser with `sandgate ports serve {PORT}`"
    )
    later = session.write_stdin(number, yield_time_ms=250)
    assert [*notices, *later.notices] == [said]
    assert session.call_tool("exec_list", {}).text.endswith(f"\n  {said}")


def test_no_tool_of_a_model_shows_a_port(place: Workplace) -> None:
    """Required, both halves: a person's program can, and a command that tries finds no session to enter."""
    session, host_port = place.session(), free_port()
    serving(session)
    script = (
        f"{sys.executable} -c 'from sandgate.surfaces.cli.main import main; "
        f'import sys; sys.exit(main(["ports", "serve", "{host_port}:{PORT}"]))\''
    )
    environ = {"PYTHONPATH": ":".join(filter(None, sys.path))}
    tried = place.session(environ=environ)
    assert "no sandboxed command of this user serves port" in run_to_end(tried, script).output
    assert reached(host_port) == errno.ECONNREFUSED
    with session.show_port(PORT, host_port=host_port):
        assert reached(host_port) == 0

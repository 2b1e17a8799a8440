"""One loopback for all commands of a session while the network is off: what one call serves, the next one reaches."""

from __future__ import annotations

import socket
import sys

import pytest

from live_sessions import Workplace, run_to_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.runtime.runtime import Runtime

pytestmark = pytest.mark.host("namespace", "notify")

PORT = 4242
SERVE = f"""{sys.executable} -c '
import socket
server = socket.create_server(("127.0.0.1", {PORT}))
print("serving", flush=True)
while True:
    peer, _ = server.accept()
    peer.sendall(b"hello from the first call")
    peer.close()
'"""
ASK = (
    f"""{sys.executable} -c 'import socket; print(socket.create_connection(("127.0.0.1", {PORT})).recv(99).decode())'"""
)
HELLO = "hello from the first call"


def serving(session: Runtime, script: str = SERVE) -> int:
    """The number of a server that is up."""
    started = session.exec_command(script, login=False, yield_time_ms=250)
    assert started.session_id is not None
    if "serving" not in started.output:
        assert "serving" in session.write_stdin(started.session_id, yield_time_ms=20_000, wait_for=["serving"]).output
    return started.session_id


@pytest.mark.parametrize("before", [0, 1])
def test_a_server_started_in_one_call_is_reached_from_the_next(place: Workplace, before: int) -> None:
    """Required: also where it is the first command of the session."""
    session = place.session()
    for _ in range(before):
        run_to_end(session, "true")
    serving(session)
    assert [HELLO in run_to_end(session, ASK).output for _ in range(2)] == [True, True]


def test_what_runs_in_one_call_is_reached_from_a_shell_that_lives(place: Workplace) -> None:
    session = place.session()
    shell = session.exec_command("sh", tty=True, login=False).session_id
    assert shell is not None
    serving(session)
    answer = session.write_stdin(shell, f"{ASK}; echo over''now\n", yield_time_ms=20_000, wait_for=["overnow"])
    assert HELLO in answer.output


def test_a_server_of_one_session_is_nobody_elses(place: Workplace) -> None:
    """Not another session's, and not the host's."""
    session, other = place.session(), place.session()
    serving(session)
    assert "ConnectionRefusedError" in run_to_end(other, ASK).output
    with socket.socket() as ours:
        assert ours.connect_ex(("127.0.0.1", PORT)) != 0


def test_a_port_is_free_again_when_its_command_is_over(place: Workplace) -> None:
    session = place.session()
    once = SERVE.replace("while True:", "for _ in range(1):")
    for _ in range(2):
        number = serving(session, once)
        assert HELLO in run_to_end(session, ASK).output
        assert session.write_stdin(number, yield_time_ms=20_000).exit_code == 0

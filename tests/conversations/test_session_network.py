"""One loopback for all commands of a session while the network is off: what one call serves, the next one reaches."""

from __future__ import annotations

import socket
import sys

import pytest

from support.terminal.live_sessions import Workplace, run_to_end

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


def seeking(port: int, family: str = "AF_INET", kind: str = "SOCK_STREAM") -> str:
    address = "127.0.0.1" if family == "AF_INET" else "::1"
    return (
        f"{sys.executable} -c 'import socket, sys; "
        f'seeker = socket.socket(socket.{family}, socket.{kind}); sys.exit(seeker.connect_ex(("{address}", {port})))\''
    )


def test_an_empty_port_says_who_serves_another(place: Workplace) -> None:
    """Required: the one thing a program cannot tell by itself, in the answer of its own call."""
    session = place.session()
    number = serving(session)
    said = [run_to_end(session, seeking(5432, family)).notices for family in ("AF_INET", "AF_INET6")]
    shown = f"command {number} `{' '.join(SERVE.split())[:20]}"
    for address, notices in zip(("127.0.0.1:5432", "[::1]:5432"), said, strict=True):
        (notice,) = notices
        assert notice.startswith(f"nothing listens on {address} here; {shown}"), notice
        assert notice.endswith(f" listens on {PORT}")


def test_a_one_shot_call_hears_the_same(place: Workplace) -> None:
    session = place.session()
    serving(session)
    passage = session.run(session.request(("sh", "-c", seeking(5432))))
    assert passage.attempts[-1].remarks[0].startswith("nothing listens on 127.0.0.1:5432 here; command ")


@pytest.mark.parametrize(
    "script",
    [
        seeking(PORT),  # somebody is there
        f"{seeking(5432)}; true",  # it coped
        f"{seeking(5432, kind='SOCK_DGRAM')}; false",  # what resolvers do to sort addresses meets nobody ever
        "false",
    ],
)
def test_who_lacks_no_server_is_told_of_none(place: Workplace, script: str) -> None:
    session = place.session()
    serving(session)
    assert run_to_end(session, script).notices == ()


def test_a_server_left_in_the_background_is_missed_with_a_word_on_where_it_went(place: Workplace) -> None:
    """Required: it ended with its call, which nobody sees who only meets nobody at the port."""
    session = place.session()
    left = run_to_end(session, f"{SERVE} > up & until grep -qs serving up; do :; done; echo up")
    assert (left.exit_code, left.output) == (0, "up\n")
    (notice,) = run_to_end(session, seeking(PORT)).notices
    assert notice.startswith(f"nothing listens on 127.0.0.1:{PORT} here; `{sys.executable} -c ' import socket")
    assert notice.endswith("ends with it: a server stays up as a command of its own, without `&`")
    serving(session)
    assert run_to_end(session, seeking(PORT)).notices == ()


def test_where_nobody_serves_anything_nothing_is_said(place: Workplace) -> None:
    """The command itself is nobody else, and the host's servers are told as what the sandbox refused."""
    session = place.session()
    alone = run_to_end(session, seeking(5432))
    with socket.create_server(("127.0.0.1", 0)) as server:
        hosts = run_to_end(session, seeking(server.getsockname()[1]))
    assert (alone.notices, len(hosts.notices)) == ((), 1)
    assert "the sandbox refused" in hosts.notices[0]


def test_a_command_that_goes_on_trying_is_told_once_while_it_runs(place: Workplace) -> None:
    session = place.session()
    waiter = session.exec_command(
        f"until {seeking(5432)}; do echo tried; read again; done", tty=True, login=False, yield_time_ms=250
    )
    assert waiter.session_id is not None
    server = serving(session)
    answers = [
        session.write_stdin(waiter.session_id, "\n", yield_time_ms=20_000, wait_for=["tried"]).notices for _ in range(2)
    ]
    assert [len(notices) for notices in answers] == [1, 0]
    assert f"nothing listens on 127.0.0.1:5432 here; command {server} " in answers[0][0]

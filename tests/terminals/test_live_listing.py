"""What is said about the live commands of a session."""

from __future__ import annotations

import pytest

from sandgate.protocol.trace import TerminalBegan
from sandgate.terminals.live_listing import display
from support.process.waiting import wait_until
from support.terminal.live_sessions import BACKENDS, Workplace, is_running, shell

pytestmark = pytest.mark.host("namespace", "notify")

SERVER = "exec python3 -m http.server --bind 127.0.0.1 8123"


def test_nothing_lives_nothing_is_listed(place: Workplace) -> None:
    runtime = place.session()
    assert runtime.list_live() == ()
    runtime.exec_command("true", login=False)
    assert runtime.list_live() == ()


@pytest.mark.parametrize("backend", BACKENDS)
def test_live_command_is_described(place: Workplace, backend: str) -> None:
    runtime = place.session(backend=backend)
    number = shell(runtime)
    (listed,) = runtime.list_live()
    assert (listed.session_id, listed.tty, listed.state, listed.exit_code) == (number, True, "idle", None)
    assert (listed.command, listed.cwd) == ("exec bash --norc --noprofile -i", str(place.repo))
    assert (listed.backend, listed.network) == (backend, "on" if backend == "none" else "off")
    assert listed.item_id == next(each.call_id for each in place.told(TerminalBegan))
    assert (listed.total_bytes > 0, listed.omitted_bytes, listed.rss_bytes > 500_000) == (True, 0, True)
    assert listed.os_pid is not None
    assert is_running(listed.os_pid)


def test_oldest_comes_first_and_the_last_used_is_told(place: Workplace) -> None:
    runtime = place.session()
    numbers = [shell(runtime) for _ in range(3)]
    runtime.write_stdin(numbers[0], "true\r")
    listed = runtime.list_live()
    assert [each.session_id for each in listed] == numbers
    assert listed[0].last_used_ms_ago <= listed[1].last_used_ms_ago
    assert listed[0].started_ms_ago >= listed[1].started_ms_ago >= listed[2].started_ms_ago


def test_state_is_what_the_command_does_now(place: Workplace) -> None:
    runtime = place.session()
    number = shell(runtime)
    states = []
    for text in ("python3 -c 'input()'\r", "x\r", "sleep 1000\r", "\x1a"):
        runtime.write_stdin(number, text)
        states.append(runtime.list_live()[0].state)
    assert states == ["waiting_for_input", "idle", "running", "idle"]


def test_command_that_is_over_stays_listed_until_its_end_was_told(place: Workplace) -> None:
    runtime = place.session()
    number = runtime.exec_command("sleep 0.5; exit 4", yield_time_ms=250, login=False).session_id
    assert wait_until(lambda: runtime.list_live()[0].state == "exited")
    (listed,) = runtime.list_live()
    assert (listed.exit_code, listed.os_pid, listed.cpu_ms, listed.rss_bytes) == (4, None, 0, 0)
    assert runtime.write_stdin(number or 0).exit_code == 4
    assert runtime.list_live() == ()


def test_ports_are_told_of_the_commands_own_network(place: Workplace) -> None:
    """Two sessions may have the same port. In one session it is told of the command that has it, and of no other."""
    sessions = [place.session(), place.session()]
    for session in sessions:
        session.exec_command(SERVER, yield_time_ms=250, login=False)
        session.exec_command("sleep 600", yield_time_ms=250, login=False)
    for session in sessions:
        assert wait_until(lambda: [each.listening for each in session.list_live()] == [(8123,), ()])  # noqa: B023


@pytest.mark.parametrize(
    ("argv", "shown"),
    [
        (("/bin/bash", "-lc", "echo 'a b'"), "echo 'a b'"),
        (("sh", "-c", "x"), "x"),
        (("echo", "a b"), "echo 'a b'"),
        (("sh", "-c", "x", "y"), "sh -c x y"),
    ],
)
def test_shell_around_a_script_is_not_shown(argv: tuple[str, ...], shown: str) -> None:
    assert display(argv) == shown

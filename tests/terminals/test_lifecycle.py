"""What is done around a live command: protected names afterwards, granted files meanwhile, and a refused connection."""

from __future__ import annotations

import pytest

from sandgate.errors import TerminalFailed, UnknownTerminal
from sandgate.protocol.trace import Notice, TerminalEnded
from sandgate.testing import ReviewerDouble
from support.process.waiting import until_the_clock_of_files_moves, wait_until
from support.terminal.live_sessions import Workplace, run_to_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.runtime import Runtime

pytestmark = pytest.mark.host("namespace", "notify")

CONNECT = "bash connect 2>/dev/null"  # a script, because policy knows what the words in it do
STANDING_BY = "read end"


@pytest.fixture
def connecting(place: Workplace) -> Workplace:
    """A workspace with a script that connects; nobody answers there (TEST-NET-1)."""
    (place.repo / "connect").write_text("exec 3<>/dev/tcp/192.0.2.1/80\n")
    return place


def begin(runtime: Runtime, cmd: str) -> int:
    """A command that is live; its session id."""
    answer = runtime.exec_command(cmd, tty=True, yield_time_ms=500, login=False)
    assert answer.session_id is not None, answer
    return answer.session_id


def warnings(place: Workplace) -> list[str]:
    return [notice.message for notice in place.told(Notice)]


def test_a_protected_name_that_appeared_meanwhile_is_moved_away(place: Workplace) -> None:
    """Told once: a directory that has not just changed is compared with what it held before, too."""
    until_the_clock_of_files_moves(place.outside)
    runtime = place.session()
    number = begin(runtime, STANDING_BY)
    (place.repo / ".envrc").write_text("planted")
    assert runtime.write_stdin(number, "\r").exit_code == 0
    assert wait_until(lambda: warnings(place) != [])  # told when it has been moved
    (told,) = warnings(place)
    assert told.startswith(f"`{place.repo}/.envrc` was created in spite of its protection and was moved to ")
    assert not (place.repo / ".envrc").exists()


def test_a_protected_name_appears_and_the_session_is_closed(place: Workplace) -> None:
    runtime = place.session()
    begin(runtime, STANDING_BY)
    (place.repo / ".envrc").write_text("planted")
    runtime.close()
    assert not (place.repo / ".envrc").exists()


def test_a_protected_object_that_was_exchanged_is_reported(place: Workplace) -> None:
    (place.repo / ".git").mkdir()
    runtime = place.session()
    number = begin(runtime, STANDING_BY)
    (place.repo / ".git").rename(place.outside / "git")
    (place.repo / ".git").mkdir()
    assert runtime.write_stdin(number, "\r").exit_code == 0
    said = f"`{place.repo}/.git` is protected, and is gone or another object now: look at it"
    assert wait_until(lambda: warnings(place) == [said])


def test_an_untouched_workspace_is_told_nothing_about(place: Workplace) -> None:
    (place.repo / ".git").mkdir()
    runtime = place.session()
    number = begin(runtime, f"touch made; {STANDING_BY}")
    assert runtime.write_stdin(number, "\r").exit_code == 0
    assert warnings(place) == []


AFTER = 'sandbox.ask="after"'


def test_a_granted_new_file_is_made_by_the_run_that_may_and_by_nobody_else(place: Workplace) -> None:
    new = place.outside / "new"
    runtime = place.session(AFTER, reviewer=ReviewerDouble(always="approve"), approval_policy="on-failure")
    answer = run_to_end(runtime, f"[ ! -e {new} ] || exit 3; echo x >> runs; set -C; echo text > {new}")
    assert (answer.exit_code, new.read_text()) == (0, "text\n")
    assert (place.repo / "runs").read_text() == "x\nx\n"


@pytest.mark.parametrize("asks", ["at-call", "after"])
def test_a_granted_new_file_that_was_written_stays(place: Workplace, asks: str) -> None:
    new = place.outside / "new"
    runtime = place.session(
        f"sandbox.ask={asks}", reviewer=ReviewerDouble(always="approve"), approval_policy="on-failure"
    )
    answer = run_to_end(runtime, f"echo text > {new} || exit 1; sleep 0.5")
    assert (answer.exit_code, new.read_text()) == (0, "text\n")


@pytest.mark.host("landlock", "notify")
@pytest.mark.parametrize(
    "option", ["", "s.setsockopt(socket.IPPROTO_IP, 11, 1); "]
)  # IP_RECVERR, as a name is looked up
def test_a_refused_connection_ends_the_command_also_under_landlock(connecting: Workplace, option: str) -> None:
    runtime = connecting.session('terminals.on_network_denial="terminate"', 'sandbox.backend="landlock"')
    program = f"import socket; s = socket.socket(type=socket.SOCK_DGRAM); {option}s.connect(('192.0.2.53', 53))"
    with pytest.raises(TerminalFailed, match="Network access was denied"):
        runtime.exec_command(f'/usr/bin/env python3 -c "{program}"; exit 0', login=False)


def test_a_refused_connection_ends_the_command_and_the_next_call_says_why(connecting: Workplace) -> None:
    """Idea 51."""
    runtime = connecting.session('terminals.on_network_denial="terminate"')
    number = runtime.exec_command(
        f"echo begun; sleep 0.6; {CONNECT}; sleep 1000", yield_time_ms=250, login=False
    ).session_id
    assert number is not None
    with pytest.raises(
        TerminalFailed,
        match=r"^Unified exec process failed: Network access was denied by the Sandgate sandbox\.$",
    ):
        runtime.write_stdin(number)
    with pytest.raises(UnknownTerminal):
        runtime.write_stdin(number)
    (end,) = connecting.told(TerminalEnded)
    assert (end.status, end.exit_code, end.output) == ("failed", -1, b"begun\n")
    assert end.message == "Network access was denied by the Sandgate sandbox."


def test_a_refused_connection_of_a_short_command_fails_the_call(connecting: Workplace) -> None:
    """Idea 52: told by the kernel just before the end, and not lost."""
    runtime = connecting.session('terminals.on_network_denial="terminate"')
    with pytest.raises(TerminalFailed, match="Network access was denied"):
        runtime.exec_command(f"{CONNECT}; exit 0", login=False)


def test_a_refused_connection_is_the_commands_own_affair_by_default(connecting: Workplace) -> None:
    runtime = connecting.session()
    begun = runtime.exec_command(f"sleep 0.6; {CONNECT} || echo coped", yield_time_ms=250, login=False)
    last = runtime.write_stdin(begun.session_id or 0)
    assert (last.exit_code, last.output) == (0, "coped\n")
    assert [(each.operation, each.address) for each in last.denials] == [("connect", "192.0.2.1:80")]

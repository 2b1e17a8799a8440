"""Finding and ending what a command has started."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.kernel.confined_runs import Account
from support.process.waiting import wait_until

pytestmark = [pytest.mark.host("landlock"), pytest.mark.host("notify")]

pytest_plugins = ["support.kernel.landlock_fixtures"]


def test_descendants_that_left_the_session_end_with_the_command(account: Account, workspace: Path) -> None:
    """Required: a daemon does not survive; `setsid` is a held call, so every session is known."""
    script = "setsid sh -c 'echo $$ > src/pid; exec sleep 60' & setsid -f sleep 60; while [ ! -s src/pid ]; do :; done"
    outcome = account.confined(script, workspace)
    assert outcome["exit_code"] == 0
    pid = int((workspace / "src" / "pid").read_text())
    assert wait_until(lambda: _is_gone(pid))


def _is_gone(pid: int) -> bool:
    """Killed is not gone yet: the kernel takes its time with what it was told to end."""
    try:
        return "(sleep) Z" in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_the_session_is_read_behind_whatever_name_a_program_gives_itself() -> None:
    from sandgate.kernel.session_tree import session_of

    assert session_of(b"12 (a) S 9 9 9 (b) R 1 12 77 0 -1 4194304") == 77


def test_a_number_given_to_another_process_names_no_session_of_ours() -> None:
    from sandgate.kernel.session_tree import started, still_the_same

    mine = started(os.getpid())
    assert mine is not None
    assert still_the_same({os.getpid(): mine, 2**22 + 1: 5}) == [os.getpid(), 2**22 + 1]
    assert still_the_same({os.getpid(): mine - 1}) == []


def test_sessions_nobody_is_in_any_more_are_forgotten_in_time() -> None:
    from sandgate.kernel.path_access import PathAccess
    from sandgate.kernel.waiting import SESSIONS_KEPT, Observed
    from sandgate.protocol.permissions import EffectivePermissions

    observed = Observed(PathAccess(EffectivePermissions(), {}, {}), network=False, sockets=())
    observed.add_session(os.getsid(0))
    for number in range(SESSIONS_KEPT):
        observed.add_session(2**22 + number)
    assert set(observed.sessions) == {os.getsid(0), 2**22 + SESSIONS_KEPT - 1}

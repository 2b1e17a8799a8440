"""What is recorded of a refused call."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.kernel.confined_runs import Account, confined

pytestmark = [pytest.mark.host("landlock"), pytest.mark.host("notify")]

pytest_plugins = ["support.kernel.landlock_fixtures"]


def test_a_denial_is_recorded_whole_even_when_the_command_succeeds(my_workspace: Path, outside: Path) -> None:
    outcome = confined(f"echo x 2> /dev/null > {outside}/file; exit 0", str(my_workspace))
    (refused,) = outcome["refused"]
    assert refused.pop("pid") > 0
    assert refused == {
        "operation": "write",
        "syscall": "openat",
        "path": f"{outside}/file",
        "address": None,
        "errno": "EACCES",
        "layer": "landlock",
        "program": "sh",
        "host_allows": True,
        "exclusive": False,
        "datagrams": False,
    }


def test_what_permission_bits_refuse_anyway_is_told_apart(my_workspace: Path) -> None:
    ordinary = Account("ordinary")
    ordinary.own(my_workspace)
    (refused,) = ordinary.confined("echo x > /etc/passwd", my_workspace)["refused"]
    assert (refused["path"], refused["host_allows"]) == ("/etc/passwd", False)


def test_records_are_kept_once_and_counted_past_the_limit() -> None:
    from sandgate.kernel.path_access import PathAccess
    from sandgate.kernel.waiting import REFUSED_MAX, Observed
    from sandgate.protocol.denials import Refused
    from sandgate.protocol.permissions import EffectivePermissions

    observed = Observed(PathAccess(EffectivePermissions(), {}, {}), network=False, sockets=())
    for number in (*range(REFUSED_MAX + 5), 0, 1):
        observed.add(Refused("write", "openat", path=f"/{number}"))
        observed.add(Refused("write", "openat", path=f"/{number}", pid=7))
    assert (len(observed.refused), observed.omitted) == (REFUSED_MAX, 10)

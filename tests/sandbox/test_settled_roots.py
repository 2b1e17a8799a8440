"""Where the further roots of a session lead."""

import pytest

from sandgate.errors import ConfinementError
from sandgate.protocol.permissions import ReadOnly, WorkspaceWrite
from sandgate.sandbox.settled_roots import SettledRoots

POLICY = WorkspaceWrite(writable_roots=("/data", "/gone"))


def test_a_root_is_where_it_led_first() -> None:
    roots = SettledRoots()
    for _ in range(2):
        roots.check(POLICY, {"/data": "/mnt/data", "/elsewhere": "/x"})
    roots.check(POLICY, {"/elsewhere": "/y"})  # no root of the settings, and `/data` is missing for now
    roots.check(ReadOnly(), {"/data": "/home"})
    with pytest.raises(ConfinementError, match="cannot make `/data` writable"):
        roots.check(POLICY, {"/data": "/home"})
    SettledRoots().check(POLICY, {"/data": "/home"})

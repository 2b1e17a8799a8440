"""Which of two sandbox policies leaves less freedom."""

from __future__ import annotations

import pytest

from sandgate.config.schema import SANDBOX_MODES
from sandgate.policy.tightness import MODES, confines_no_less
from sandgate.protocol.permissions import DangerFullAccess, ExternalSandbox, ReadOnly, WorkspaceWrite, sandbox_mode

WRITES = WorkspaceWrite()
BY_FREEDOM: tuple[ReadOnly | WorkspaceWrite | ExternalSandbox | DangerFullAccess, ...] = (
    ReadOnly(),
    WRITES,
    ExternalSandbox(),
    DangerFullAccess(),
)


def test_the_modes_are_those_of_the_configuration_tightest_first() -> None:
    assert MODES == SANDBOX_MODES == tuple(map(sandbox_mode, BY_FREEDOM))


def test_a_mode_confines_no_less_than_itself_and_all_freer_ones() -> None:
    for place, policy in enumerate(BY_FREEDOM):
        found = [confines_no_less(policy, base) for base in BY_FREEDOM]
        assert found == [other >= place for other in range(len(BY_FREEDOM))]


@pytest.mark.parametrize(
    ("policy", "base"),
    [
        (ReadOnly(network_access=True), WRITES),
        (WRITES.but(network_access=True), WRITES),
        (WRITES.but(writable_roots=("/a",)), WRITES.but(writable_roots=("/b",))),
        (WRITES, WRITES.but(exclude_slash_tmp=True)),
        (WRITES, WRITES.but(exclude_tmpdir_env_var=True)),
        (ExternalSandbox(network_access=True), ExternalSandbox()),
    ],
)
def test_one_freedom_more_is_looser_and_the_other_way_round_is_not(
    policy: ReadOnly | WorkspaceWrite | ExternalSandbox, base: ReadOnly | WorkspaceWrite | ExternalSandbox
) -> None:
    assert not confines_no_less(policy, base)
    narrower = base.but(writable_roots=()) if isinstance(base, WorkspaceWrite) else base
    assert confines_no_less(narrower, policy if type(policy) is type(base) else DangerFullAccess())

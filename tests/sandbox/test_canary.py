"""The attacks that `doctor --attack` makes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Literal

import pytest

from sandgate.errors import ConfinementError
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions
from sandgate.sandbox import backends
from sandgate.sandbox.backends import find_helper
from sandgate.sandbox.canary import run_canaries
from sandgate.sandbox.none import NoBackend

ATTACKS = {
    "write in the root directory",
    "write in the home directory",
    "plant a git hook",
    "make a missing `.codex`",
    "read a secret",
    "reach a local TCP service",
    "send a local datagram",
    "reach an abstract unix socket",
    "reach a unix socket by path",
    "trace another process",
    "set kernel.core_pattern",
    "signal another process",
    "make a user namespace",
    "type into a terminal",
}
PROVABLE_BY_ANYBODY = ATTACKS - {
    "write in the root directory",  # not tried outside: it would be litter
    "set kernel.core_pattern",
    "type into a terminal",
    "make a user namespace",
}


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("namespace", marks=pytest.mark.host("namespace")),
        pytest.param("landlock", marks=pytest.mark.host("landlock", "notify")),
    ],
)
def test_every_attack_is_refused_and_nothing_is_left(
    kind: Literal["namespace", "landlock"], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    canaries = run_canaries(kind, helper=find_helper()[0])
    assert {canary.name for canary in canaries} == ATTACKS
    assert [canary for canary in canaries if not canary.held] == []
    assert {canary.name for canary in canaries if canary.proven} >= PROVABLE_BY_ANYBODY
    assert list(tmp_path.iterdir()) == []


class Sieve(NoBackend):
    """A backend that confines nothing and says nothing."""

    def confine(self, command: CommandRequest, permissions: EffectivePermissions, **_more: object) -> ConfinedCommand:
        argv = tuple("outside" if word == "inside" else word for word in command.argv)  # the disk root is spared
        return super().confine(command.but(argv=argv), permissions.but(confined=False))


def test_a_backend_that_refuses_nothing_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: the suite itself must notice a broken sandbox."""
    monkeypatch.setattr(backends, "backend_named", lambda _kind: Sieve())
    passed = {canary.name for canary in run_canaries("landlock", helper=None) if not canary.held}
    assert passed >= PROVABLE_BY_ANYBODY


class Wall(NoBackend):
    """A backend in which nothing works."""

    def confine(self, command: CommandRequest, permissions: EffectivePermissions, **_more: object) -> ConfinedCommand:
        return super().confine(command.but(argv=("/bin/true",)), permissions.but(confined=False))


def test_a_sandbox_in_which_nothing_works_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "backend_named", lambda _kind: Wall())
    with pytest.raises(ConfinementError, match="cannot test the `landlock` sandbox"):
        run_canaries("landlock", helper=None)


def test_a_sandbox_that_cannot_be_built_is_an_error() -> None:
    with pytest.raises((ConfinementError, OSError)):
        run_canaries("namespace", helper=os.devnull)

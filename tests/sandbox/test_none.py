"""Plans without a sandbox."""

from __future__ import annotations

import pytest

from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions
from sandgate.sandbox.none import NoBackend

COMMAND = CommandRequest(("true",), "/", {"PATH": "/bin", "SSH_AUTH_SOCK": "/tmp/agent"})


def test_a_plan_keeps_the_environment_and_promises_nothing() -> None:
    permissions = EffectivePermissions(network="on", confined=False)
    assert NoBackend().confine(COMMAND, permissions) == ConfinedCommand(
        backend="none", argv=("true",), cwd="/", env=COMMAND.env, permissions=permissions, report="off"
    )


def test_the_command_is_still_told_about_the_network() -> None:
    """Required: an external sandbox may have closed it."""
    plan = NoBackend().confine(COMMAND, EffectivePermissions(confined=False))
    assert plan.env == {
        **COMMAND.env,
        "SANDGATE_SANDBOX_NETWORK_DISABLED": "1",
        "CODEX_SANDBOX_NETWORK_DISABLED": "1",
    }


def test_a_command_that_must_be_confined_never_gets_such_a_plan() -> None:
    with pytest.raises(AssertionError, match="must be confined"):
        NoBackend().confine(COMMAND, EffectivePermissions())

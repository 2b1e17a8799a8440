"""What all backends share."""

from __future__ import annotations

from typing import Literal

import pytest

from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import EffectivePermissions
from sandgate.sandbox.backend import backend_named, confined_environment

COMMAND = CommandRequest(("true",), "/", {"PATH": "/bin", "DOCKER_HOST": "unix:///run/docker.sock"})


@pytest.mark.parametrize("name", ["namespace", "landlock", "none"])
def test_backends_are_found_by_name(name: Literal["namespace", "landlock", "none"]) -> None:
    assert backend_named(name).kind == name


def test_a_confined_command_is_told_so() -> None:
    assert confined_environment(COMMAND, EffectivePermissions(), "landlock") == {
        "PATH": "/bin",
        "SANDGATE_SANDBOX": "landlock",
        "SANDGATE_SANDBOX_NETWORK_DISABLED": "1",
        "CODEX_SANDBOX_NETWORK_DISABLED": "1",
    }


def test_variables_of_allowed_sockets_stay() -> None:
    permissions = EffectivePermissions(network="on", sockets=("/run/docker.sock",))
    assert confined_environment(COMMAND, permissions, "namespace") == {**COMMAND.env, "SANDGATE_SANDBOX": "namespace"}

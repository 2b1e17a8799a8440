"""What all backends share."""

from __future__ import annotations

from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import EffectivePermissions
from sandgate.sandbox.backend import WITHOUT_NEWS, WITHOUT_RETRIES, confined_environment

COMMAND = CommandRequest(("true",), "/", {"PATH": "/bin", "DOCKER_HOST": "unix:///run/docker.sock"})


def test_a_confined_command_is_told_so() -> None:
    assert confined_environment(COMMAND, EffectivePermissions(), "landlock") == {
        "GIT_OPTIONAL_LOCKS": "0",
        **WITHOUT_NEWS,
        **WITHOUT_RETRIES,
        "PATH": "/bin",
        "SANDGATE_SANDBOX": "landlock",
        "SANDGATE_SANDBOX_NETWORK_DISABLED": "1",
        "CODEX_SANDBOX_NETWORK_DISABLED": "1",
    }


def test_variables_of_allowed_sockets_stay() -> None:
    permissions = EffectivePermissions(network="on", sockets=("/run/docker.sock",))
    env = confined_environment(COMMAND, permissions, "namespace")
    assert env == {**COMMAND.env, "GIT_OPTIONAL_LOCKS": "0", "SANDGATE_SANDBOX": "namespace"}


def test_with_a_host_to_reach_programs_try_again() -> None:
    reaching = EffectivePermissions(hosts=("127.0.0.1:80",))
    assert not WITHOUT_RETRIES.keys() & confined_environment(COMMAND, reaching, "namespace").keys()


def test_a_setting_of_the_user_for_news_of_a_program_stays() -> None:
    command = COMMAND.but(env={"NO_UPDATE_NOTIFIER": "", "npm_config_update_notifier": "true"})
    env = confined_environment(command, EffectivePermissions(), "namespace")
    assert (env["NO_UPDATE_NOTIFIER"], env["npm_config_update_notifier"]) == ("", "true")


def test_a_setting_of_the_user_for_git_stays() -> None:
    command = COMMAND.but(env={"GIT_OPTIONAL_LOCKS": "1"})
    assert confined_environment(command, EffectivePermissions(), "namespace")["GIT_OPTIONAL_LOCKS"] == "1"

"""What a client of a server asks for: stricter is taken, anything else is an error and never a warning."""

from __future__ import annotations

import pytest

from sandgate.config import Loaded, load_settings
from sandgate.config.client import SETTINGS_MAX
from sandgate.errors import ConfigError, RequestError
from sandgate.protocol.permissions import DangerFullAccess, ReadOnly
from support.config.config_machine import Machine


def load(machine: Machine, *asked: tuple[str, str], overrides: tuple[str, ...] = ()) -> Loaded:
    return load_settings(
        cwd=str(machine.project),
        environ={"HOME": str(machine.home)},
        overrides=overrides,
        tighter=asked,
        system_dir=str(machine.system),
    )


@pytest.mark.parametrize(
    ("server", "key", "value", "holds"),
    [
        ("sandbox_mode=workspace-write", "sandbox_mode", "read-only", "read-only"),
        ("sandbox_mode=danger-full-access", "sandbox_mode", "workspace-write", "workspace-write"),
        ("approval_policy=never", "approval_policy", "untrusted", "untrusted"),
        ("approval_policy=on-request", "approval_policy", '"untrusted"', "untrusted"),  # as TOML
        ("exec.timeout_ms=1000", "exec.timeout_ms", "500", 500),
        ("sandbox.network=on", "sandbox.network", "off", "off"),
        ("sandbox.unix_sockets=['/a','/b']", "sandbox.unix_sockets", '["/a"]', ("/a",)),
        ("shell_environment_policy.exclude=['A*']", "shell_environment_policy.exclude", '["B*"]', ("A*", "B*")),
        ("sandbox_mode=read-only", "sandbox_mode", "read-only", "read-only"),  # what holds already
    ],
)
def test_what_is_tighter_is_taken(machine: Machine, server: str, key: str, value: str, holds: object) -> None:
    loaded = load(machine, (key, value), overrides=(server,))
    assert (loaded.values[key], loaded.origins[key].title) == (holds, "client")


@pytest.mark.parametrize(
    ("server", "key", "value"),
    [
        ("sandbox_mode=read-only", "sandbox_mode", "workspace-write"),
        ("sandbox_mode=workspace-write", "sandbox_mode", "danger-full-access"),
        ("approval_policy=untrusted", "approval_policy", "on-request"),
        ("approval_policy=on-request", "approval_policy", "never"),
        ("exec.timeout_ms=1000", "exec.timeout_ms", "1001"),
        ("sandbox_mode=workspace-write", "sandbox_workspace_write.network_access", "true"),
        ("sandbox_mode=workspace-write", "sandbox_workspace_write.writable_roots", '["/"]'),
        ("sandbox_mode=workspace-write", "secrets.opened", '["~/.ssh"]'),
        ("sandbox_mode=workspace-write", "additional_writable_roots", '["/"]'),
        # Not a client's business at all, tighter or not.
        ("sandbox_mode=workspace-write", "sandbox.backend", "none"),
        ("sandbox_mode=workspace-write", "rules.enabled", "false"),
        ("sandbox_mode=workspace-write", "shell_environment_policy.set", '{ LD_PRELOAD = "/x.so" }'),
        ("sandbox_mode=workspace-write", "profile", "free"),
        ("sandbox_mode=workspace-write", '"profile"', "free"),
        ("sandbox_mode=workspace-write", 'projects."/".trust_level', "trusted"),
        ("sandbox_mode=workspace-write", ' "projects"."/".trust_level', "trusted"),
        ("sandbox_mode=workspace-write", "profiles.free.sandbox_mode", "danger-full-access"),
        ("sandbox_mode=workspace-write", "model_provider", "x"),
    ],
)
def test_what_is_not_tighter_is_refused_by_name(machine: Machine, server: str, key: str, value: str) -> None:
    """Required: a client that asks for something and is served without it would believe it holds."""
    with pytest.raises(RequestError) as refused:
        load(machine, (key, value), overrides=(server,))
    first = key.strip().split(".")[0].strip('"')
    assert refused.value.what.startswith("a client cannot set this: ")
    assert first in refused.value.what.partition(": ")[2]
    assert refused.value.why == "a client may only make the server's policy stricter"


def test_one_wrong_setting_spoils_them_all_and_each_is_named(machine: Machine) -> None:
    asked = (("sandbox_mode", "read-only"), ("approval_policy", "never"), ("secrets.opened", '["/"]'))
    with pytest.raises(RequestError) as refused:
        load(machine, *asked)
    assert "approval_policy = " in refused.value.what
    assert "secrets.opened = " in refused.value.what
    assert "sandbox_mode" not in refused.value.what


def test_an_unknown_key_is_an_error_not_a_warning(machine: Machine) -> None:
    """Required: the client may mean something that holds commands back."""
    with pytest.raises(RequestError, match="sandbox_mood"):
        load(machine, ("sandbox_mood", "read-only"))


@pytest.mark.parametrize(
    ("key", "value"),
    [("sandbox_mode", "none"), ("exec.timeout_ms", "soon"), ("approval_policy", "{ x = 1 }"), ("", "1"), ("a..b", "1")],
)
def test_a_value_or_key_that_is_none_is_refused_as_after_c(machine: Machine, key: str, value: str) -> None:
    with pytest.raises(ConfigError):
        load(machine, (key, value))


def test_a_key_cannot_bring_a_second_setting_along(machine: Machine) -> None:
    for key in ('sandbox_mode="read-only"\napproval_policy', "sandbox_mode=read-only"):
        with pytest.raises(RequestError):
            load(machine, (key, "never"))


def test_the_last_of_two_counts_and_is_what_is_compared(machine: Machine) -> None:
    twice = (("sandbox_mode", "danger-full-access"), ("sandbox_mode", "read-only"))
    assert load(machine, *twice).settings.sandbox == ReadOnly()
    with pytest.raises(RequestError):
        load(machine, *reversed(twice))


def test_too_many_are_refused(machine: Machine) -> None:
    asked = tuple(("sandbox_mode", "read-only") for _ in range(SETTINGS_MAX))
    assert load(machine, *asked).settings.sandbox == ReadOnly()
    with pytest.raises(RequestError, match=f"at most {SETTINGS_MAX}"):
        load(machine, *asked, ("sandbox_mode", "read-only"))


def test_the_client_is_measured_against_everything_below_it(machine: Machine) -> None:
    """Required: not against the defaults, and not against the user's file alone."""
    machine.write_user('sandbox_mode = "read-only"')
    assert load(machine, overrides=("sandbox_mode=danger-full-access",)).settings.sandbox == DangerFullAccess()
    with pytest.raises(RequestError):
        load(machine, ("sandbox_mode", "workspace-write"))
    freed = load(machine, ("sandbox_mode", "workspace-write"), overrides=("sandbox_mode=danger-full-access",))
    assert freed.values["sandbox_mode"] == "workspace-write"


def test_a_policy_that_cannot_hold_together_does_not_start(machine: Machine) -> None:
    server = ("sandbox_mode=danger-full-access", "sandbox.backend=none")
    with pytest.raises(ConfigError, match="backend `none`"):
        load(machine, ("sandbox_mode", "read-only"), overrides=server)

"""Profiles: a table or a file, never both, never nothing."""

import re

import pytest

from sandgate.errors import ConfigError
from sandgate.protocol.permissions import ReadOnly, WorkspaceWrite
from support.config.config_machine import Machine


def test_a_profile_overrides_the_base_and_the_command_line_overrides_the_profile(machine: Machine) -> None:
    machine.write_user('sandbox_mode = "danger-full-access"\n[profiles.safe]\nsandbox_mode = "read-only"')
    assert machine.load(profile="safe").settings.sandbox == ReadOnly()
    assert machine.load(profile="safe", sandbox_mode="workspace-write").settings.sandbox == WorkspaceWrite()


def test_a_profile_may_be_a_file_beside_the_users(machine: Machine) -> None:
    file = machine.own / "safe.config.toml"
    file.write_text('sandbox_mode = "read-only"')
    loaded = machine.load(profile="safe")
    assert loaded.origins["sandbox_mode"].title == f"profile safe {file}"


def test_both_forms_of_one_profile_are_an_error(machine: Machine) -> None:
    machine.write_user('[profiles.safe]\nsandbox_mode = "read-only"')
    (machine.own / "safe.config.toml").touch()
    with pytest.raises(ConfigError, match="config profile `safe` is defined twice"):
        machine.load(profile="safe")


@pytest.mark.parametrize("name", ["absent", "", "../etc/x", ".hidden", "a\nb"])
def test_a_profile_that_is_not_there_is_an_error(machine: Machine, name: str) -> None:
    with pytest.raises(ConfigError, match=r"config profile `.*` not found") as caught:
        machine.load(profile=name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["../x", "a/../../x"])
def test_a_profile_cannot_name_a_file_elsewhere(machine: Machine, name: str) -> None:
    (machine.own / "a").mkdir()
    (machine.home / "x.config.toml").touch()
    with pytest.raises(ConfigError, match=f"config profile `{re.escape(name)}` not found"):
        machine.load(profile=name)


def test_a_profile_of_the_ignored_user_is_not_there(machine: Machine) -> None:
    (machine.own / "safe.config.toml").touch()
    with pytest.raises(ConfigError, match="config profile `safe` not found"):
        machine.load(profile="safe", ignore_user=True)


def test_a_wrong_value_in_a_profile_is_found_at_its_own_line(machine: Machine) -> None:
    user = machine.write_user('sandbox_mode = "read-only"\n[profiles.safe]\nsandbox_mode = "readonly"')
    assert machine.load().settings.sandbox == ReadOnly()
    with pytest.raises(ConfigError, match=f"cannot use `sandbox_mode` in {user}, line 3"):
        machine.load(profile="safe")


def test_profiles_do_not_nest(machine: Machine) -> None:
    machine.write_user('[profiles.outer]\nprofile = "inner"\n[profiles.inner]')
    assert machine.load(profile="outer").warnings == (
        "ignored `profile` in config profile `outer`: profiles do not nest",
    )

"""Layers: what is found, in which order it counts, and where a value came from."""

from pathlib import Path

import pytest

from sandgate.config import for_run
from sandgate.errors import ConfigError, RequestError
from sandgate.protocol.confinement import Limits
from sandgate.protocol.permissions import DangerFullAccess, ExternalSandbox, Granular, ReadOnly, WorkspaceWrite
from support.config.config_machine import Machine


def test_without_any_file_the_defaults_hold(machine: Machine) -> None:
    loaded = machine.load()
    settings = loaded.settings
    assert (loaded.warnings, loaded.layers, dict(loaded.origins)) == ((), (), {})
    assert (settings.approval, settings.approval_explicit) == ("on-request", False)
    assert (settings.sandbox, settings.sandbox_explicit) == (ReadOnly(), False)
    assert (settings.backend, settings.report, settings.protect_git) == ("auto", "report", "draft")
    assert (settings.timeout_ms, settings.capture_bytes, settings.limits) == (None, 1048576, Limits())
    assert (settings.trust, settings.home) == ("unknown", str(machine.own))


def test_each_layer_wins_over_the_one_below_it(machine: Machine) -> None:
    """Required: default < system < user < project < profile < flags < options of the command line."""
    chosen = [machine.load().settings.timeout_ms]
    machine.write_system("exec.timeout_ms = 6000")
    chosen.append(machine.load().settings.timeout_ms)
    machine.trust("exec.timeout_ms = 5000\nprofiles.slow.exec.timeout_ms = 3000")
    chosen.append(machine.load().settings.timeout_ms)
    machine.write_project("exec.timeout_ms = 4000")
    chosen.append(machine.load().settings.timeout_ms)
    chosen.append(machine.load(profile="slow").settings.timeout_ms)
    chosen.append(machine.load("exec.timeout_ms=2000", profile="slow").settings.timeout_ms)
    chosen.append(machine.load("exec.timeout_ms=2000", profile="slow", timeout_ms=1000).settings.timeout_ms)
    assert chosen == [None, 6000, 5000, 4000, 3000, 2000, 1000]


def test_every_value_knows_the_layer_it_came_from(machine: Machine) -> None:
    system = machine.write_system('sandbox_mode = "read-only"\nexec.timeout_ms = 1')
    user = machine.write_user('sandbox_mode = "workspace-write"')
    loaded = machine.load("limits.processes=9", backend="landlock")
    assert {key: layer.title for key, layer in loaded.origins.items()} == {
        "sandbox_mode": f"user {user}",
        "exec.timeout_ms": f"system {system}",
        "limits.processes": "-c",
        "sandbox.backend": "command line",
    }


def test_tables_merge_key_by_key_and_lists_are_replaced(machine: Machine) -> None:
    machine.write_system('[shell_environment_policy]\nexclude = ["A*"]\nset = { ONE = "1", TWO = "2" }')
    machine.write_user('[shell_environment_policy]\nexclude = ["B*"]\nset = { TWO = "two" }')
    environment = machine.load().settings.environment
    assert (environment.exclude, environment.set) == (("B*",), (("ONE", "1"), ("TWO", "two")))


def test_sandgate_home_takes_the_place_of_the_home_directory(machine: Machine, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "link").symlink_to(elsewhere)
    (elsewhere / "config.toml").write_text("exec.timeout_ms = 7")
    machine.write_user("exec.timeout_ms = 8")
    settings = machine.load(environ={"SANDGATE_HOME": str(tmp_path / "link")}).settings
    assert (settings.timeout_ms, settings.home) == (7, str(elsewhere))


@pytest.mark.parametrize("name", ["missing", "file", ".codex"])
def test_a_sandgate_home_that_is_no_directory_of_ours_is_an_error(machine: Machine, tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / ".codex").mkdir()
    with pytest.raises(ConfigError, match=f"cannot use `SANDGATE_HOME`.*{name}"):
        machine.load(environ={"SANDGATE_HOME": str(tmp_path / name)})


def test_the_user_layer_can_be_left_out_and_stays_in_the_list(machine: Machine) -> None:
    machine.write_user("exec.timeout_ms = 8")
    loaded = machine.load(ignore_user=True)
    assert loaded.settings.timeout_ms is None
    assert [(layer.name, layer.disabled) for layer in loaded.layers] == [("user", "ignored by --ignore-user-config")]


def test_an_unknown_key_is_ignored_with_the_nearest_known_name(machine: Machine) -> None:
    user = machine.write_user('sandbx_mode = "read-only"\n[sandbox]\nbackedn = "auto"\n[zzz]\ny = 1')
    loaded = machine.load()
    assert loaded.warnings == (
        f"ignored unknown key `sandbx_mode` in {user}, line 1: did you mean `sandbox_mode`?",
        f"ignored unknown key `sandbox.backedn` in {user}, line 3: did you mean `sandbox.backend`?",
        f"ignored unknown key `zzz` in {user}, line 4",
    )
    assert loaded.settings == machine.load(ignore_user=True).settings


def test_a_quoted_name_with_a_dot_is_not_the_key_it_looks_like(machine: Machine) -> None:
    machine.write_user('"sandbox.backend" = "landlock"')
    loaded = machine.load()
    assert (loaded.settings.backend, len(loaded.warnings)) == ("auto", 1)


def test_a_misspelt_key_of_the_environment_policy_is_an_error(machine: Machine) -> None:
    """Required: a typo there would leave a secret in the environment."""
    machine.write_user('[shell_environment_policy]\nexlude = ["*PRIVATE*"]')
    with pytest.raises(ConfigError) as caught:
        machine.load()
    assert (caught.value.why, caught.value.hint) == (
        "there is no such key",
        "did you mean `shell_environment_policy.exclude`?",
    )


def test_a_profile_may_set_any_key_and_the_key_profile_chooses_it(machine: Machine) -> None:
    machine.write_user('profile = "ci"\nsandbox_mode = "danger-full-access"\n[profiles.ci]\nsandbox_mode = "read-only"')
    loaded = machine.load()
    assert loaded.settings.sandbox == ReadOnly()
    assert loaded.origins["sandbox_mode"].title == "profile ci"


def test_the_sandbox_policy_takes_its_options_only_in_workspace_write(machine: Machine) -> None:
    text = (
        '[sandbox_workspace_write]\nnetwork_access = true\nexclude_slash_tmp = true\nwritable_roots = ["/data", "rel"]'
    )
    machine.write_user(text)
    workspace = WorkspaceWrite(("/data", str(machine.own / "rel")), network_access=True, exclude_slash_tmp=True)
    policies = {
        mode: machine.load(sandbox_mode=mode).settings.sandbox
        for mode in ("read-only", "workspace-write", "danger-full-access", "external-sandbox")
    }
    assert policies == {
        "read-only": ReadOnly(),
        "workspace-write": workspace,
        "danger-full-access": DangerFullAccess(),
        "external-sandbox": ExternalSandbox(),
    }


def test_added_directories_are_absolute_and_appended_once(machine: Machine) -> None:
    machine.write_user('additional_writable_roots = ["~/data", "/srv"]')
    for place in (machine.project / "build", machine.project.parent / "x"):
        place.mkdir()
    settings = machine.load(sandbox_mode="workspace-write", add_dirs=("build", "/srv", "../x")).settings
    roots = (f"{machine.home}/data", "/srv", f"{machine.project}/build", f"{machine.project.parent}/x")
    assert settings.sandbox == WorkspaceWrite(roots)


def test_granted_paths_are_added_to_those_of_the_settings(machine: Machine) -> None:
    machine.write_user('[grants]\nnew_entry = ["/srv/a"]\n')
    grants = machine.load(grants=("new_entry=b", "remove=/srv/c", "new_entry=~/d")).settings.grants
    assert [(each.kind, each.value) for each in grants] == [
        ("new_entry", "/srv/a"),
        ("new_entry", f"{machine.project}/b"),
        ("new_entry", f"{machine.home}/d"),
        ("remove", "/srv/c"),
    ]


@pytest.mark.parametrize("text", ["new_entry", "new_entry=", "escalate=/x", "write_root=/x", "=/x"])
def test_what_is_no_kind_of_grant_is_refused_by_name(machine: Machine, text: str) -> None:
    with pytest.raises(RequestError, match="cannot grant"):
        machine.load(grants=(text,))


def test_an_added_directory_that_is_not_there_is_bad_usage(machine: Machine) -> None:
    with pytest.raises(RequestError, match="cannot make `build` writable") as caught:
        machine.load(sandbox_mode="workspace-write", add_dirs=("build",))
    assert not isinstance(caught.value, ConfigError)
    assert caught.value.hint == f"make it first: mkdir -p {machine.project}/build"


def test_the_network_option_overrides_every_mode(machine: Machine) -> None:
    machine.write_user("sandbox_workspace_write.network_access = true")
    assert machine.load(sandbox_mode="workspace-write", network="off").settings.sandbox == WorkspaceWrite()
    assert machine.load(sandbox_mode="read-only", network="on").settings.sandbox == ReadOnly(network_access=True)


def test_a_network_that_nothing_would_switch_off_is_an_error(machine: Machine) -> None:
    """Our choice: unsure means closed."""
    with pytest.raises(ConfigError, match="cannot switch the network off"):
        machine.load(sandbox_mode="danger-full-access", network="off")


def test_a_backend_that_nothing_drives_is_refused_with_the_reason(machine: Machine) -> None:
    machine.write_user('sandbox.backend = "bwrap"')
    with pytest.raises(ConfigError, match="nothing here drives bubblewrap"):
        machine.load()
    machine.write_user("")
    with pytest.raises(ConfigError, match="cannot use the sandbox backend `bwrap`"):
        machine.load(backend="bwrap")


def test_the_backend_none_needs_a_mode_that_confines_nothing(machine: Machine) -> None:
    with pytest.raises(ConfigError, match="cannot use the sandbox backend `none`"):
        machine.load(backend="none")
    assert machine.load(backend="none", sandbox_mode="danger-full-access").settings.backend == "none"


@pytest.mark.parametrize(("person", "approval"), [(True, "on-failure"), (False, "never")])
def test_run_has_defaults_of_its_own(machine: Machine, person: bool, approval: str) -> None:
    machine.write_user('sandbox_workspace_write.writable_roots = ["/data"]')
    settings = for_run(machine.load().settings, person_present=person)
    assert (settings.approval, settings.sandbox) == (approval, WorkspaceWrite(("/data",)))


def test_run_keeps_what_somebody_chose(machine: Machine) -> None:
    machine.write_user('approval_policy = "untrusted"\nsandbox_mode = "read-only"')
    settings = for_run(machine.load().settings, person_present=True)
    assert (settings.approval, settings.sandbox) == ("untrusted", ReadOnly())


def test_a_granular_policy_may_come_in_either_polarity(machine: Machine) -> None:
    """Required: `reject` is read and turned round; an optional field left out means refused in `granular`."""
    machine.write_user(
        "approval_policy = { granular = { sandbox_approval = true, rules = true, mcp_elicitations = false } }"
    )
    assert machine.load().settings.approval == Granular(True, True, False, False, False)
    machine.write_user("approval_policy.reject = { sandbox_approval = false, rules = true, mcp_elicitations = false }")
    assert machine.load().settings.approval == Granular(True, False, True, True, True)


def test_an_old_feature_name_works_and_says_so_once(machine: Machine) -> None:
    name = "experimental_sandbox_command_assessment"
    machine.write_system(f"{name} = true")
    machine.write_user(f"{name} = true")
    loaded = machine.load()
    assert name in loaded.settings.features
    assert len(loaded.warnings) == 1
    assert f"[features].{name}" in loaded.warnings[0]


def test_features_are_resolved_from_old_name_to_command_line(machine: Machine) -> None:
    """Required: base old name < base table < profile old name < profile table < override; no notice for the table."""
    name = "experimental_sandbox_command_assessment"
    states = []
    for profile in ("", f"[profiles.p]\n{name} = true", f"[profiles.p]\nfeatures.{name} = false\n{name} = true"):
        machine.write_user(f"{name} = true\nfeatures.{name} = false\n{profile}")
        states.append(name in machine.load(profile="p" if profile else None).settings.features)
    states.append(name in machine.load(profile="p", enable=(name,)).settings.features)
    states.append(name in machine.load(profile="p", enable=(name,), disable=(name,)).settings.features)
    assert states == [False, True, False, True, False]
    machine.write_user(f"features.{name} = true")
    assert machine.load().warnings == ()


def test_an_unknown_feature_is_an_error_on_the_command_line_and_a_warning_in_a_file(machine: Machine) -> None:
    machine.write_user("features.teleport = true")
    assert "features.teleport" in machine.load().warnings[0]
    with pytest.raises(ConfigError, match="Unknown feature flag: teleport"):
        machine.load(enable=("teleport",))

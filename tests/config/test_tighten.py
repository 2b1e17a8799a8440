"""A project's own file may tighten and never loosen."""

import pytest

from sandgate.config.tighten import asks_no_less
from sandgate.protocol.permissions import DangerFullAccess, Granular, ReadOnly, WorkspaceWrite
from support.config.config_machine import Machine

# (what the user has, what the project wants, what holds): tightening is taken over.
TIGHTENING = [
    ('sandbox_mode = "workspace-write"', 'sandbox_mode = "read-only"', {"sandbox_mode": "read-only"}),
    ("", 'sandbox_mode = "workspace-write"', {"sandbox_mode": "workspace-write"}),
    ("", 'approval_policy = "untrusted"', {"approval_policy": "untrusted"}),
    ('approval_policy = "never"', 'approval_policy = "on-request"', {"approval_policy": "on-request"}),
    (
        "rules.enabled = true\nsandbox.unix_sockets = ['/a', '/b']",
        "sandbox.unix_sockets = ['/a']",
        {"sandbox.unix_sockets": ("/a",)},
    ),
    ('secrets.opened = ["/a", "/b"]', 'secrets.opened = ["/b"]', {"secrets.opened": ("/b",)}),
    ("", 'sandbox.protected_names = [".npmrc"]', {"sandbox.protected_names": (".npmrc",)}),
    (
        'shell_environment_policy.exclude = ["A*"]',
        'shell_environment_policy.exclude = ["B*"]',
        {"shell_environment_policy.exclude": ("A*", "B*")},
    ),
    (
        "",
        'shell_environment_policy = { inherit = "core", include_only = ["PATH"] }',
        {"shell_environment_policy.inherit": "core", "shell_environment_policy.include_only": ("PATH",)},
    ),
    ("exec.timeout_ms = 10", "exec.timeout_ms = 5", {"exec.timeout_ms": 5}),
    ("", "limits.processes = 5", {"limits.processes": 5}),
    ('sandbox.network = "on"', 'sandbox.network = "off"', {"sandbox.network": "off"}),
]

# (what the user has, what the project wants): loosening is left out, with a warning.
LOOSENING = [
    ('sandbox_mode = "read-only"', 'sandbox_mode = "workspace-write"'),
    ("", 'sandbox_mode = "danger-full-access"'),
    ('sandbox_mode = "workspace-write"', 'sandbox_mode = "external-sandbox"'),
    ("", 'approval_policy = "never"'),
    ("", 'approval_policy = "on-failure"'),
    ('approval_policy = "untrusted"', 'approval_policy = "on-request"'),
    ("", "sandbox_workspace_write.network_access = true"),
    ("sandbox_workspace_write.exclude_slash_tmp = true", "sandbox_workspace_write.exclude_slash_tmp = false"),
    ("", 'sandbox_workspace_write.writable_roots = ["/"]'),
    ('additional_writable_roots = ["/a"]', 'additional_writable_roots = ["/a", "/b"]'),
    ("", 'sandbox.network = "on"'),
    ("", 'sandbox.notify = "off"'),
    ("", 'sandbox.protect_git = "hooks-and-config"'),
    ("", "sandbox.unix_sockets = ['/run/docker.sock']"),
    ("", 'secrets.opened = ["~/.ssh"]'),
    ("", 'shell_environment_policy.allow = ["*"]'),
    ("", "shell_environment_policy.ignore_default_excludes = true"),
    ('shell_environment_policy.inherit = "none"', 'shell_environment_policy.inherit = "all"'),
    ('shell_environment_policy.include_only = ["A"]', 'shell_environment_policy.include_only = ["A", "B"]'),
    ('shell_environment_policy.include_only = ["A"]', "shell_environment_policy.include_only = []"),
    ("exec.timeout_ms = 10", "exec.timeout_ms = 11"),
    ("", "limits.core_bytes = 1"),
    ("", 'retry_after_approval = "silent"'),
]


@pytest.mark.parametrize(("user", "project", "holds"), TIGHTENING)
def test_a_project_may_tighten(machine: Machine, user: str, project: str, holds: dict[str, object]) -> None:
    machine.trust(user)
    file = machine.write_project(project)
    loaded = machine.load()
    assert {key: loaded.values[key] for key in holds} == holds
    assert {loaded.origins[key].title for key in holds} == {f"project {file}"}
    assert loaded.warnings == ()


@pytest.mark.parametrize(("user", "project"), LOOSENING)
def test_a_project_may_not_loosen(machine: Machine, user: str, project: str) -> None:
    machine.trust(user)
    before = machine.load()
    file = machine.write_project(project)
    after = machine.load()
    assert after.settings == before.settings
    assert len(after.warnings) == 1
    assert after.warnings[0].startswith(f"Ignored settings in {file} that would loosen the policy: ")


def test_what_only_the_user_decides_is_dropped_with_one_warning(machine: Machine) -> None:
    """Required: one warning names every such key."""
    machine.trust()
    before = machine.load()
    file = machine.write_project(
        'notify = ["sh"]\nprofile = "x"\nmodel_provider = "y"\nsandbox.backend = "none"\nrules.enabled = false\n'
        'shell_environment_policy.set = { LD_PRELOAD = "/x.so" }\n'
        "features.experimental_sandbox_command_assessment = true\n"
        '[projects."/"]\ntrust_level = "trusted"\nallow_project_policy = true\n[profiles.x]\n[otel]\n'
    )
    after = machine.load()
    assert after.settings == before.settings
    assert after.warnings == (
        f"Ignored unsupported project-local config keys in {file}: "
        "features.experimental_sandbox_command_assessment, model_provider, notify, otel, profile, profiles, projects, "
        "rules.enabled, sandbox.backend, shell_environment_policy.set",
    )


def test_a_nested_project_file_cannot_undo_the_one_above_it(machine: Machine) -> None:
    machine.trust('sandbox_mode = "workspace-write"')
    machine.write_project('sandbox_mode = "read-only"')
    machine.write_project('sandbox_mode = "workspace-write"', below="a")
    assert machine.load(cwd=machine.project / "a").settings.sandbox == ReadOnly()


def test_the_user_can_let_a_project_set_its_policies(machine: Machine) -> None:
    user = machine.trust()
    user.write_text(user.read_text() + "allow_project_policy = true\n")
    machine.write_project('sandbox_mode = "danger-full-access"\napproval_policy = "never"\nsandbox.notify = "off"')
    settings = machine.load().settings
    assert (settings.sandbox, settings.approval, settings.report) == (DangerFullAccess(), "never", "report")


@pytest.mark.parametrize("below", ["a", "a/b"])
def test_only_the_file_in_the_directory_that_the_user_named_may_loosen(machine: Machine, below: str) -> None:
    """Required: a command that makes such a file somewhere in the project has no say in what a later session may do."""
    user = machine.trust('sandbox_mode = "workspace-write"')
    user.write_text(user.read_text() + "allow_project_policy = true\n")
    file = machine.write_project('sandbox_mode = "danger-full-access"', below=below)
    loaded = machine.load(cwd=machine.project / below)
    assert loaded.settings.sandbox == WorkspaceWrite()
    assert any(f"Ignored settings in {file} that would loosen" in each for each in loaded.warnings)


def test_a_directory_of_a_project_that_the_user_named_may_loosen_for_itself(machine: Machine) -> None:
    machine.write_project('sandbox_mode = "danger-full-access"', below="a")
    machine.write_user(f'[projects."{machine.project / "a"}"]\ntrust_level = "trusted"\nallow_project_policy = true\n')
    assert machine.load(cwd=machine.project / "a").settings.sandbox == DangerFullAccess()


def test_the_users_own_profile_and_flags_stand_above_the_project(machine: Machine) -> None:
    machine.trust('profiles.free.sandbox_mode = "danger-full-access"')
    machine.write_project('sandbox_mode = "read-only"')
    assert machine.load(profile="free").settings.sandbox == DangerFullAccess()
    assert machine.load(sandbox_mode="workspace-write").settings.sandbox == WorkspaceWrite()


ALL = Granular(True, True, True, True, True)


@pytest.mark.parametrize(
    ("value", "base", "allowed"),
    [
        (ALL, "on-request", True),
        (ALL, "untrusted", False),
        (ALL, "never", True),
        (ALL.but(rules=False), ALL, True),
        (ALL, ALL.but(rules=False), False),
        ("untrusted", ALL, False),
        ("never", ALL, False),
    ],
)
def test_a_granular_policy_compares_with_the_others(value: object, base: object, allowed: bool) -> None:
    """Our choice: over a granular policy only one that refuses at least the same may stand."""
    assert asks_no_less(value, base) is allowed

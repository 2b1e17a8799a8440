"""Policy + facts + grants → concrete permissions. All pure: paths here exist only as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.errors import ConfinementError
from sandgate.policy.effective import WorkspaceFacts, effective_permissions
from sandgate.protocol.permissions import (
    ESCALATE,
    DangerFullAccess,
    EffectivePermissions,
    ExternalSandbox,
    Grant,
    PrivateTmp,
    ReadOnly,
    WorkspaceWrite,
)

REPO = WorkspaceFacts(cwd="/repo", slash_tmp="/tmp", home="/home/me")


def named(*paths: str, **more: object) -> dict[str, object]:
    return {"resolved": {path: path for path in paths}, **more}


def test_workspace_write_opens_the_directory_and_the_temporary_directories() -> None:
    facts = REPO.but(tmpdir="/var/scratch")
    assert effective_permissions(WorkspaceWrite(), facts) == EffectivePermissions(
        writable=("/repo", "/tmp", "/var/scratch")
    )


def test_temporary_directories_can_be_left_out_each() -> None:
    facts = REPO.but(tmpdir="/var/scratch")
    no_tmpdir = effective_permissions(WorkspaceWrite(exclude_tmpdir_env_var=True), facts)
    no_slash_tmp = effective_permissions(WorkspaceWrite(exclude_slash_tmp=True), facts)
    assert (no_tmpdir.writable, no_slash_tmp.writable) == (("/repo", "/tmp"), ("/repo", "/var/scratch"))


def test_read_only_opens_nothing_even_with_extra_roots() -> None:
    facts = REPO.but(**named("/data"))
    assert effective_permissions(ReadOnly(), facts, extra_roots=["/data"]) == EffectivePermissions()


def test_a_grant_opens_one_path_under_read_only() -> None:
    facts = REPO.but(**named("/repo/out.txt"))
    permissions = effective_permissions(ReadOnly(), facts, grants=(Grant("write_path", "/repo/out.txt"),))
    assert permissions == EffectivePermissions(writable=("/repo/out.txt",))


def test_extra_roots_that_do_not_exist_are_skipped() -> None:
    facts = REPO.but(**named("/data"))
    permissions = effective_permissions(WorkspaceWrite(("/gone",)), facts, extra_roots=["/data", "/gone-too"])
    assert permissions.writable == ("/data", "/repo", "/tmp")


def test_full_access_is_not_confined() -> None:
    assert effective_permissions(DangerFullAccess(), REPO) == EffectivePermissions(network="on", confined=False)


@pytest.mark.parametrize(("access", "network"), [(False, "off"), (True, "on")])
def test_an_external_sandbox_still_hears_about_the_network(access: bool, network: str) -> None:
    permissions = effective_permissions(ExternalSandbox(network_access=access), REPO)
    assert permissions == EffectivePermissions(network=network, confined=False)  # type: ignore[arg-type]


def test_an_approved_escalation_is_not_confined() -> None:
    assert not effective_permissions(ReadOnly(), REPO, grants=(ESCALATE,)).confined


def test_network_follows_the_policy() -> None:
    assert effective_permissions(WorkspaceWrite(network_access=True), REPO).network == "on"
    assert effective_permissions(ReadOnly(network_access=True), REPO).network == "on"


def test_a_granted_host_leaves_the_network_off() -> None:
    permissions = effective_permissions(WorkspaceWrite(), REPO, grants=(Grant("host", "10.0.0.1:443"),))
    assert (permissions.network, permissions.hosts) == ("off", ("10.0.0.1:443",))


def test_granting_every_host_turns_the_network_on() -> None:
    grants = (Grant("host", "10.0.0.1:443"), Grant("host", "*"))
    permissions = effective_permissions(WorkspaceWrite(), REPO, grants=grants)
    assert (permissions.network, permissions.hosts) == ("on", ())


# --- protected names ------------------------------------------------------------------------------------------


def test_protected_paths_stay_read_only_inside_a_root() -> None:
    facts = REPO.but(protected=("/repo/.git", "/elsewhere/.git"), absent=("/repo/.codex", "/elsewhere/.codex"))
    permissions = effective_permissions(WorkspaceWrite(), facts)
    assert (permissions.read_only, permissions.absent) == (("/repo/.git",), ("/repo/.codex",))


def test_an_implied_root_never_reopens_a_protected_path() -> None:
    """Required [FIX]: `/repo` configured, and the command starts inside `/repo/.claude`."""
    facts = REPO.but(cwd="/repo/.claude", protected=("/repo/.claude",), **named("/repo"))
    permissions = effective_permissions(WorkspaceWrite(("/repo",)), facts)
    assert permissions == EffectivePermissions(writable=("/repo", "/tmp"), read_only=("/repo/.claude",))


def test_an_implied_root_inside_a_git_directory_is_not_writable() -> None:
    """Required: `cd .git/hooks` does not make the hooks writable, even when no root above tells us."""
    facts = REPO.but(cwd="/repo/.git/hooks")
    assert effective_permissions(WorkspaceWrite(), facts).writable == ("/tmp",)


def test_a_root_configured_for_exactly_the_protected_path_reopens_it() -> None:
    facts = REPO.but(protected=("/repo/.git", "/repo/.git/hooks"), **named("/repo/.git"))
    permissions = effective_permissions(WorkspaceWrite(("/repo/.git",)), facts)
    assert (permissions.writable, permissions.read_only) == (("/repo", "/tmp", "/repo/.git"), ("/repo/.git/hooks",))


def test_starting_inside_a_reopened_path_is_writable() -> None:
    facts = REPO.but(cwd="/repo/.git/modules/lib", **named("/repo/.git"))
    assert "/repo/.git/modules/lib" in effective_permissions(WorkspaceWrite(("/repo/.git",)), facts).writable


def test_a_root_configured_above_does_not_reopen_it() -> None:
    facts = REPO.but(protected=("/repo/.git",), **named("/repo"))
    assert effective_permissions(WorkspaceWrite(("/repo",)), facts).read_only == ("/repo/.git",)


def test_a_grant_for_a_protected_file_lifts_the_protection_without_a_mount() -> None:
    """Our choice: a mount point cannot be replaced by rename, and most editors replace."""
    facts = REPO.but(protected=("/repo/.gitmodules",), **named("/repo/.gitmodules"))
    permissions = effective_permissions(WorkspaceWrite(), facts, grants=(Grant("write_path", "/repo/.gitmodules"),))
    assert permissions == EffectivePermissions(writable=("/repo", "/tmp"))


def test_a_grant_for_an_absent_name_lets_it_be_created() -> None:
    facts = REPO.but(absent=("/repo/.codex", "/repo/.git"), **named("/repo/.git"))
    permissions = effective_permissions(WorkspaceWrite(), facts, grants=(Grant("write_path", "/repo/.git"),))
    assert permissions == EffectivePermissions(writable=("/repo", "/tmp"), absent=("/repo/.codex",))


def test_a_grant_inside_a_protected_directory_opens_only_that() -> None:
    facts = REPO.but(protected=("/repo/.git",), **named("/repo/.git/index"))
    permissions = effective_permissions(WorkspaceWrite(), facts, grants=(Grant("write_path", "/repo/.git/index"),))
    assert permissions == EffectivePermissions(
        writable=("/repo", "/tmp", "/repo/.git/index"), read_only=("/repo/.git",)
    )


def test_directories_above_an_anchored_path_are_pinned() -> None:
    """Required: `mv sub old; mkdir -p sub/.git` would put an impostor where the user's repository was."""
    facts = REPO.but(protected=("/repo/a/b/.git",), anchored=("/repo/a/b/.git",))
    permissions = effective_permissions(WorkspaceWrite(), facts)
    assert permissions.writable == ("/repo", "/tmp", "/repo/a", "/repo/a/b")


def test_a_pin_never_opens_a_protected_directory() -> None:
    """Required: a pin is a writable mount."""
    protected = ("/repo/.git", "/repo/.git/modules/lib/hooks")
    facts = REPO.but(protected=protected, anchored=protected)
    assert effective_permissions(WorkspaceWrite(), facts).writable == ("/repo", "/tmp")


def test_a_repository_below_another_root_is_pinned_itself() -> None:
    facts = REPO.but(cwd="/tmp/x/repo", protected=("/tmp/x/repo/.git",), anchored=("/tmp/x/repo/.git",))
    assert effective_permissions(WorkspaceWrite(), facts).writable == ("/tmp", "/tmp/x", "/tmp/x/repo")


def test_linked_worktree_directories_open_together_with_the_worktree() -> None:
    facts = REPO.but(companions=("/main/.git",), protected=("/main/.git/hooks",))
    permissions = effective_permissions(WorkspaceWrite(), facts)
    assert (permissions.writable, permissions.read_only) == (("/repo", "/tmp", "/main/.git"), ("/main/.git/hooks",))


# --- hidden paths ---------------------------------------------------------------------------------------------

SECRETIVE = REPO.but(
    secrets=("/home/me/.aws", "/home/me/.ssh/id_rsa"), sockets=("/run",), sealed=("/home/me/.sandgate",)
)
ALL_HIDDEN = ("/run", "/home/me/.aws", "/home/me/.sandgate", "/home/me/.ssh/id_rsa")
SEALED = ("/home/me/.sandgate",)


def test_secrets_sockets_and_our_own_state_are_hidden() -> None:
    assert effective_permissions(ReadOnly(), SECRETIVE) == EffectivePermissions(hidden=ALL_HIDDEN, sealed=SEALED)


def test_a_read_grant_opens_exactly_one_secret() -> None:
    facts = SECRETIVE.but(**named("/home/me/.aws"))
    permissions = effective_permissions(ReadOnly(), facts, grants=(Grant("read_path", "/home/me/.aws"),))
    assert permissions.hidden == ("/run", "/home/me/.sandgate", "/home/me/.ssh/id_rsa")


def test_a_read_grant_below_a_hidden_directory_reopens_that_part() -> None:
    facts = SECRETIVE.but(**named("/home/me/.aws/config"))
    permissions = effective_permissions(ReadOnly(), facts, grants=(Grant("read_path", "/home/me/.aws/config"),))
    assert (permissions.hidden, permissions.reopened) == (ALL_HIDDEN, ("/home/me/.aws/config",))


def test_a_read_grant_above_a_secret_does_not_open_it() -> None:
    facts = SECRETIVE.but(**named("/home/me"))
    permissions = effective_permissions(ReadOnly(), facts, grants=(Grant("read_path", "/home/me"),))
    assert permissions == EffectivePermissions(hidden=ALL_HIDDEN, sealed=SEALED)


@pytest.mark.parametrize("kind", ["read_path", "write_path", "write_root", "unix_socket"])
def test_nothing_opens_our_own_state(kind: str) -> None:
    facts = SECRETIVE.but(**named("/home/me/.sandgate/x"))
    grants = (Grant(kind, "/home/me/.sandgate/x"),)  # type: ignore[arg-type]
    if kind.startswith("write"):
        with pytest.raises(ConfinementError, match=r"cannot make `/home/me/\.sandgate/x` writable"):
            effective_permissions(WorkspaceWrite(), facts, grants=grants)
    else:
        assert effective_permissions(ReadOnly(), facts, grants=grants) == EffectivePermissions(
            hidden=ALL_HIDDEN, sealed=SEALED
        )


def test_a_granted_socket_is_named_while_its_directory_stays_hidden() -> None:
    facts = SECRETIVE.but(**named("/run/docker.sock"))
    permissions = effective_permissions(ReadOnly(), facts, grants=(Grant("unix_socket", "/run/docker.sock"),))
    assert permissions == EffectivePermissions(hidden=ALL_HIDDEN, sealed=SEALED, sockets=("/run/docker.sock",))


def test_a_working_directory_among_sockets_is_reachable() -> None:
    facts = SECRETIVE.but(cwd="/run/media/disk/repo")
    written = effective_permissions(WorkspaceWrite(), facts)
    read = effective_permissions(ReadOnly(), facts)
    assert "/run/media/disk/repo" in written.writable
    assert read.reopened == ("/run/media/disk/repo",)


@pytest.mark.parametrize("cwd", ["/home/me/.aws", "/home/me/.aws/sso", "/run", "/home/me/.sandgate"])
def test_a_hidden_working_directory_is_refused_with_a_reason(cwd: str) -> None:
    with pytest.raises(ConfinementError, match=f"cannot work in `{cwd}`"):
        effective_permissions(WorkspaceWrite(), SECRETIVE.but(cwd=cwd))


def test_protected_names_do_not_reopen_what_is_hidden() -> None:
    facts = SECRETIVE.but(cwd="/home/me", protected=("/home/me/.aws/.git",), anchored=("/home/me/.aws/.git",))
    assert effective_permissions(WorkspaceWrite(), facts).read_only == ()


def test_the_way_to_our_own_state_is_pinned() -> None:
    facts = REPO.but(cwd="/home/me", sealed=("/home/me/x/state",), anchored=("/home/me/x/state",))
    permissions = effective_permissions(WorkspaceWrite(), facts)
    assert (permissions.writable, permissions.hidden) == (("/tmp", "/home/me", "/home/me/x"), ("/home/me/x/state",))


# --- roots that cannot be --------------------------------------------------------------------------------------


@pytest.mark.parametrize("root", ["/", "/proc", "/sys/fs", "/dev"])
def test_the_whole_disk_and_the_kernels_directories_cannot_be_roots(root: str) -> None:
    with pytest.raises(ConfinementError, match="cannot make"):
        effective_permissions(WorkspaceWrite((root,)), REPO.but(**named(root)))


def test_shared_memory_may_be_a_root() -> None:
    permissions = effective_permissions(WorkspaceWrite(("/dev/shm",)), REPO.but(**named("/dev/shm")))
    assert permissions.writable == ("/repo", "/tmp", "/dev/shm")


@pytest.mark.parametrize("cwd", ["/", "/proc/self", "/dev"])
def test_starting_there_opens_nothing(cwd: str) -> None:
    assert effective_permissions(WorkspaceWrite(), REPO.but(cwd=cwd)).writable == ("/tmp",)


OWN = REPO.but(
    own=("/repo/.venv", "/repo/.venv-mcp"), shared=("/repo/lib",), protected=("/repo/.venv", "/repo/lib"),
    absent=("/repo/.venv-mcp",),
)  # fmt: skip


@pytest.mark.parametrize("kind", ["write_path", "write_root"])
@pytest.mark.parametrize("path", ["/repo/.venv", "/repo/.venv/bin/python", "/repo/.venv-mcp", "/repo/lib"])
def test_nothing_opens_our_own_code(kind: str, path: str) -> None:
    """Required: not even a grant, since what it lets in runs outside the sandbox at the next start."""
    with pytest.raises(ConfinementError, match="belongs to Sandgate itself or to the Python that runs it"):
        effective_permissions(WorkspaceWrite(), OWN.but(**named(path)), grants=(Grant(kind, path),))  # type: ignore[arg-type]
    with pytest.raises(ConfinementError, match="belongs to Sandgate itself"):
        effective_permissions(WorkspaceWrite((path,)), OWN.but(**named(path)))


def test_a_root_above_our_own_code_leaves_it_closed() -> None:
    permissions = effective_permissions(WorkspaceWrite(("/repo",)), OWN.but(**named("/repo")))
    assert permissions.read_only == ("/repo/.venv", "/repo/lib")
    assert permissions.absent == ("/repo/.venv-mcp",)
    assert set(permissions.own) == {"/repo/.venv", "/repo/.venv-mcp", "/repo/lib"}


def test_what_is_not_ours_in_a_shared_directory_can_be_opened() -> None:
    permissions = effective_permissions(
        WorkspaceWrite(), OWN.but(**named("/repo/lib/other")), grants=(Grant("write_root", "/repo/lib/other"),)
    )
    assert "/repo/lib/other" in permissions.writable


OWN_TMP = REPO.but(private_tmp="/state/tmp/+repo/tmp")


def test_a_tmp_of_the_projects_own_takes_the_place_of_the_hosts_and_of_tmpdir() -> None:
    permissions = effective_permissions(WorkspaceWrite(), OWN_TMP.but(tmpdir="/var/scratch"))
    assert permissions == EffectivePermissions(
        writable=("/repo", "/tmp"), private_tmp=PrivateTmp("/tmp", "/state/tmp/+repo/tmp")
    )


def test_it_is_there_where_nothing_may_be_written_too() -> None:
    for policy in (ReadOnly(), WorkspaceWrite(exclude_slash_tmp=True)):
        permissions = effective_permissions(policy, OWN_TMP)
        assert permissions.private_tmp == PrivateTmp("/tmp", "/state/tmp/+repo/tmp")
        assert "/tmp" not in permissions.writable
    assert effective_permissions(
        WorkspaceWrite(exclude_slash_tmp=True), OWN_TMP.but(tmpdir="/var/scratch")
    ).writable == ("/repo", "/var/scratch")


@pytest.mark.parametrize("needed", ["cwd", "kept", "root", "read", "write", "socket"])
def test_an_entry_of_the_hosts_with_something_named_in_it_stays_what_it_is(needed: str) -> None:
    facts = OWN_TMP.but(**named("/tmp/a/b"), protected=("/tmp/a/b/.git", "/tmp/z/.git"), sockets=("/tmp/a/s", "/tmp/z"))
    policy = WorkspaceWrite()
    grants: tuple[Grant, ...] = ()
    match needed:
        case "cwd":
            facts = facts.but(cwd="/tmp/a/b")
        case "kept":
            facts = facts.but(kept_in_tmp=("/tmp/a/b",))
        case "root":
            policy = WorkspaceWrite(("/tmp/a/b",))
        case kind:
            kinds = {"read": "read_path", "write": "write_path", "socket": "unix_socket"}
            grants = (Grant(kinds[kind], "/tmp/a/b"),)  # type: ignore[arg-type] # one of three
    permissions = effective_permissions(policy, facts, grants=grants)
    assert permissions.private_tmp is not None
    assert permissions.private_tmp.shown == ("/tmp/a",)
    assert "/tmp/a" in permissions.reopened
    assert permissions.hidden == ("/tmp/a/s",)
    assert not permissions.may_write("/tmp/a/x")
    assert permissions.may_write("/tmp/x")
    assert permissions.may_write("/tmp/a/b/x") == (needed in ("cwd", "root", "write"))


@pytest.mark.parametrize("facts", [OWN_TMP.but(cwd="/tmp"), OWN_TMP.but(slash_tmp=None), REPO])
def test_who_works_in_tmp_itself_has_the_hosts(facts: WorkspaceFacts) -> None:
    assert effective_permissions(WorkspaceWrite(), facts).private_tmp is None


def test_who_names_tmp_itself_has_the_hosts() -> None:
    facts = OWN_TMP.but(**named("/tmp"))
    permissions = effective_permissions(WorkspaceWrite(("/tmp",)), facts)
    assert (permissions.private_tmp, permissions.writable) == (None, ("/repo", "/tmp"))
    granted = effective_permissions(WorkspaceWrite(), facts, grants=(Grant("write_root", "/tmp"),))
    assert granted.private_tmp is None


def test_no_entry_of_the_hosts_becomes_writable_because_something_in_it_must_not_move() -> None:
    facts = OWN_TMP.but(cwd="/tmp/a/b", absent=("/tmp/a/b/.git",), anchored=("/tmp/a/b/.git",))
    assert effective_permissions(WorkspaceWrite(), facts).writable == ("/tmp", "/tmp/a/b")


def test_where_nothing_can_lie_at_tmp_scratch_files_have_a_directory_beside_it() -> None:
    facts = REPO.but(scratch="/state/tmp/+repo/tmp", sealed=("/state",), tmpdir="/var/scratch")
    permissions = effective_permissions(WorkspaceWrite(), facts)
    assert permissions.writable == ("/repo", "/tmp", "/state/tmp/+repo/tmp")
    assert (permissions.scratch, permissions.hidden) == ("/state/tmp/+repo/tmp", ("/state",))
    assert effective_permissions(ReadOnly(), facts).scratch == ""


def test_in_the_hosts_paths_the_own_directory_is_open_and_the_hosts_tmp_closed() -> None:
    permissions = effective_permissions(WorkspaceWrite(), OWN_TMP.but(cwd="/tmp/a/b", sealed=("/state",))).on_host()
    assert permissions.may_write("/state/tmp/+repo/tmp/x")
    assert permissions.may_write("/tmp/a/b/x")
    assert [permissions.may_write(path) for path in ("/tmp/x", "/tmp/a/x", "/state/x")] == [False] * 3
    assert "/tmp" in permissions.hidden


@given(st.lists(st.sampled_from(["/tmp/a", "/tmp/a/b", "/tmp/c", "/other", "/tmp/a/b/c"]), max_size=4), st.data())
def test_both_views_agree_on_every_path(needed: list[str], data: st.DataObject) -> None:
    tmp = effective_permissions(WorkspaceWrite(), OWN_TMP.but(kept_in_tmp=tuple(needed))).private_tmp
    assert tmp is not None
    path = data.draw(st.sampled_from(["/tmp", "/tmp/a", "/tmp/ab", "/tmp/a/b", "/tmp/c/x", "/tmpx", "/other", "/"]))
    place = tmp.on_host(path)
    assert tmp.inside(place) == path
    assert (place != path) == tmp.holds(path)


def test_a_name_of_thousands_of_parts_is_judged_as_any_other() -> None:
    """Required: a command may have a submodule say so, and every later command is judged by it."""
    deep = "/ws" + "/a" * 1900
    permissions = effective_permissions(WorkspaceWrite(), WorkspaceFacts(cwd="/ws", absent=(deep, "/elsewhere/x")))
    assert permissions.absent == (deep,)

"""Which backend a session uses, and what its plans hold."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from sandgate.config import TypedOverrides
from sandgate.errors import BackendUnavailable
from sandgate.gate import confinement
from sandgate.gate.confinement import Confinement
from sandgate.kernel import landlock
from sandgate.protocol.confinement import SetupFailure
from sandgate.protocol.permissions import EffectivePermissions, Grant
from sandgate.protocol.trace import Notice
from sandgate.runtime import Environment, open_runtime
from sandgate.sandbox import probe
from sandgate.sandbox.capabilities import Trial
from sandgate.sandbox.facts import workspace_facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.policy.effective import WorkspaceFacts
    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.trace import TraceRecord

REFUSED = SetupFailure("make namespaces", "EPERM")


class Host:
    """One workspace, and what its sessions said."""

    def __init__(self, folder: Path) -> None:
        self.repo, self.home = folder / "repo", folder / "home"
        for place in (self.repo, self.home):
            place.mkdir()
        self.said: list[TraceRecord] = []

    def session(self, **typed: Any) -> Confinement:
        environ = {"PATH": "/usr/bin:/bin", "HOME": str(self.home)}
        environment = Environment(
            str(self.repo),
            environ,
            overrides=("sandbox_workspace_write.exclude_slash_tmp=true",),  # the test's own folders are below it
            typed=TypedOverrides(**{"sandbox_mode": "workspace-write", **typed}),
        )
        self.runtime = open_runtime(environment, record=self.said.append)
        return self.runtime.confinement

    def plan(self, session: Confinement, *grants: Grant) -> ConfinedCommand:
        return session.plan(self.runtime.request(("true",)), grants)


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    """Has the helper's file; what it can do is up to the test."""
    helper = tmp_path / "sandgate-exec"
    helper.touch()
    monkeypatch.setattr(confinement, "find_helper", lambda: (str(helper), ""))
    return Host(tmp_path)


@pytest.fixture
def landlock_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "supported_abi", lambda: 7)
    monkeypatch.setattr(probe, "landlock_trial", lambda: Trial(("landlock", "notify")))


def test_namespaces_are_tried_first(host: Host) -> None:
    assert host.plan(host.session()).backend == "namespace"


@pytest.mark.usefixtures("landlock_works")
def test_after_the_first_refusal_the_session_goes_on_with_landlock_and_says_so(host: Host) -> None:
    session = host.session()
    plan = host.plan(session)
    assert session.fall_back(plan, REFUSED)
    assert host.plan(session).backend == "landlock"
    (notice,) = host.said
    assert isinstance(notice, Notice)
    assert "step `make namespaces` failed with EPERM" in notice.message


@pytest.mark.usefixtures("landlock_works")
def test_the_next_session_says_nothing_more(host: Host) -> None:
    for _ in range(2):
        session = host.session()
        assert session.fall_back(host.plan(session), REFUSED)
    assert len(host.said) == 1


def test_a_backend_that_was_asked_for_is_not_exchanged(host: Host) -> None:
    """Required."""
    session = host.session(backend="namespace")
    assert not session.fall_back(host.plan(session), REFUSED)


def test_no_other_backend_means_no_command(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "supported_abi", lambda: 0)
    session = host.session()
    with pytest.raises(BackendUnavailable):
        session.fall_back(host.plan(session), REFUSED)


def test_without_the_helper_a_wish_for_namespaces_fails_with_the_reason(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confinement, "find_helper", lambda: (None, "there is no C compiler"))
    with pytest.raises(BackendUnavailable) as caught:
        host.plan(host.session(backend="namespace"))
    assert caught.value.why == "there is no C compiler"


@pytest.mark.usefixtures("landlock_works")
def test_without_the_helper_landlock_takes_over_at_once(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confinement, "find_helper", lambda: (None, "there is no C compiler"))
    assert host.plan(host.session()).backend == "landlock"


def test_a_policy_without_a_sandbox_needs_no_backend(host: Host) -> None:
    session = host.session(sandbox_mode="danger-full-access")
    assert not host.plan(session).confined


def test_grants_are_part_of_the_plan_and_only_of_that_one(host: Host, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    session = host.session()
    grant = Grant("write_root", str(outside))
    given, plain = host.plan(session, grant).permissions, host.plan(session).permissions
    assert set(given.writable) - set(plain.writable) == {str(outside)}
    assert host.plan(session).permissions == plain


def test_what_no_view_can_give_is_left_to_the_supervisor_of_that_plan(host: Host, tmp_path: Path) -> None:
    """Required: what a held call was given is there in a later run, too, and in no other."""
    made = Grant("new_entry", str(tmp_path / "new"))
    session = host.session()
    assert host.plan(session, made).supervised_grants == (made,)
    assert host.plan(session).supervised_grants == ()


def test_sandgates_own_files_are_closed_to_commands(host: Host) -> None:
    """Required: also when the home is writable."""
    state = host.home / ".sandgate"
    state.mkdir()
    session = host.session(add_dirs=(str(host.home),), allow_broad_workspace=True)
    assert session.state_directory == str(state)
    assert str(state) in session.permissions().hidden


def test_the_approvals_are_closed_before_there_are_any(host: Host) -> None:
    """Required: also when the home is writable; what a command could make first, it would keep a hand in."""
    state = host.home / ".local" / "state" / "sandgate"
    permissions = host.session(add_dirs=(str(host.home),), allow_broad_workspace=True).permissions()
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert str(state) in permissions.hidden
    assert str(state.parent.parent) in permissions.hidden  # what lies in it is out of reach, and it cannot be moved


def test_a_way_to_the_approvals_that_is_open_stays_where_it_is(host: Host) -> None:
    """Required: who could move a directory above them away would put another in its place."""
    opened = host.home / ".local"
    opened.mkdir()
    roots = (str(host.home), str(opened))
    permissions = host.session(add_dirs=roots, allow_broad_workspace=True).permissions()
    state = opened / "state" / "sandgate"
    assert str(state) in permissions.hidden
    mounted = {*permissions.writable, *permissions.hidden}
    assert {str(opened), str(state.parent)} <= mounted


def test_nothing_but_their_tmp_is_made_in_a_home_that_commands_cannot_write_to(host: Host) -> None:
    tmp = host.session().permissions().private_tmp
    assert tmp is not None
    made = {path for path in host.home.rglob("*") if path.is_dir()}
    assert made == {place for place in [Path(tmp.source), *Path(tmp.source).parents] if host.home in place.parents}


def test_sessions_anywhere_in_one_project_share_its_tmp_and_others_do_not(host: Host) -> None:
    (host.repo / ".git").mkdir()
    (host.repo / "below").mkdir()
    first = host.session().permissions().private_tmp
    host.repo = host.repo / "below"
    again = host.session().permissions().private_tmp
    host.repo = host.home / "elsewhere"
    host.repo.mkdir()
    other = host.session().permissions().private_tmp
    assert first is not None
    assert again is not None
    assert other is not None
    assert first.source == again.source != other.source


def test_a_home_that_cannot_be_written_gives_each_command_a_tmp_in_memory(host: Host) -> None:
    (host.home / ".local").write_text("")
    tmp = host.session().permissions().private_tmp
    assert tmp is not None
    assert tmp.source == ""
    mounts = {mount.path: mount.source for mount in host.plan(host.session()).mounts}
    assert mounts["/tmp"] == "memory"


def test_what_appeared_under_a_protected_name_is_taken_away(host: Host) -> None:
    planted = host.repo / ".codex"
    planted.write_text("evil")
    (sentence,) = host.session().quarantine((str(planted),))
    assert f"`{planted}` was created in spite of its protection and was moved to `{host.home}/.sandgate/" in sentence
    assert not planted.exists()


class SwapsMeanwhile:
    """Equal to everything; while it is compared, another thread comes by."""

    def __init__(self, meanwhile: Callable[[], None]) -> None:
        self._meanwhile = meanwhile

    def __eq__(self, _other: object) -> bool:
        self._meanwhile()
        return True

    __hash__ = None  # type: ignore[assignment]


def test_the_grant_of_another_thread_is_never_used(tmp_path: Path) -> None:
    """Required: threads may share a session."""
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "repo").mkdir()
    environment = Environment(str(tmp_path / "repo"), {"PATH": "/usr/bin:/bin", "HOME": str(home)})
    session = open_runtime(environment).confinement
    own, others = EffectivePermissions(), EffectivePermissions(writable=("/etc",))

    def another_thread() -> None:
        session._before = (facts, (), others)

    facts: Any = SwapsMeanwhile(another_thread)
    session._before = (facts, (), own)
    assert session.permissions() is own


def test_what_could_not_be_protected_is_said_once(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    def facts(*asked: Any, **more: Any) -> WorkspaceFacts:
        return workspace_facts(*asked, **more).but(notes=("beware",))

    monkeypatch.setattr(confinement, "workspace_facts", facts)
    session = host.session()
    for _ in range(2):
        host.plan(session)
    assert [record.message for record in host.said if isinstance(record, Notice)] == ["beware"]


def test_closed_entries_are_what_the_home_has_and_somebody_can_open(host: Host) -> None:
    """Required: not our own state, which nothing opens, and nothing outside of the home."""
    for name in (".aws", ".foo", ".bashrc", "plain"):
        (host.home / name).mkdir()
    assert sorted(host.session().closed_entries() or ()) == [
        f"{host.home}/{name}" for name in (".aws", ".foo", ".local")
    ]
    assert host.session(sandbox_mode="danger-full-access").closed_entries() is None

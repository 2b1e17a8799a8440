"""What one look at the disk reports."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandgate.errors import ConfinementError, DirectoryMissing
from sandgate.policy.effective import WorkspaceFacts, effective_permissions
from sandgate.protocol.permissions import DangerFullAccess, Grant, ReadOnly, WorkspaceWrite
from sandgate.sandbox import facts as facts_module
from sandgate.sandbox import looking, own_code
from sandgate.sandbox.facts import workspace_facts
from sandgate.sandbox.grounds import Grounds
from sandgate.sandbox.memory import Memory, Moment
from sandgate.sandbox.protection import Protection
from sandgate.sandbox.stored_facts import save
from support.process.waiting import until_the_clock_of_files_moves

TRIES = 100  # a neighbour's change in /tmp spoils some


@pytest.fixture(autouse=True, scope="module")
def _nobody_else_listens() -> Iterator[None]:
    """Whose sockets come and go on this machine is `test_sockets.py`'s concern."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(facts_module, "listening_names", lambda: ())
        yield


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    return tmp_path / "repo"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    (tmp_path / "state").mkdir()
    return tmp_path / "state"


def look(repo: Path, state: Path, policy: Any = WorkspaceWrite(), **more: Any) -> WorkspaceFacts:  # noqa: B008
    environ = {"HOME": str(repo.parent), **more.pop("environ", {})}
    return workspace_facts(policy, policy_cwd=str(repo), environ=environ, state_directory=str(state), **more)


def test_the_directory_and_its_protected_names_are_found(repo: Path, state: Path) -> None:
    facts = look(repo, state)
    assert (facts.cwd, facts.uid, facts.slash_tmp, facts.home) == (
        str(repo),
        os.geteuid(),
        os.path.realpath("/tmp"),
        str(repo.parent),
    )
    assert str(repo / ".git") in facts.protected
    assert str(repo / ".codex") in facts.absent


def test_no_link_leads_to_the_working_directory(repo: Path, state: Path, tmp_path: Path) -> None:
    """Required: it was canonical when the session was opened; what is put in its place is another workspace."""
    (tmp_path / "link").symlink_to(repo)
    with pytest.raises(ConfinementError, match="is another one now"):
        look(tmp_path / "link", state)
    assert look(repo, state).cwd == str(repo)


def test_a_root_that_is_not_there_is_noted_until_it_is(repo: Path, state: Path, tmp_path: Path) -> None:
    root, memory = tmp_path / "root", Memory()
    note = f"the writable root `{root}` does not exist, so nothing can be written there"
    assert look(repo, state, WorkspaceWrite((str(root),)), memory=memory).notes == (note,)
    root.mkdir()
    assert look(repo, state, WorkspaceWrite((str(root),)), memory=memory).notes == ()


@pytest.mark.parametrize("name", ["gone", "file"])
def test_a_working_directory_that_is_none_is_an_error(repo: Path, state: Path, name: str) -> None:
    (repo / "file").write_text("")
    with pytest.raises(DirectoryMissing, match="cannot enter the directory"):
        look(repo / name, state)


def test_a_tmpdir_behind_a_link_that_anybody_could_plant_is_skipped(repo: Path, state: Path) -> None:
    """/tmp is everybody's, and these tests live there."""
    planted = Path(tempfile.mkdtemp(dir="/tmp"))
    (planted / "link").symlink_to(repo.parent)
    try:
        assert look(repo, state, environ={"TMPDIR": str(planted / "link")}).tmpdir is None
        assert look(repo, state, environ={"TMPDIR": str(planted)}).tmpdir == str(planted)
    finally:
        (planted / "link").unlink()
        planted.rmdir()


@pytest.mark.parametrize("value", ["", "relative", "/nowhere/at/all"])
def test_a_bad_tmpdir_is_skipped(repo: Path, state: Path, value: str) -> None:
    assert look(repo, state, environ={"TMPDIR": value}).tmpdir is None


def test_missing_roots_are_left_out(repo: Path, state: Path) -> None:
    (repo.parent / "other").mkdir()
    facts = look(repo, state, extra_roots=["/nowhere/at/all", str(repo.parent / "other")])
    assert facts.resolved == {str(repo.parent / "other"): str(repo.parent / "other")}


def test_extra_roots_are_searched_for_protected_names(repo: Path, state: Path, tmp_path: Path) -> None:
    (tmp_path / "other" / "sub" / ".git").mkdir(parents=True)
    facts = look(repo, state, extra_roots=[str(tmp_path / "other")])
    assert str(tmp_path / "other" / "sub" / ".git") in facts.protected


def test_a_root_behind_a_link_that_a_command_could_plant_is_refused(repo: Path, state: Path, tmp_path: Path) -> None:
    """Required: run 1 swaps `build` for a link to the home directory, run 2 must not make that writable."""
    (repo / "build").symlink_to(tmp_path)
    with pytest.raises(ConfinementError, match=r"cannot make `.*build` writable") as refusal:
        look(repo, state, extra_roots=[str(repo / "build")])
    assert f"`{repo / 'build'}` is a symbolic link" in refusal.value.why


def test_a_grant_through_a_link_is_refused(repo: Path, state: Path, tmp_path: Path) -> None:
    """Required: what was approved is the path that was shown."""
    (tmp_path / "link").symlink_to(repo)
    with pytest.raises(ConfinementError, match="cannot grant"):
        look(repo, state, grants=(Grant("write_path", str(tmp_path / "link" / "file")),))


def test_a_write_grant_may_name_a_file_that_does_not_exist_yet(repo: Path, state: Path) -> None:
    new = str(repo.parent / "new.txt")
    facts = look(repo, state, ReadOnly(), grants=(Grant("write_path", new), Grant("read_path", new + "2")))
    assert facts.resolved == {new: new}


def test_aliases_of_protected_files_are_protected(repo: Path, state: Path) -> None:
    (repo / ".bashrc").write_text("")
    os.link(repo / ".bashrc", repo / "alias")
    assert str(repo / "alias") in look(repo, state).protected


def test_our_own_state_is_sealed_and_must_not_be_made_by_others(repo: Path, state: Path, tmp_path: Path) -> None:
    there, missing = look(repo, state), look(repo, tmp_path / "none")
    assert (there.sealed[0], str(state) in there.absent) == (str(state), False)
    none = str(tmp_path / "none")
    assert (none in missing.sealed, none in missing.absent, none in missing.unmade) == (False, True, True)


@pytest.mark.parametrize("value", ["/etc", "/usr", "home"])
def test_a_tmpdir_that_would_open_the_system_or_the_home_is_skipped(repo: Path, state: Path, value: str) -> None:
    """Required: one variable must not open what nobody named."""
    tmpdir = str(repo.parent) if value == "home" else value
    facts = look(repo, state, environ={"TMPDIR": tmpdir})
    assert facts.tmpdir is None
    permissions = effective_permissions(WorkspaceWrite(exclude_slash_tmp=True), facts)
    assert permissions.writable[-1:] == (str(repo),)
    assert tmpdir not in permissions.writable


def test_our_own_code_is_protected(repo: Path, state: Path) -> None:
    """Required: a command in a project that has Sandgate in its virtual environment must not edit Sandgate."""
    import sandgate

    assert os.path.dirname(sandgate.__file__) in look(repo, state).protected


def test_secrets_of_the_home_are_found_and_can_be_opened(repo: Path, state: Path) -> None:
    (repo.parent / ".aws").mkdir()
    (repo.parent / ".netrc").write_text("")
    (repo.parent / "key.pem").write_text("")
    opened, more = [str(repo.parent / ".netrc")], [str(repo.parent / "key.pem"), "/nowhere/at/all"]
    facts = look(repo, state, opened_secrets=opened, more_secrets=more)
    secrets = {path for path in facts.secrets if path.startswith(str(repo.parent))}
    assert secrets == {str(repo.parent / ".aws"), str(repo.parent / "key.pem")}


def test_a_false_home_does_not_uncover_the_real_one(repo: Path, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: no single environment variable switches protection off."""
    import pwd

    real = repo.parent / "real-home"
    (real / ".aws").mkdir(parents=True)
    account = pwd.struct_passwd(("me", "x", os.geteuid(), os.getegid(), "", str(real), "/bin/sh"))
    monkeypatch.setattr("sandgate.sandbox.roots.PASSWD", "/nonexistent")  # not a local account
    monkeypatch.setattr(pwd, "getpwuid", lambda _uid: account)
    assert str(real / ".aws") in look(repo, state).secrets


def test_nothing_is_looked_up_for_an_unconfined_command(repo: Path, state: Path) -> None:
    assert look(repo, state, DangerFullAccess()) == WorkspaceFacts(cwd=str(repo), uid=os.geteuid())


def test_the_whole_way_from_disk_to_permissions(repo: Path, state: Path) -> None:
    permissions = effective_permissions(WorkspaceWrite(exclude_slash_tmp=True), look(repo, state))
    assert (permissions.writable, permissions.read_only) == ((str(repo),), (str(repo / ".git"),))
    assert str(state) in permissions.hidden


# --- what is remembered -----------------------------------------------------------------------------------------------

NAMES = (
    ".git",
    ".git/hooks",
    ".git/hooks/pre-commit",
    ".git/config",
    ".codex",
    "src",
    "src/.git",
    "src/deep",
    ".envrc",
)
HOME_NAMES = (
    *(".ssh", ".ssh/config", ".ssh/id_x", ".aws", ".config", ".config/gh", ".netrc", "key", "tmp"),
    *(".local", ".local/state", ".local/state/sandgate"),
)
TEXTS = ("", "gitdir: ../elsewhere", "IdentityFile ~/key", "gitdir: /nowhere")
TARGETS = ("src", "../home", "nowhere", ".git")
PLACES = (
    *(f"repo/{name}" for name in NAMES),
    *(f"home/{name}" for name in HOME_NAMES),
    *("state", "elsewhere", "elsewhere/sandgate"),
)


def step(world: Path, kind: str, one: str, other: str, text: str, target: str) -> None:
    path = world / one
    with contextlib.suppress(OSError):
        match kind:
            case "directory":
                path.mkdir()
            case "file":
                path.write_text(text)
            case "link":
                path.symlink_to(target)
            case "second name":
                os.link(path, world / other)
            case "move":
                path.rename(world / other)
            case "remove":
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
            case "mode":
                os.chmod(path, 0o700) if not path.is_symlink() else None


STEPS = st.tuples(
    st.sampled_from(("directory", "directory", "file", "file", "link", "second name", "move", "remove", "mode")),
    st.sampled_from(PLACES),
    st.sampled_from(PLACES),
    st.sampled_from(TEXTS),
    st.sampled_from(TARGETS),
)


@given(st.lists(st.lists(STEPS, min_size=1, max_size=3), max_size=10))
def test_a_session_that_remembers_says_what_a_fresh_look_says(rounds: list[list[tuple[str, ...]]]) -> None:
    """Required: nothing that was made since the last command is taken for what it was."""
    with tempfile.TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as patch:
        patch.setattr(looking, "UNSETTLED_NS", -time.time_ns())  # the world of this test moves on as fast as it can
        patch.setattr(looking, "UNSETTLED_WHOLE_SECONDS_NS", -time.time_ns())
        world = Path(os.path.realpath(directory)) / "a" / "b"  # a link that was moved up still leads no further out
        for name in ("repo", "home", "elsewhere"):
            (world / name).mkdir(parents=True)
        memory = Memory()
        for steps in ([], [], *rounds, []):
            until_the_clock_of_files_moves(world)
            for each in steps:
                step(world, *each)
            assert said(world, memory) == said(world, None)


@settings(max_examples=max(5, settings().max_examples // 4))
@given(st.lists(st.lists(STEPS, min_size=1, max_size=3), max_size=10))
def test_sessions_that_go_on_with_what_was_stored_say_what_a_fresh_look_says(
    rounds: list[list[tuple[str, ...]]],
) -> None:
    """Required: as above, each time for the first command of a session."""
    with tempfile.TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as patch:
        patch.setattr(looking, "UNSETTLED_NS", -time.time_ns())
        patch.setattr(looking, "UNSETTLED_WHOLE_SECONDS_NS", -time.time_ns())
        patch.setattr(own_code, "own_grounds", lambda: Grounds((), (), ()))
        world, stored = Path(os.path.realpath(directory)) / "a" / "b", str(Path(directory) / "stored")
        for name in ("repo", "home", "elsewhere"):
            (world / name).mkdir(parents=True)
        for steps in ([], *rounds, []):
            until_the_clock_of_files_moves(world)
            for each in steps:
                step(world, *each)
            memory = Memory()
            assert said(world, memory, stored) == said(world, None)
            save(memory)


def said(world: Path, memory: Memory | None, stored: str = "") -> WorkspaceFacts | str:
    environ = {"HOME": str(world / "home"), "TMPDIR": str(world / "home" / "tmp")}
    environ["XDG_STATE_HOME"] = str(world / "elsewhere")
    policy = WorkspaceWrite(writable_roots=(str(world / "elsewhere"),))
    try:
        return workspace_facts(
            policy,
            policy_cwd=str(world / "repo"),
            environ=environ,
            state_directory=str(world / "state"),
            protection=Protection(git="hooks-and-config", optional_names=(".github/workflows",)),
            private_tmp=str(world / "tmp"),  # in the machine's /tmp others may leave a million files
            memory=memory,
            stored=stored,
        )
    except (ConfinementError, DirectoryMissing) as problem:
        return str(problem)


def test_nothing_is_looked_at_twice_while_nothing_changes(
    repo: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "UNSETTLED_NS", -time.time_ns())
    memory = Memory()
    look(repo, state, memory=memory)
    first = look(repo, state, memory=memory)
    monkeypatch.setattr(os, "listdir", None)
    monkeypatch.setattr(os, "scandir", None)
    monkeypatch.setattr(os, "readlink", None)
    assert look(repo, state, memory=memory) == first


def test_the_same_question_is_answered_as_a_whole_while_everything_stands(
    repo: Path, state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And only the same: what was said otherwise, or changed on the disk, is asked for part by part."""
    monkeypatch.setattr(looking, "UNSETTLED_NS", -time.time_ns())
    memory, parts, recall = Memory(), [0], Moment.recall

    def counted(self: Moment, *given: Any) -> Any:
        parts[0] += 1
        return recall(self, *given)

    def asked_in_parts(**more: Any) -> bool:
        parts[0] = 0
        look(repo, state, memory=memory, **more)
        return parts[0] > 0

    monkeypatch.setattr(Moment, "recall", counted)
    for _ in range(2):
        assert asked_in_parts()
    assert not all(asked_in_parts() for _ in range(TRIES))
    (tmp_path / "more").mkdir()
    assert asked_in_parts(grants=(Grant("write_root", str(tmp_path / "more")),))
    assert asked_in_parts(environ={"TMPDIR": str(tmp_path)})
    assert asked_in_parts()
    assert not all(asked_in_parts() for _ in range(TRIES))
    until_the_clock_of_files_moves(tmp_path)
    (repo / ".envrc").touch()
    assert asked_in_parts()


def test_other_names_of_a_protected_file_are_looked_for_each_time(
    repo: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "UNSETTLED_NS", -time.time_ns())
    (repo / "sub").mkdir()
    (repo / ".envrc").touch()
    os.link(repo / ".envrc", repo / "second")  # not outside: then all of /tmp would be looked through for it
    memory = Memory()
    for _ in range(3):
        look(repo, state, memory=memory)
    (repo / "sub/other").hardlink_to(repo / ".envrc")
    assert str(repo / "sub/other") in look(repo, state, memory=memory).protected


def test_our_own_code_is_told_apart_from_what_else_is_protected(repo: Path, state: Path) -> None:
    import sandgate

    facts = look(repo, state)
    assert os.path.dirname(sandgate.__file__) in facts.own
    assert str(repo.parent / ".cache" / "sandgate") not in facts.protected
    (repo.parent / ".cache" / "sandgate").mkdir(parents=True)
    facts = look(repo, state)
    assert str(repo.parent / ".cache" / "sandgate") in (*facts.protected,)
    assert str(repo.parent / ".cache" / "sandgate") in facts.own


def test_modules_that_commands_may_change_are_told_once_for_each_directory(
    repo: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sandgate.sandbox.own_code import OWN_CODE

    monkeypatch.setattr("sandgate.sandbox.survey.OWN_CODE", OWN_CODE.but(loaded=(str(repo / "src"), "/elsewhere")))
    (note,) = look(repo, state).notes
    assert str(repo / "src") in note


@pytest.mark.parametrize("variable", ["GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME"])
def test_settings_of_git_that_the_environment_names_count(
    repo: Path, state: Path, tmp_path: Path, variable: str
) -> None:
    place = tmp_path / "settings" / "git" / "config"
    place.parent.mkdir(parents=True)
    place.write_text("[core]\n\thooksPath = checks\n")
    for name in ("objects", "refs"):
        (repo / ".git" / name).mkdir(parents=True)
    (repo / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    value = str(place if variable == "GIT_CONFIG_GLOBAL" else tmp_path / "settings")
    environ = {"HOME": str(repo.parent), variable: value}
    facts = workspace_facts(WorkspaceWrite(), policy_cwd=str(repo), environ=environ, state_directory=str(state))
    assert str(repo / "checks") in facts.absent

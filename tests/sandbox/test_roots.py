"""Named directories and granted paths in canonical form, and the links that are refused."""

from __future__ import annotations

import pwd
from pathlib import Path

import pytest

from sandgate.config.paths import state_directory
from sandgate.errors import ConfinementError
from sandgate.protocol.permissions import Grant
from sandgate.sandbox.looking import Look
from sandgate.sandbox.roots import (
    OwnState,
    existing_directory,
    known_homes,
    own_state,
    resolved_grants,
    resolved_roots,
    scratch_directory,
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "repo").mkdir()
    (tmp_path / "data").mkdir()
    return tmp_path


def test_only_absolute_existing_directories_count(place: Path) -> None:
    (place / "link").symlink_to("repo")
    (place / "file").write_text("")
    assert existing_directory(f"{place}/link", Look()) == f"{place}/repo"
    assert [existing_directory(path, Look()) for path in ("", "relative", f"{place}/file", f"{place}/gone")] == [
        None
    ] * 4


def test_a_named_root_may_be_reached_through_a_link_that_no_command_can_change(place: Path) -> None:
    (place / "link").symlink_to("data")
    assert resolved_roots([f"{place}/link"], [f"{place}/repo"], Look()) == {f"{place}/link": f"{place}/data"}


@pytest.mark.parametrize("inside", ["implied", "named"])
def test_a_named_root_behind_a_link_inside_another_root_is_refused(place: Path, inside: str) -> None:
    (place / "repo" / "build").symlink_to(place / "data")
    named, implied = [f"{place}/repo/build"], [f"{place}/repo"]
    if inside == "named":
        named, implied = named + implied, []
    with pytest.raises(ConfinementError) as refusal:
        resolved_roots(named, implied, Look())
    assert (
        refusal.value.why == f"`{place}/repo/build` is a symbolic link in a directory that confined commands can change"
    )


def test_missing_roots_are_left_out(place: Path) -> None:
    assert resolved_roots([f"{place}/gone"], [None], Look()) == {}


def test_granted_paths_are_taken_as_they_were_shown(place: Path) -> None:
    grants = (
        Grant("write_path", f"{place}/new"),
        Grant("read_path", f"{place}/gone"),
        Grant("read_path", f"{place}/data"),
        Grant("host", "*"),
    )
    assert resolved_grants(grants, Look()) == {f"{place}/new": f"{place}/new", f"{place}/data": f"{place}/data"}


def test_a_granted_path_through_a_link_is_refused(place: Path) -> None:
    (place / "link").symlink_to("data")
    with pytest.raises(ConfinementError, match="cannot grant"):
        resolved_grants((Grant("write_path", f"{place}/link/file"),), Look())


def test_scratch_space_behind_a_shared_link_is_not_trusted(place: Path) -> None:
    (place / "repo" / "tmp").symlink_to(place / "data")
    assert scratch_directory(f"{place}/repo/tmp", Look(), shared=f"{place}/repo", homes=()) is None
    assert scratch_directory(f"{place}/repo/tmp", Look(), shared=f"{place}/data", homes=()) == f"{place}/data"
    assert scratch_directory("relative", Look(), shared=None, homes=()) is None


@pytest.mark.parametrize(
    "path", ["/", "/etc", "/usr", "/usr/share", "/bin", "/sbin", "/lib", "/boot", "/root", "/var", "/var/lib", "/opt"]
)
def test_a_part_of_the_system_is_no_scratch_space(path: str) -> None:
    """Required: `TMPDIR=/etc` must not make /etc writable."""
    assert scratch_directory(path, Look(), shared=None, homes=()) is None


@pytest.mark.parametrize("path", ["/srv", "/home", "/run", "/sys", "/proc", "/dev"])
def test_nor_is_what_the_kernel_or_other_people_keep(path: str) -> None:
    assert scratch_directory(path, Look(), shared=None, homes=()) is None


@pytest.mark.parametrize("path", ["/tmp", "/var/tmp", "/dev/shm"])
def test_the_usual_places_are_scratch_space(path: str) -> None:
    assert scratch_directory(path, Look(), shared=None, homes=()) == path


def test_a_home_is_no_scratch_space_but_a_directory_in_it_is(place: Path) -> None:
    """Required: `TMPDIR=$HOME` must not make the home directory writable."""
    homes = [f"{place}/repo"]
    (place / "repo" / "tmp").mkdir()
    found = [scratch_directory(str(path), Look(), shared=None, homes=homes) for path in (place, place / "repo")]
    assert found == [None, None]
    assert scratch_directory(f"{place}/repo/tmp", Look(), shared=None, homes=homes) == f"{place}/repo/tmp"


def test_both_homes_count(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    account = pwd.struct_passwd(("me", "x", 1, 1, "", f"{place}/data", "/bin/sh"))
    monkeypatch.setattr("sandgate.sandbox.roots.PASSWD", "/nonexistent")  # not a local account
    monkeypatch.setattr(pwd, "getpwuid", lambda _uid: account)
    assert known_homes(f"{place}/repo", 1, Look()) == [f"{place}/repo", f"{place}/data"]
    assert known_homes("/", 1, Look()) == [f"{place}/data"]


def test_an_account_without_an_entry_has_the_home_of_the_environment(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(_uid: int) -> pwd.struct_passwd:
        raise KeyError

    monkeypatch.setattr("sandgate.sandbox.roots.PASSWD", "/nonexistent")  # not a local account
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert known_homes(f"{place}/repo", 1, Look()) == [f"{place}/repo"]


def test_a_local_account_needs_no_look_up(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking the system loads its whole name service; the local file is enough for most."""
    accounts = tmp_path / "passwd"
    accounts.write_text(f"root:x:0:0::/root:/bin/sh\nme:x:77:77:,,,:{place}/data:/bin/sh\n")
    monkeypatch.setattr("sandgate.sandbox.roots.PASSWD", str(accounts))
    monkeypatch.setattr(pwd, "getpwuid", None)
    assert known_homes(f"{place}/repo", 77, Look()) == [f"{place}/repo", f"{place}/data"]


def test_our_own_directories_are_found_or_named(tmp_path: Path) -> None:
    home, state_home = tmp_path / "home", tmp_path / "state home"
    (state_home / "sandgate").mkdir(parents=True)
    home.mkdir()
    found = own_state(str(home / ".sandgate"), str(state_home), [str(home)], Look())
    assert found == OwnState(
        present=(str(state_home / "sandgate"),),
        missing=(str(home / ".sandgate"), str(home / ".local/state/sandgate")),
        absent=(str(home / ".sandgate"), str(home / ".local")),
    )


@pytest.mark.parametrize("by_variable", [False, True])
def test_a_file_in_the_way_to_our_own_directories_is_named(tmp_path: Path, by_variable: bool) -> None:
    """Required: taken away, it would make room for a directory of somebody else's."""
    (tmp_path / ".local").touch()
    homes, state_home = ([], str(tmp_path / ".local/state")) if by_variable else ([str(tmp_path)], "")
    found = own_state("/nowhere", state_home, homes, Look())
    assert found.missing == ("/nowhere", str(tmp_path / ".local/state/sandgate"))
    assert (found.absent, found.steps) == (("/nowhere",), (str(tmp_path / ".local"),))


@pytest.mark.parametrize("variables", [{}, {"XDG_STATE_HOME": "relative"}, {"XDG_STATE_HOME": "/nowhere/./state"}])
def test_what_is_closed_is_what_the_configuration_names(tmp_path: Path, variables: dict[str, str]) -> None:
    """Required: the same place is written to by one and closed by the other."""
    kept = state_directory({"HOME": str(tmp_path), **variables})
    found = own_state("/nowhere", variables.get("XDG_STATE_HOME", ""), [str(tmp_path)], Look())
    assert kept in found.missing
    assert str(tmp_path / ".local/state/sandgate") in found.missing


@pytest.mark.parametrize("by_variable", [False, True])
@pytest.mark.parametrize("target", ["there", "nowhere"])
def test_every_link_on_the_way_to_our_own_directories_is_named(tmp_path: Path, by_variable: bool, target: str) -> None:
    home = tmp_path / "home"
    (home / ".local").mkdir(parents=True)
    (tmp_path / "there").mkdir()
    link = home / ".local" / "state"
    link.symlink_to(tmp_path / target)
    homes, state_home = ([], str(link)) if by_variable else ([str(home)], "")
    found = own_state("/nowhere", state_home, homes, Look())
    assert found.missing == ("/nowhere", str(tmp_path / target / "sandgate"))
    first = tmp_path / target / "sandgate" if target == "there" else tmp_path / target
    assert (found.absent, found.steps) == (("/nowhere", str(first)), (str(link),))
    (tmp_path / target / "sandgate").mkdir(parents=True)
    found = own_state("/nowhere", state_home, homes, Look())
    assert (found.present, found.steps) == ((str(tmp_path / target / "sandgate"),), (str(link),))

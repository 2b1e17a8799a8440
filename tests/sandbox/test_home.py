"""What of a home on the disk is closed, and what stays open in it."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.places.home import HARMLESS, standing
from sandgate.places.secrets import IN_HOME
from sandgate.policy.effective import WorkspaceFacts, effective_permissions
from sandgate.protocol.permissions import WorkspaceWrite
from sandgate.sandbox.home import Closed, closed_elsewhere, closed_in, program_directories
from sandgate.sandbox.looking import Look

PLACES = sorted(place + "x" if place.endswith("/") else place for place in IN_HOME)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made


def put(home: Path, *names: str) -> None:
    for name in names:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("x")


def look(home: Path, *, opened: Collection[str] = (), path: str = "", kept: Collection[Path] = ()) -> Closed:
    runs = program_directories(path, [str(home)], Look())
    return closed_in(
        str(home), Look(), opened=[f"{home}/{name}" for name in opened], runs=runs, kept=[str(one) for one in kept]
    )


def readable(home: Path, closed: Closed, name: str) -> bool:
    """Whether the view shows what `name` leads to: the deepest entry at or above it decides, closed before open."""
    place = (home / name).resolve()
    hidden = {*closed.known, *closed.unknown}
    for above in (place, *place.parents):
        if str(above) in hidden:
            return False
        if str(above) in closed.openings:
            return True
    return True


@pytest.mark.parametrize("place", PLACES)
def test_every_place_that_is_known_for_secrets_is_closed(home: Path, place: str) -> None:
    put(home, place)
    assert not readable(home, look(home), place)


@pytest.mark.parametrize("directory", sorted(HARMLESS))
def test_everything_that_is_known_to_be_harmless_stays_open(home: Path, directory: str) -> None:
    names = [name for text in HARMLESS[directory].values() for name in text.split()]
    places = [f"{directory}/{name}/x".lstrip("/") for name in names]
    put(home, *places)
    closed = look(home)
    assert [place for place in places if not readable(home, closed, place)] == []


NAMES = st.text("abcdefghijklmnopqrstuvwxyz0123456789-_. ", min_size=1, max_size=12).filter(
    lambda name: name.strip(".")
)


@given(st.lists(st.tuples(st.sampled_from(("", ".config/", ".local/", ".local/share/", ".local/state/")), NAMES,
                          st.booleans()), min_size=1, max_size=8))  # fmt: skip
def test_what_nobody_knows_is_closed_wherever_it_lies(
    tmp_path_factory: pytest.TempPathFactory, made: list[tuple[str, str, bool]]
) -> None:
    home = tmp_path_factory.mktemp("home")
    places = [f"{above}{name if above else '.' + name}" for above, name, _ in made]
    places = [place for place in places if standing(place) == "unknown" and not (home / place).exists()]
    for place, (_, _, is_directory) in zip(places, made, strict=False):
        if (home / place).exists() or any((home / place).parent.joinpath(part).is_file() for part in ("",)):
            continue
        put(home, f"{place}/inside" if is_directory else place)
    closed = look(home)
    for place in places:
        if (home / place).exists():
            assert not readable(home, closed, place)
            assert not readable(home, closed, f"{place}/inside")


def test_what_has_no_dot_in_front_stays_open_but_for_what_is_known(home: Path) -> None:
    put(home, "Documents/x", "src/.env.d/y", "snap/tool/z", "snap/firefox/common/key4.db", "Mail/inbox")
    closed = look(home)
    assert [name for name in ("Documents/x", "src/.env.d/y", "snap/tool/z") if not readable(home, closed, name)] == []
    assert not readable(home, closed, "snap/firefox/common/key4.db")
    assert not readable(home, closed, "Mail/inbox")


def test_a_covered_directory_shows_its_harmless_entries_and_is_covered_only_once(home: Path) -> None:
    put(home, ".config/git/config", ".config/git/credentials", ".config/gh/hosts.yml", ".config/new/x", ".config/y")
    closed = look(home)
    assert closed.unknown == (f"{home}/.config",)
    assert closed.openings == (f"{home}/.config/git",)
    assert set(closed.known) == {f"{home}/.config/git/credentials", f"{home}/.config/gh"}


def test_public_keys_and_hosts_are_shown_and_private_keys_are_not(home: Path) -> None:
    put(
        home, ".ssh/id_ed25519", ".ssh/id_ed25519.pub", ".ssh/known_hosts", ".ssh/config", ".ssh/work", ".ssh/cm-socket"
    )
    closed = look(home)
    shown = [name for name in (home / ".ssh").iterdir() if readable(home, closed, str(name))]
    assert {name.name for name in shown} == {"id_ed25519.pub", "known_hosts", "config"}


def test_a_linked_entry_is_closed_where_it_leads(home: Path) -> None:
    keys = home.parent / "keys"
    put(keys, "id", "config")
    (home / ".ssh").symlink_to(keys)
    closed = look(home)
    assert str(keys) in closed.known
    assert closed.openings == (f"{keys}/config",)


def test_a_link_that_must_stay_open_is_not_covered_with_its_directory(home: Path) -> None:
    put(home, "dotfiles/nvim/init.lua", ".config/gh/hosts.yml", ".config/other/x")
    (home / ".config/nvim").symlink_to(home / "dotfiles/nvim")
    closed = look(home)
    assert f"{home}/.config" not in closed.unknown
    assert readable(home, closed, ".config/nvim/init.lua")
    assert not readable(home, closed, ".config/gh/hosts.yml")
    assert not readable(home, closed, ".config/other/x")


@pytest.mark.parametrize("target", ["/", "/usr/share", "..", "."])
def test_a_link_to_the_system_or_above_the_home_closes_nothing_there(home: Path, target: str) -> None:
    put(home, "work/x")
    (home / ".odd").symlink_to(target)
    (home / ".aws").symlink_to("/")
    closed = look(home)
    assert readable(home, closed, "work/x")
    assert not {"/", "/usr/share", str(home), str(home.parent)} & {*closed.known, *closed.unknown}


def test_a_link_to_a_part_of_the_workspace_closes_nothing_there_but_secrets(home: Path) -> None:
    put(home, "dotfiles/foorc", "dotfiles/netrc")
    (home / ".foorc").symlink_to("dotfiles/foorc")
    (home / ".netrc").symlink_to("dotfiles/netrc")
    assert not readable(home, look(home), "dotfiles/foorc")
    closed = look(home, kept=[home / "dotfiles"])
    assert readable(home, closed, "dotfiles/foorc")
    assert not readable(home, closed, "dotfiles/netrc")


def test_what_is_opened_is_open_and_the_secrets_inside_are_not(home: Path) -> None:
    put(home, ".config/gh/hosts.yml", ".config/foo/x", ".config/bar/x", ".foorc", ".aws/config", ".aws/credentials")
    closed = look(home, opened=[".config", ".foorc", ".aws/config"])
    assert readable(home, closed, ".config/foo/x")
    assert readable(home, closed, ".foorc")
    assert readable(home, closed, ".aws/config")
    assert not readable(home, closed, ".config/gh/hosts.yml")
    assert not readable(home, closed, ".aws/credentials")
    assert readable(home, look(home, opened=[".config/foo"]), ".config/foo/x")
    assert not readable(home, look(home, opened=[".config/foo"]), ".config/bar/x")


def test_a_program_on_the_path_runs_from_where_nobody_knows_it(home: Path) -> None:
    put(home, ".tool/bin/run", ".tool/lib/of_it", ".tool/token", ".flat/run", ".aws/bin/run")
    path = f"/usr/bin:{home}/.tool/bin:{home}/.flat:{home}/.aws/bin:relative"
    closed = look(home, path=path)
    assert readable(home, closed, ".tool/bin/run")
    assert readable(home, closed, ".tool/lib/of_it")
    assert readable(home, closed, ".flat/run")
    assert not readable(home, closed, ".tool/token")
    assert not readable(home, closed, ".aws/bin/run")


def test_a_workspace_below_a_closed_entry_stays_open() -> None:
    closed = ("/h/.config", "/h/.dotfiles")
    for cwd, hidden in (("/h/.config/nvim", closed), ("/h/.dotfiles", closed[:1]), ("/h/src", closed)):
        facts = WorkspaceFacts(cwd=cwd, home="/h", unknown=closed)
        permissions = effective_permissions(WorkspaceWrite((), False, True, True), facts)
        assert permissions.hidden == hidden
        assert permissions.writable == (cwd,)


def test_mail_and_homes_of_others_are_closed_as_far_as_one_may_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    homes = tmp_path / "homes"
    for name, mode in (("me", 0o755), ("open", 0o755), ("shut", 0o700), ("linuxbrew", 0o755)):
        (homes / name).mkdir(parents=True)
        (homes / name).chmod(mode)
    mail = tmp_path / "mail"
    mail.mkdir()
    monkeypatch.setattr("sandgate.sandbox.home.HOMES", str(homes))
    monkeypatch.setattr("sandgate.sandbox.home.MAIL", (str(mail),))
    monkeypatch.setattr("sandgate.sandbox.home.ROOTS_HOME", str(tmp_path / "none"))
    owner = (homes / "me").stat().st_uid
    closed = closed_elsewhere([str(homes / "me")], Look(), uid=owner + 1)
    assert closed.known == (str(mail),)
    assert closed.unknown == (str(homes / "open"),)
    assert closed_elsewhere([str(homes / "me")], Look(), uid=owner).unknown == ()


def test_a_home_full_of_entries_is_looked_at_with_few_questions(home: Path) -> None:
    """Required: what a home costs a command is a few listings, and no look at each entry."""
    for number in range(60):
        put(home, f".unknown{number}/x", f".config/app{number}/x")
    asked: list[str] = []

    class Counting(Look):
        def _first_look(self, path: str) -> os.stat_result | None:
            asked.append(path)
            return super()._first_look(path)

    closed = closed_in(str(home), Counting())
    assert len(closed.unknown) == 61
    assert len(asked) < 10

"""One look at the disk, and what its answers rest on."""

from __future__ import annotations

import errno
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from sandgate.errors import ConfinementError
from sandgate.sandbox import looking
from sandgate.sandbox.filesystems import Filesystems
from sandgate.sandbox.grounds import Grounds
from sandgate.sandbox.listing import NOTHING
from sandgate.sandbox.looking import Look, would_show_change
from support.process.waiting import until_the_clock_of_files_moves


@pytest.fixture(autouse=True)
def _settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing counts as just changed."""
    monkeypatch.setattr(looking, "UNSETTLED_NS", -time.time_ns())
    monkeypatch.setattr(looking, "UNSETTLED_WHOLE_SECONDS_NS", -time.time_ns())


def grounds(look: Look) -> Grounds:
    found = look.grounds()
    assert found is not None
    return found


def unchanged(look: Look) -> set[str]:
    return {entry[0] for entry in grounds(look).unchanged}


def same(look: Look) -> set[str]:
    return {entry[0] for entry in grounds(look).same}


def test_a_link_to_nowhere_exists(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    look = Look()
    assert (look.exists(f"{tmp_path}/link"), look.leads_anywhere(f"{tmp_path}/link")) == (True, False)
    assert not look.exists(f"{tmp_path}/gone")


def test_one_file_may_have_two_names(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    os.link(tmp_path / "a", tmp_path / "b")
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    look = Look()
    assert (look.is_same_file(a, b), look.is_same_file(a, a), look.is_same_file(a, b + "x")) == (True, False, False)


def test_a_directory_behind_a_link_is_one(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "link").symlink_to("d")
    look = Look()
    assert look.is_directory(f"{tmp_path}/link")
    assert look.is_link(f"{tmp_path}/link")
    assert not look.is_directory(f"{tmp_path}/gone")


def test_what_does_not_exist_is_resolved_as_far_as_it_does(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("d")
    (tmp_path / "d").mkdir()
    assert Look().real(f"{tmp_path}/link/x/../y") == f"{tmp_path}/d/y"


def test_a_path_with_a_zero_byte_does_not_exist(tmp_path: Path) -> None:
    assert Look().lstat(f"{tmp_path}/a\0b") is None


def test_a_name_of_thousands_of_missing_parts_is_missing(tmp_path: Path) -> None:
    """Required: a command may write it into a `.git` file, and every later command asks for it."""
    look = Look()
    assert not look.exists(str(tmp_path) + "/a" * 1900)
    assert unchanged(look) == {str(tmp_path)}


def test_links_that_lead_from_one_to_the_next_by_the_thousand_lead_nowhere(tmp_path: Path) -> None:
    """Required: a command may make them, and every later command looks where they lead."""
    for number in range(2000):
        (tmp_path / str(number)).symlink_to(str(number + 1))
    look = Look()
    assert look.real(str(tmp_path / "0")).startswith(str(tmp_path))
    assert not look.is_directory(look.real(str(tmp_path / "0")))


@pytest.mark.parametrize("name", ["a" * 300, "/".join(["a" * 200] * 30)])
def test_a_name_too_long_for_any_file_is_missing_for_good(tmp_path: Path, name: str) -> None:
    look = Look()
    assert not look.exists(f"{tmp_path}/{name}")
    assert look.grounds() is not None


def test_a_missing_name_rests_on_its_directory(tmp_path: Path) -> None:
    look = Look()
    look.exists(f"{tmp_path}/gone/further")
    assert (unchanged(look), same(look)) == ({str(tmp_path)}, set())


def test_a_missing_name_behind_a_link_rests_on_the_link_and_on_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "link").symlink_to("d")
    look = Look()
    look.exists(f"{tmp_path}/link/gone")
    assert unchanged(look) == {f"{tmp_path}/link", f"{tmp_path}/d"}


def test_a_file_rests_on_itself_and_a_directory_on_being_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "d").mkdir()
    look = Look()
    look.exists(f"{tmp_path}/file")
    look.exists(f"{tmp_path}/d")
    assert unchanged(look) == {f"{tmp_path}/file"}
    assert same(look) == {f"{tmp_path}/d"}


def test_a_name_in_a_directory_whose_entries_matter_needs_no_ground_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "d").mkdir()
    look = Look()
    look.exists(f"{tmp_path}/file")
    look.is_directory(f"{tmp_path}/d")
    look.exists(f"{tmp_path}/gone")
    assert (unchanged(look), same(look)) == ({str(tmp_path)}, set())
    look.lstat(f"{tmp_path}/file")  # whoever asks for more than its type
    assert unchanged(look) == {str(tmp_path), f"{tmp_path}/file"}


def test_a_canonical_path_rests_on_every_directory_on_the_way(tmp_path: Path) -> None:
    look = Look()
    look.real(str(tmp_path))
    assert same(look) == {str(tmp_path), *map(str, tmp_path.parents)} - {"/"}


def test_the_names_in_a_directory_rest_on_it(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    look = Look()
    assert look.names(str(tmp_path)) == ["x"]
    assert look.names(f"{tmp_path}/x") == []
    assert str(tmp_path) in unchanged(look)


def test_a_text_rests_on_what_is_read(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("words")
    (tmp_path / "link").symlink_to("t")
    look = Look()
    assert look.text(f"{tmp_path}/t", 3) == "wor"
    assert look.text(f"{tmp_path}/link", 9) == "words"
    assert look.text(f"{tmp_path}/link", 9, follows=False) == ""
    assert grounds(look).texts == (
        (f"{tmp_path}/t", 3, True, b"wor"),
        (f"{tmp_path}/link", 9, True, b"words"),
        (f"{tmp_path}/link", 9, False, None),
    )


def test_a_text_that_only_its_owner_changes_rests_on_its_change_time(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("words")
    (tmp_path / "link").symlink_to("t")
    look = Look()
    assert look.settled_text(f"{tmp_path}/link", 9) == "words"
    assert f"{tmp_path}/t" in unchanged(look)
    assert grounds(look).texts == ()
    assert look.settled_text(f"{tmp_path}/gone", 9) == ""


def test_nothing_is_asked_for_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    look = Look()
    look.exists(f"{tmp_path}/gone")
    monkeypatch.setattr(os, "lstat", None)
    assert not look.exists(f"{tmp_path}/gone")
    assert look.exists(str(tmp_path))


def test_an_answer_that_rests_on_something_else_has_no_grounds() -> None:
    look = Look()
    look.cannot_be_kept()
    assert look.grounds() is None


def test_nothing_that_is_kept_elsewhere_than_on_a_disk_has_grounds() -> None:
    """Required: nobody promises change times below /proc."""
    look = Look()
    look.exists("/proc/gone")
    assert look.grounds() is None


@pytest.mark.parametrize("code", [errno.EACCES, errno.EIO])
def test_what_is_out_of_reach_is_nothing_and_not_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refuse(_path: str) -> Any:
        raise OSError(code, "refused")

    look = Look()
    look.exists(str(tmp_path))
    monkeypatch.setattr(os, "listdir", refuse)
    monkeypatch.setattr(os, "scandir", refuse)
    assert (look.names(str(tmp_path)), look.listing(str(tmp_path))) == ([], NOTHING)
    assert look.grounds() is None


@pytest.mark.parametrize("name", ["lstat", "listdir", "scandir", "open"])
def test_no_descriptors_left_is_not_the_same_as_nothing_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Required: secrets that could not be looked for are not secrets that do not exist."""

    def refuse(*_: object, **__: object) -> Any:
        raise OSError(errno.EMFILE, "Too many open files")

    look = Look()
    look.exists(str(tmp_path))
    asked = {"lstat": look.exists, "listdir": look.names, "scandir": look.listing, "open": read_text(look)}[name]
    monkeypatch.setattr(os, name, refuse)
    with pytest.raises(ConfinementError, match="cannot look at"):
        asked(f"{tmp_path}/x" if name == "lstat" else str(tmp_path))


def read_text(look: Look) -> Any:
    return lambda path: look.text(path, 10)


def test_a_listing_is_read_once_while_the_directory_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known: dict[str, Any] = {}
    (tmp_path / ".git").mkdir()
    first = Look(known).listing(str(tmp_path))
    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", None)
        assert Look(known).listing(str(tmp_path)) == first
    until_the_clock_of_files_moves(tmp_path.parent)
    (tmp_path / ".codex").mkdir()
    assert Look(known).listing(str(tmp_path)).names == {".git", ".codex"}


def test_setting_the_clock_of_a_directory_back_hides_nothing(tmp_path: Path) -> None:
    """Required: a confined command may set modification times."""
    known: dict[str, Any] = {}
    before = os.stat(tmp_path)
    assert Look(known).listing(str(tmp_path)).names == frozenset()
    until_the_clock_of_files_moves(tmp_path.parent)
    (tmp_path / ".git").mkdir()
    os.utime(tmp_path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert Look(known).listing(str(tmp_path)).names == {".git"}


def test_a_directory_that_has_just_changed_is_not_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: a second change within one tick of the clock leaves no other sign."""
    monkeypatch.setattr(looking, "UNSETTLED_NS", 10**18)
    known: dict[str, Any] = {}
    look = Look(known)
    look.listing(str(tmp_path))
    assert (known, look.grounds()) == ({}, None)


def test_a_directory_that_is_gone_holds_nothing(tmp_path: Path) -> None:
    assert Look().listing(f"{tmp_path}/gone") == NOTHING


@pytest.mark.parametrize(
    ("changed_ns", "at_ns", "settled"),
    [
        (10**18 + 1, 10**18 + 50_000_001, False),
        (10**18 + 1, 10**18 + 50_000_002, True),
        (10**18, 10**18 + 999_999_999, False),  # a file system that counts whole seconds
        (10**18, 10**18 + 1_050_000_001, True),
        (10**18 + 1, 10**18, False),  # a clock that was set back
    ],
)
def test_a_change_time_says_enough_once_it_lies_back_far_enough(
    monkeypatch: pytest.MonkeyPatch, changed_ns: int, at_ns: int, settled: bool
) -> None:
    monkeypatch.undo()
    assert would_show_change(changed_ns, at_ns=at_ns) is settled


class Foreign(Filesystems):
    """Whatever really lies below `place` is somebody else's file system."""

    def __init__(self, place: str) -> None:
        super().__init__()
        self._place = place

    def type_of(self, path: str) -> str:
        return "fuse.somebody" if path.startswith(self._place) else "ext4"


def test_a_link_to_a_file_system_that_is_not_believed_makes_nobody_believe_it(tmp_path: Path) -> None:
    """Required: the name may lie on a disk of ours while the file does not."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        Path(place, "config.json").write_text("")
        (tmp_path / ".docker").symlink_to(place)
        look = Look(filesystems=Foreign(os.path.realpath(place)))
        look.exists(f"{tmp_path}/.docker/config.json")
        assert look.names(f"{tmp_path}/.docker") == ["config.json"]
        assert look.grounds() is None

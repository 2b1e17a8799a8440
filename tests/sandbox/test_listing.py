"""Listings are remembered, and never longer than they are true."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from sandgate.sandbox import listing
from sandgate.sandbox.listing import Listing, by_meaning, exists, listed, same_file


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing counts as just changed."""
    monkeypatch.setattr(listing, "UNSETTLED_NS", -time.time_ns())


def test_only_names_that_could_matter_are_kept(tmp_path: Path) -> None:
    for name in (".git", ".x", "readme", "\u00e9"):
        (tmp_path / name).write_text("")
    for name in ("src", ".vscode", "node_modules"):
        (tmp_path / name).mkdir()
    (tmp_path / "link").symlink_to("src")
    found = listed(str(tmp_path))
    assert found == Listing(frozenset((".git", ".x", ".vscode", "\u00e9")), found.directories)
    assert set(found.directories) == {"src", ".vscode"}


@pytest.mark.usefixtures("settled")
def test_an_unchanged_directory_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = listed(str(tmp_path))
    monkeypatch.setattr(os, "scandir", lambda *_args: pytest.fail("the directory was read again"))
    assert listed(str(tmp_path)) == first


@pytest.mark.usefixtures("settled")
def test_a_changed_directory_is_read_again(tmp_path: Path) -> None:
    assert listed(str(tmp_path)).names == frozenset()
    (tmp_path / ".git").mkdir()
    assert listed(str(tmp_path)).names == {".git"}


@pytest.mark.usefixtures("settled")
def test_setting_the_clock_of_a_directory_back_hides_nothing(tmp_path: Path) -> None:
    """Required: a confined command may set modification times."""
    before = os.stat(tmp_path)
    assert listed(str(tmp_path)).names == frozenset()
    (tmp_path / ".git").mkdir()
    os.utime(tmp_path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert listed(str(tmp_path)).names == {".git"}


def test_a_directory_that_has_just_changed_is_not_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: a second change within one tick of the clock leaves no other sign."""
    monkeypatch.setattr(listing, "UNSETTLED_NS", 10**18)
    listed(str(tmp_path))
    again: list[str] = []
    scan = os.scandir

    def noted(path: str) -> "os._ScandirIterator[str]":
        again.append(path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", noted)
    listed(str(tmp_path))
    assert again == [str(tmp_path)]


def test_a_directory_that_is_gone_holds_nothing(tmp_path: Path) -> None:
    assert listed(str(tmp_path / "gone")) == Listing(frozenset(), ())


def test_names_are_compared_without_case_and_invisible_characters() -> None:
    assert by_meaning(frozenset((".GIT", ".g\u200cit2", ".cafe\u0301"))) == {
        ".git": ".GIT",
        ".git2": ".g\u200cit2",
        ".caf\u00e9": ".cafe\u0301",
    }


def test_a_dangling_link_exists(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    assert (exists(str(tmp_path / "link")), exists(str(tmp_path / "gone"))) == (True, False)


def test_one_file_may_have_two_names(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    os.link(tmp_path / "a", tmp_path / "b")
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    assert (same_file(a, b), same_file(a, a), same_file(a, b + "x")) == (True, False, False)

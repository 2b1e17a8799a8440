"""What the walk keeps of one directory."""

from __future__ import annotations

import errno
import fcntl
import sys
from pathlib import Path

import pytest

from sandgate.sandbox.listing import Listing, by_meaning, is_marked_folding, read_listing
from sandgate.sandbox.looking import Look


def test_only_names_that_could_matter_are_kept(tmp_path: Path) -> None:
    for name in (".git", ".x", "readme", "\u00e9"):
        (tmp_path / name).write_text("")
    for name in ("src", ".vscode", "node_modules"):
        (tmp_path / name).mkdir()
    (tmp_path / "link").symlink_to("src")
    found = read_listing(str(tmp_path), Look().is_same_file)
    assert found == Listing(frozenset((".git", ".x", ".vscode", "\u00e9")), found.directories)
    assert set(found.directories) == {"src", ".vscode"}


def test_names_are_compared_without_case_and_invisible_characters() -> None:
    assert by_meaning(frozenset((".GIT", ".g\u200cit2", ".cafe\u0301"))) == {
        ".git": [".GIT"],
        ".git2": [".g\u200cit2"],
        ".caf\u00e9": [".cafe\u0301"],
    }


def test_every_spelling_of_a_name_is_kept() -> None:
    """Required: one of them is the protected one, and which one is not for chance to say."""
    assert {name: sorted(spelled) for name, spelled in by_meaning(frozenset((".git", ".GIT", ".Git"))).items()} == {
        ".git": [".GIT", ".Git", ".git"]
    }


def test_two_links_to_one_file_do_not_make_a_disk_that_ignores_case(tmp_path: Path) -> None:
    """Required: any command can make such links."""
    for name in ("za", "zb"):
        (tmp_path / name).write_text("")
        (tmp_path / name.upper()).hardlink_to(tmp_path / name)
    assert not read_listing(str(tmp_path), Look().is_same_file).ignores_case


@pytest.mark.parametrize(("flags", "folds"), [(0x40000000, True), (0x40080000, True), (0x80000, False), (None, False)])
def test_an_empty_directory_is_asked_for_its_attribute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: int | None, folds: bool
) -> None:
    """`chattr +F` wants an empty directory, and that is what a new workspace is."""

    def answer(_descriptor: int, request: int, _room: bytes) -> bytes:
        assert request == 0x80086601  # FS_IOC_GETFLAGS
        if flags is None:
            raise OSError(errno.ENOTTY, "no attributes here")
        return flags.to_bytes(4, sys.byteorder) + bytes(4)

    monkeypatch.setattr(fcntl, "ioctl", answer)
    assert read_listing(str(tmp_path), Look().is_same_file).ignores_case is folds


def test_a_file_is_no_folding_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert not is_marked_folding(str(tmp_path / "file"))
    assert not is_marked_folding(str(tmp_path / "gone"))
    assert not is_marked_folding("/proc")

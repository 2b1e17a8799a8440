"""What a search collects."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.sandbox.closing import Closing, Repository
from sandgate.sandbox.looking import Look


@pytest.fixture
def closing(tmp_path: Path) -> Closing:
    return Closing((str(tmp_path), "/other/root"), Look())


def test_every_path_is_told_once(closing: Closing, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    repository = Repository("/w", "/w/.git", "/w/.git", True)
    for _ in range(2):
        closing.protect(f"{tmp_path}/file", anchored=True, follows=True)
        closing.note_absent("/gone", anchored=False)
        closing.repositories.append(repository)
        closing.notes.append("told")
    found = closing.found()
    assert (found.protected, found.absent, found.anchored) == ((f"{tmp_path}/file",), ("/gone",), (f"{tmp_path}/file",))
    assert (found.repositories, found.notes) == ((repository,), ("told",))


@pytest.mark.parametrize(
    ("path", "whole"), [("/other", True), ("/other/root", True), ("/", True), ("/other/ro", False)]
)
def test_no_root_is_closed_as_a_whole(closing: Closing, path: str, whole: bool) -> None:
    assert closing.is_root_or_above(path) is whole


def test_what_is_gone_meanwhile_must_not_come_back(closing: Closing, tmp_path: Path) -> None:
    closing.protect(f"{tmp_path}/gone", anchored=False, follows=True)
    assert closing.found().absent == (f"{tmp_path}/gone",)


@pytest.mark.parametrize("follows", [True, False])
def test_a_link_closes_what_it_leads_to_only_where_it_is_believed(
    closing: Closing, tmp_path: Path, follows: bool
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to("file")
    closing.protect(f"{tmp_path}/link", anchored=False, follows=follows)
    assert (f"{tmp_path}/file" in closing.found().protected) is follows


def test_files_with_further_names_are_told(closing: Closing, tmp_path: Path) -> None:
    (tmp_path / "one").write_text("")
    (tmp_path / "two").hardlink_to(tmp_path / "one")
    closing.protect(f"{tmp_path}/one", anchored=False, follows=True)
    assert closing.found().linked == (f"{tmp_path}/one",)

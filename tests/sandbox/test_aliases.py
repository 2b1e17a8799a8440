"""Finding the other names of a file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandgate.errors import ConfinementError
from sandgate.sandbox import aliases
from sandgate.sandbox.aliases import aliases_of, other_names


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "root" / "deep" / "er").mkdir(parents=True)
    (tmp_path / "root" / "file").write_text("")
    return tmp_path / "root" / "file"


def test_other_names_are_found_however_deep_they_are(file: Path) -> None:
    alias = file.parent / "deep" / "er" / "alias"
    os.link(file, alias)
    (file.parent / "stranger").write_text("")
    assert aliases_of([str(file)], [str(file.parent)]) == (str(alias),)


def test_names_outside_the_roots_do_not_matter(file: Path, tmp_path: Path) -> None:
    os.link(file, tmp_path / "elsewhere")
    assert aliases_of([str(file)], [str(file.parent)]) == ()


def test_links_are_not_walked_into(file: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    os.link(file, tmp_path / "other" / "alias")
    (file.parent / "link").symlink_to(tmp_path / "other")
    assert aliases_of([str(file)], [str(file.parent)]) == ()


def test_a_search_that_grows_too_large_refuses(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aliases, "LINK_SCAN_ENTRIES_MAX", 3)
    for number in range(4):
        (file.parent / str(number)).write_text("")
    with pytest.raises(ConfinementError, match="hard links"):
        aliases_of([str(file)], [str(file.parent)])


def test_names_beside_the_file_are_looked_at_first_however_full_another_root_is(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Required: a crowded scratch directory must not refuse the commands of a small workspace."""
    (tmp_path / "scratch").mkdir()
    for number in range(40):
        (tmp_path / "scratch" / str(number)).write_text("")
    os.link(file, file.parent / "alias")
    monkeypatch.setattr(aliases, "LINK_SCAN_ENTRIES_MAX", 30)
    for roots in ([file.parent, tmp_path], [tmp_path, file.parent], [tmp_path]):
        assert aliases_of([str(file)], [str(root) for root in roots]) == (str(file.parent / "alias"),)


def test_a_root_inside_another_is_counted_once(file: Path, tmp_path: Path) -> None:
    """Required: a name counted twice would end the search before the real alias is seen."""
    alias = tmp_path / "alias"
    os.link(file, alias)
    assert aliases_of([str(file)], [str(file.parent), str(tmp_path)]) == (str(alias),)


def test_a_name_that_goes_away_while_names_are_looked_at_is_no_alias(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scratch directory is never at rest; the command that needs the answer must not fail for that."""
    alias = file.parent / "deep" / "alias"
    os.link(file, alias)
    passing = file.parent / "passing"
    passing.write_text("")
    listed = os.scandir

    def then_gone(path: str) -> list[os.DirEntry[str]]:
        entries = list(listed(path))
        passing.unlink(missing_ok=True)
        return entries

    monkeypatch.setattr(os, "scandir", then_gone)
    assert aliases_of([str(file)], [str(file.parent)]) == (str(alias),)


@pytest.mark.parametrize(
    ("inner", "trusted"), [(".envrc", True), (".git/config", True), ("d/.envrc", False), ("d/.git/config", False)]
)
def test_a_file_that_a_command_may_have_made_stops_no_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inner: str, trusted: bool
) -> None:
    """Required: it is enough to make one with a second name, and a crowd of others to look through."""
    monkeypatch.setattr(aliases, "LINK_SCAN_ENTRIES_MAX", 20)
    monkeypatch.setattr(aliases, "MADE_SCAN_ENTRIES_MAX", 20)
    file = tmp_path / inner
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("")
    (tmp_path / "far").mkdir()
    os.link(file, tmp_path / "far/other")
    assert other_names([str(file)], (str(tmp_path),)) == ((str(tmp_path / "far/other"),), ())
    for number in range(30):
        (tmp_path / str(number)).touch()
    if trusted:
        with pytest.raises(ConfinementError, match="cannot protect"):
            other_names([str(file)], (str(tmp_path),))
    else:
        assert other_names([str(file)], (str(tmp_path),)) == ((), (str(file),))

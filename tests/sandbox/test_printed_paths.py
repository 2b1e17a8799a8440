"""Paths with unusual names are found in what programs print, however they spell them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.display import visible
from sandgate.sandbox.printed_paths import path_in, spelled_lines

# What the programs print for `/h/.a<TAB>b/key`, typed literally.
SAID = [
    "cat: '/h/.a'$'\\t''b/key': No such file or directory",
    "bash: line 1: $'/h/.a\\tb/key': No such file or directory",
    "FileNotFoundError: [Errno 2] No such file or directory: '/h/.a\\tb/key'",
    "sh: 1: cannot open /h/.a\tb/key: No such file",
    "cat: '/h/.a\\011b/key': No such file or directory",
]


@pytest.mark.parametrize("said", SAID)
def test_a_tab_is_found_as_it_is_shown(said: str) -> None:
    (line,) = spelled_lines(said, ["/h/.a\tb"])
    assert "/h/.a\\tb/key" in line


def test_a_line_feed_breaks_no_path_that_is_known() -> None:
    lines = spelled_lines("first\nsh: cannot open /h/.a\nb/key: No such file\nlast", ["/h/.a\nb"])
    assert lines == ["first", "sh: cannot open /h/.a\\nb/key: No such file", "last"]


@pytest.mark.parametrize(
    "name", ["plain", "two words", "tab\tx", "new\nline", "quo'te", "a: b", "back\\tslash", "\x85"]
)
def test_what_lies_below_is_the_longest_path_that_exists(tmp_path: Path, name: str) -> None:
    place = tmp_path / name
    place.mkdir()
    (place / "key").touch()
    line = visible(f"cat: '{place}/key': No such file or directory")
    assert path_in(line, str(tmp_path), str(tmp_path)) == str(place / "key")


def test_what_does_not_exist_ends_where_a_name_does(tmp_path: Path) -> None:
    assert path_in(f"x: {tmp_path}/a/b.c: gone", str(tmp_path), str(tmp_path)) == f"{tmp_path}/a/b.c"
    assert path_in(f"x: {tmp_path}: gone", str(tmp_path), str(tmp_path)) == str(tmp_path)
    assert path_in("nothing of it", str(tmp_path), str(tmp_path)) == str(tmp_path)

"""Directories held open."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from sandgate.patch.directories import HELD_MAX, Directories
from support.process.waiting import none_left_open, open_descriptors, opened_since


def test_a_directory_that_was_exchanged_is_not_opened_again(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    with Directories(None) as held:
        held.descriptor(f"{tmp_path}/d")
        for number in range(HELD_MAX):
            (tmp_path / f"n{number}").mkdir()
            held.descriptor(f"{tmp_path}/n{number}")
        (tmp_path / "d").rename(tmp_path / "old")
        (tmp_path / "d").mkdir()
        with pytest.raises(OSError, match="another directory") as caught:
            held.descriptor(f"{tmp_path}/d")
    assert caught.value.errno == errno.ESTALE


def test_few_are_held_and_none_is_left_open(tmp_path: Path) -> None:
    before = open_descriptors()
    with Directories(None) as held:
        for number in range(HELD_MAX + 20):
            (tmp_path / f"n{number}").mkdir()
            held.descriptor(f"{tmp_path}/n{number}")
        assert len(opened_since(before)) <= HELD_MAX
    assert none_left_open(before)


def test_confined_a_link_is_not_taken_for_a_directory(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "in" / "d").symlink_to("../out")
    with Directories((f"{tmp_path}/in",)) as held, pytest.raises(OSError, match=os.strerror(errno.ELOOP)):
        held.descriptor(f"{tmp_path}/in/d")
    with Directories(None) as held:
        held.descriptor(f"{tmp_path}/in/d")  # a plain open follows it


def test_missing_ones_are_made_outermost_first_and_removed_again(tmp_path: Path) -> None:
    with Directories((str(tmp_path),)) as held:
        missing = held.missing(f"{tmp_path}/a/b")
        assert missing == [f"{tmp_path}/a", f"{tmp_path}/a/b"]
        for path in missing:
            held.make(path)
        held.settle(missing[-1])
        assert held.missing(f"{tmp_path}/a/b") == []
        for path in reversed(missing):
            held.remove(path)
    assert list(tmp_path.iterdir()) == []


def test_only_the_expected_directory_will_do(tmp_path: Path) -> None:
    about = tmp_path.stat()
    with Directories(None) as held:
        held.expect(str(tmp_path), (about.st_dev, about.st_ino + 1))
        with pytest.raises(OSError, match="another directory"):
            held.descriptor(str(tmp_path))
        held.expect(str(tmp_path), (about.st_dev, about.st_ino))
        held.descriptor(str(tmp_path))
        assert held.identity(str(tmp_path)) == (about.st_dev, about.st_ino)

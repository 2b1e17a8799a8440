"""Files that commands may write are read without a risk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandgate.execution.plain_file import NotPlain, read_plain
from support.process.waiting import none_left_open, open_descriptors


def test_a_file_is_read_with_its_inode(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"said")
    inode = (tmp_path / "file").stat().st_ino
    assert read_plain(f"{tmp_path}/file", 100) == (inode, b"said")
    assert read_plain(f"{tmp_path}/file", 2) == (inode, b"sa")


def test_a_second_name_counts_where_the_content_must_stay(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"said")
    (tmp_path / "other").hardlink_to(tmp_path / "file")
    assert read_plain(f"{tmp_path}/file", 100, one_name=False)[1] == b"said"
    with pytest.raises(NotPlain):
        read_plain(f"{tmp_path}/file", 100)


@pytest.mark.parametrize("kind", ["link", "link on the way", "pipe", "directory", "nothing"])
def test_nothing_else_is_read_or_waited_for(tmp_path: Path, kind: str) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there/file").write_bytes(b"secret")
    path = tmp_path / "here/file"
    if kind == "link on the way":
        (tmp_path / "here").symlink_to("there")
    else:
        path.parent.mkdir()
    if kind == "link":
        path.symlink_to(tmp_path / "there/file")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    before = open_descriptors()
    with pytest.raises(OSError, match=r"no plain file|No such file|symbolic links|Not a directory"):
        read_plain(str(path), 100)
    assert none_left_open(before)

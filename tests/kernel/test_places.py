"""Paths of another process, resolved to a directory we hold and a name in it. Here that process is ourselves."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from sandgate.kernel.places import MagicLink, OpenFile, find_place
from sandgate.kernel.target import AT_FDCWD, Target
from support.process.waiting import none_left_open, open_descriptors


def found(path: str, *, follow: bool = True, dirfd: int = AT_FDCWD) -> tuple[str, bool]:
    with find_place(Target(os.getpid()), dirfd, path, follow=follow) as place:
        return place.path, place.exists


def test_links_on_the_way_and_at_the_end_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "way").symlink_to("real")
    (tmp_path / "end").symlink_to(tmp_path / "way" / "missing")
    assert found(f"{tmp_path}/way/file") == (f"{tmp_path}/real/file", False)
    assert found(f"{tmp_path}/end") == (f"{tmp_path}/real/missing", False)
    assert found(f"{tmp_path}/end", follow=False) == (f"{tmp_path}/end", True)
    assert found(f"{tmp_path}/way/../way") == (f"{tmp_path}/real", True)


def test_relative_paths_start_from_the_given_directory(tmp_path: Path) -> None:
    fd = os.open(tmp_path, os.O_RDONLY)
    try:
        assert found("a", dirfd=fd) == (f"{tmp_path}/a", False)
        assert found("..", dirfd=fd) == (str(tmp_path.parent), True)
    finally:
        os.close(fd)


def test_the_kernels_own_errors_come_back(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").touch()
    codes = []
    for path in (f"{tmp_path}/loop", f"{tmp_path}/file/x", f"{tmp_path}/none/x", ""):
        with pytest.raises(OSError, match=r".") as caught:
            found(path)
        codes.append(caught.value.errno)
    assert codes == [errno.ELOOP, errno.ENOTDIR, errno.ENOENT, errno.ENOENT]


def test_open_files_and_magic_links_of_proc_are_told_apart() -> None:
    for path in ("/proc/self/fd/0", "/dev/fd/0", "/dev/stdin", f"/proc/{os.getpid()}/fd/0"):
        with pytest.raises(OpenFile) as caught:
            found(path)
        assert caught.value.number == 0
    for path in ("/proc/self/exe", "/proc/self/root/etc/passwd", "/proc/1/fd/0"):
        with pytest.raises((MagicLink, OSError)):
            found(path)


def test_descriptors_are_given_back(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("loop")
    (tmp_path / "loop").symlink_to("link")
    before = open_descriptors()
    for path in (f"{tmp_path}/link", f"{tmp_path}/none/x", f"{tmp_path}/x", "/proc/self/exe"):
        try:
            found(path)
        except (OSError, MagicLink):
            continue
    assert none_left_open(before)

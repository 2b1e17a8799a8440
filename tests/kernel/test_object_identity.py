"""Which object lies under a name."""

import os
import stat
from pathlib import Path

import pytest

from sandgate.kernel.object_identity import identity_at


@pytest.fixture
def place(tmp_path: Path) -> int:
    (tmp_path / "file").write_text("text")
    (tmp_path / "link").symlink_to("file")
    return os.open(tmp_path, os.O_PATH | os.O_DIRECTORY)


def test_it_is_the_object_and_not_the_name(place: int) -> None:
    found, mode = identity_at(place, "file")
    about = os.stat("file", dir_fd=place)
    assert (os.makedev(found[0], found[1]), found[2], mode) == (about.st_dev, about.st_ino, about.st_mode)
    os.link("file", "second", src_dir_fd=place, dst_dir_fd=place)
    assert identity_at(place, "second")[0] == found
    assert stat.S_ISLNK(identity_at(place, "link")[1])
    assert identity_at(place)[0][2] == os.fstat(place).st_ino
    os.close(place)


def test_what_took_its_place_is_another_though_it_may_have_its_number(place: int) -> None:
    """Required: a file system may give the number at once to the next file."""
    found = identity_at(place, "file")[0]
    os.unlink("file", dir_fd=place)
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=place))
    assert identity_at(place, "file")[0] != found
    os.close(place)


def test_what_is_not_there_is_told_as_ever(place: int) -> None:
    with pytest.raises(FileNotFoundError):
        identity_at(place, "missing")
    os.close(place)

"""Being told when the names in a directory change."""

from __future__ import annotations

import errno
import os
import select
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandgate.kernel import inotify
from sandgate.kernel.inotify import DirectoryWatch
from support.process.waiting import none_left_open, open_descriptors, readable


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[DirectoryWatch]:
    (tmp_path / "old").touch()
    made = DirectoryWatch(str(tmp_path))
    yield made
    made.close()


def is_quiet(watch: DirectoryWatch) -> bool:
    return not select.select([watch.fileno()], [], [], 0)[0]


@pytest.mark.parametrize(
    "change",
    [
        lambda place: (place / "new").touch(),
        lambda place: os.link(place / "old", place / "new"),
        lambda place: (place / "old").rename(place / "new"),
        lambda place: (place / "old").unlink(),
    ],
    ids=["made", "linked", "renamed", "removed"],
)
def test_a_changed_name_is_told_until_it_is_drained(
    watch: DirectoryWatch, tmp_path: Path, change: Callable[[Path], object]
) -> None:
    assert is_quiet(watch)
    change(tmp_path)
    readable(watch.fileno())
    watch.drain()
    assert is_quiet(watch)
    watch.drain()  # does not wait


EVENT_BYTES_MIN = 32  # of one in a directory: its header and a name, <linux/inotify.h>


def test_many_changes_are_drained_at_once(watch: DirectoryWatch, tmp_path: Path) -> None:
    for number in range(inotify.DRAIN_BYTES // EVENT_BYTES_MIN + 100):
        (tmp_path / str(number)).touch()
    watch.drain()
    assert is_quiet(watch)


@pytest.mark.parametrize(("name", "code"), [("gone", errno.ENOENT), ("file", errno.ENOTDIR)])
def test_what_is_no_directory_is_an_error_and_costs_no_descriptor(tmp_path: Path, name: str, code: int) -> None:
    (tmp_path / "file").touch()
    before = open_descriptors()
    with pytest.raises(OSError, match=os.strerror(code)) as caught:
        DirectoryWatch(str(tmp_path / name))
    assert caught.value.errno == code
    assert none_left_open(before)


def test_an_unknown_machine_is_said_to_have_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inotify, "machine", lambda: "pdp11")
    with pytest.raises(OSError, match=os.strerror(errno.ENOSYS)):
        DirectoryWatch(str(tmp_path))


def test_it_is_closed_on_exec_and_may_be_closed_twice(watch: DirectoryWatch) -> None:
    assert not os.get_inheritable(watch.fileno())
    watch.close()
    watch.close()
    assert watch.fileno() == -1

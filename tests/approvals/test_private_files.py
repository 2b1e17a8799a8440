"""Small files that are whole or not there, written once, and ours alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandgate.approvals import private_files
from sandgate.approvals.private_files import content, made_directory, marked_once, opened_directory, written_once
from sandgate.errors import ApprovalsUnusable, ConfigError
from support.process.waiting import none_left_open, open_descriptors


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[int]:
    opened = made_directory(str(tmp_path / "own"))
    yield opened
    os.close(opened)


@pytest.fixture
def place(tmp_path: Path, directory: int) -> Path:
    return tmp_path / "own" if directory else tmp_path


def test_a_directory_is_made_for_nobody_else(place: Path) -> None:
    assert stat.S_IMODE(place.stat().st_mode) == 0o700


def test_the_first_writer_wins_and_leaves_nothing_else(directory: int, place: Path) -> None:
    assert written_once(directory, "a", b"first")
    assert not written_once(directory, "a", b"second")
    assert content(directory, "a") == b"first"
    assert [(path.name, stat.S_IMODE(path.stat().st_mode)) for path in place.iterdir()] == [("a", 0o600)]


def test_what_is_not_there_is_nothing(directory: int) -> None:
    assert content(directory, "a") is None


def test_a_mark_is_made_once(directory: int) -> None:
    assert [marked_once(directory, "a"), marked_once(directory, "a")] == [True, False]


@pytest.mark.parametrize("call", ["fsync", "link"])
def test_what_cannot_be_kept_leaves_no_trace(
    directory: int, place: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def fails(*_arguments: object, **_named: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, call, fails)
    with pytest.raises(ApprovalsUnusable, match="No space left"):
        written_once(directory, "a", b"data")
    assert list(place.iterdir()) == []


def test_a_mark_that_may_not_survive_belongs_to_nobody(directory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: also not to the next one who asks; it may have been kept after all."""

    def fails(_descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fails)
        with pytest.raises(ApprovalsUnusable):
            marked_once(directory, "a")
    assert not marked_once(directory, "a")


def link(path: Path) -> None:
    (path.parent / "target").write_bytes(b"{}")
    path.symlink_to("target")


def long(path: Path) -> None:
    path.write_bytes(b" " * (private_files.FILE_BYTES_MAX + 1))


def writable(path: Path) -> None:
    path.write_bytes(b"{}")
    path.chmod(0o666)


def foreign(path: Path) -> None:
    path.write_bytes(b"{}")
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    os.chown(path, 4242, 4242)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (link, "it is a link"),
        (os.mkfifo, "no plain file"),
        (os.mkdir, "no plain file"),
        (long, "longer than"),
        (writable, "other users can write"),
        (foreign, "belongs to user 4242"),
    ],
)
def test_a_strange_file_is_refused(directory: int, place: Path, make: Callable[[Path], None], why: str) -> None:
    make(place / "a")
    with pytest.raises(ApprovalsUnusable, match=why):
        content(directory, "a")


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o720])
def test_a_directory_that_others_may_write_to_is_refused(tmp_path: Path, mode: int) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own").chmod(mode)
    with pytest.raises(ConfigError, match="other users can write"):
        made_directory(str(tmp_path / "own"))


def test_a_directory_that_is_a_link_or_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "file").touch()
    for name in ("link", "file"):
        with pytest.raises(ConfigError, match="it is a link, or no directory"):
            made_directory(str(tmp_path / name))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_somebody_elses_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    os.chown(tmp_path / "own", 4242, 4242)
    with pytest.raises(ConfigError, match="belongs to user 4242"):
        opened_directory(str(tmp_path / "own"))


def test_no_descriptor_is_left_open_by_a_refusal(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own").chmod(0o777)
    before = open_descriptors()
    for _ in range(5):
        with pytest.raises(ConfigError):
            opened_directory(str(tmp_path / "own"))
    assert none_left_open(before)

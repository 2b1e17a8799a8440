"""Opening transcripts, and the directories they lie in."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from sandgate.errors import SessionBusy, SessionNotFound, StorageError
from sandgate.session import transcript_access
from sandgate.session.transcript_access import made_alone, made_directories, opened_alone, opened_to_read
from sandgate.session.transcript_lock import take
from support.agent.transcripts import kept, said


def test_directories_are_made_for_their_owner_alone(tmp_path: Path) -> None:
    for descriptor in made_directories(str(tmp_path), "a/b"):
        assert stat.S_IMODE(os.fstat(descriptor).st_mode) == 0o700
        os.close(descriptor)
    assert (tmp_path / "a" / "b").is_dir()


def test_a_directory_on_the_way_that_others_can_write_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a").chmod(0o770)
    with pytest.raises(StorageError, match="other users can write to it"):
        made_directories(str(tmp_path), "a/b")
    assert os.listdir(tmp_path / "a") == []


def test_a_new_file_is_held_from_its_first_moment(tmp_path: Path) -> None:
    path = tmp_path / "file"
    directory = os.open(tmp_path, os.O_RDONLY)
    descriptor = made_alone(directory, str(path))
    assert stat.S_IMODE(os.fstat(descriptor).st_mode) == 0o600
    with pytest.raises(SessionBusy):
        opened_alone(str(path))
    with pytest.raises(FileExistsError):
        made_alone(directory, str(path))
    os.close(descriptor)
    os.close(directory)


def test_a_file_that_is_removed_while_it_is_opened_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Required: between opening and locking, another process may have deleted or moved it."""
    path = kept(tmp_path, *said("x"))

    def too_late(descriptor: int, name: str) -> None:
        os.unlink(path)
        take(descriptor, name)

    monkeypatch.setattr(transcript_access, "take", too_late)
    with pytest.raises(SessionNotFound):
        opened_alone(str(path))


def test_reading_needs_no_lock(tmp_path: Path) -> None:
    path = kept(tmp_path, *said("x"))
    alone = opened_alone(str(path))
    reading = opened_to_read(str(path))
    assert os.read(reading, 1 << 20) == path.read_bytes()
    os.close(reading)
    os.close(alone)

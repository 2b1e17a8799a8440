"""Where transcripts lie, how they are found, and how they leave."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from sandgate.errors import SessionBusy, SessionNotFound, StorageError
from sandgate.session.transcript_files import (
    FoundTranscript,
    archive,
    delete,
    find_transcript,
    new_path,
    transcripts,
    unarchive,
)
from sandgate.session.transcript_reader import read_transcript
from sandgate.session.transcript_writer import TranscriptWriter
from support.agent.transcripts import HOUR_S, kept, said, session_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _utc() -> Iterator[None]:
    """Names are in local time."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


def only(home: Path, *, archived: bool = False) -> FoundTranscript:
    (found,) = transcripts(str(home), archived=archived)
    return found


def test_a_name_says_when_and_who() -> None:
    path = new_path("/state", session_id(1), 1_767_225_600 + HOUR_S)
    assert path == f"/state/sessions/2026/01/01/rollout-2026-01-01T01-00-00-{session_id(1)}.jsonl"


@pytest.mark.parametrize("name", ["", "x", "../../../etc/passwd", session_id(1) + "\n", session_id(1).upper() + "x"])
def test_what_is_no_id_names_no_file(name: str) -> None:
    with pytest.raises(StorageError):
        new_path("/state", name)


def test_the_newest_comes_first_whatever_the_day(tmp_path: Path) -> None:
    numbers = [0, 1, 30, 31 * 24, 400 * 24, 400 * 24 + 1]
    for number in numbers:
        kept(tmp_path, *said("x"), number=number)
    assert [each.id for each in transcripts(str(tmp_path))] == [session_id(each) for each in reversed(numbers)]


@pytest.mark.parametrize(
    "place",
    [
        "sessions/2026/01/01/notes.txt",
        f"sessions/2026/01/01/rollout-2026-01-01T00-00-00-{session_id(2)}.jsonl.bak",
        f"sessions/2026/01/01/rollout-2026-01-02T00-00-00-{session_id(2)}.jsonl",
        f"sessions/2026/1/01/rollout-2026-01-01T00-00-00-{session_id(2)}.jsonl",
        f"sessions/recent/01/01/rollout-2026-01-01T00-00-00-{session_id(2)}.jsonl",
        "sessions/2026/01/stray",
    ],
)
def test_what_is_called_otherwise_or_lies_elsewhere_is_no_transcript(tmp_path: Path, place: str) -> None:
    kept(tmp_path, *said("x"))
    (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / place).write_text("{}")
    assert only(tmp_path).id == session_id(0)


def test_links_are_not_followed(tmp_path: Path) -> None:
    path = kept(tmp_path, *said("x"))
    (path.parent / path.name.replace(session_id(0), session_id(1))).symlink_to(path)
    (tmp_path / "sessions" / "2025").symlink_to(tmp_path / "sessions" / "2026")
    assert only(tmp_path).id == session_id(0)


def test_an_id_or_its_beginning_finds_a_session(tmp_path: Path) -> None:
    path = kept(tmp_path, *said("x"), number=0x1234)
    kept(tmp_path, *said("x"), number=0x99)
    for wanted in (session_id(0x1234), session_id(0x1234).upper(), "00001234", "00001"):
        assert find_transcript(str(tmp_path), wanted).path == str(path)


def test_no_session_or_several_are_an_error(tmp_path: Path) -> None:
    kept(tmp_path, *said("x"), number=1)
    kept(tmp_path, *said("x"), number=2)
    for wanted in ("", "000", "zzzz", "../..", "000000ff"):
        with pytest.raises(SessionNotFound):
            find_transcript(str(tmp_path), wanted)
    with pytest.raises(SessionNotFound) as several:
        find_transcript(str(tmp_path), "0000")
    assert session_id(1) in several.value.hint
    assert session_id(2) in several.value.hint


def test_an_archived_session_is_out_of_the_way_and_comes_back(tmp_path: Path) -> None:
    path = kept(tmp_path, *said("x"))
    archived = archive(str(tmp_path), only(tmp_path))
    assert archived.path == str(tmp_path / "archived_sessions" / path.name)
    assert list(transcripts(str(tmp_path))) == []
    assert only(tmp_path, archived=True) == archived
    assert find_transcript(str(tmp_path), session_id(0)) == archived
    assert len(read_transcript(archived.path).items) == 1
    back = unarchive(str(tmp_path), archived)
    assert (back.path, back.archived) == (str(path), False)
    assert list(transcripts(str(tmp_path), archived=True)) == []


def test_a_deleted_session_is_gone(tmp_path: Path) -> None:
    kept(tmp_path, *said("x"))
    delete(str(tmp_path), only(tmp_path))
    assert list(transcripts(str(tmp_path))) == []
    with pytest.raises(SessionNotFound):
        delete(str(tmp_path), FoundTranscript(new_path(str(tmp_path), session_id(0), 1_767_225_600), *STAMPED))


STAMPED = ("2026-01-01T00-00-00", session_id(0))


def test_a_session_in_use_stays_where_it_is(tmp_path: Path) -> None:
    path = kept(tmp_path, *said("x"))
    writer, _ = TranscriptWriter.resumed(str(path))
    for deed in (delete, archive):
        with pytest.raises(SessionBusy) as busy:
            deed(str(tmp_path), only(tmp_path))
        assert busy.value.pid == os.getpid()
    writer.close()
    delete(str(tmp_path), only(tmp_path))


def test_nothing_is_moved_over_another_file(tmp_path: Path) -> None:
    path = kept(tmp_path, *said("x"))
    archive(str(tmp_path), only(tmp_path))
    path.write_text("another")
    with pytest.raises(StorageError):
        unarchive(str(tmp_path), only(tmp_path, archived=True))
    assert path.read_text() == "another"


def test_only_transcripts_can_be_deleted(tmp_path: Path) -> None:
    """Required: a caller's value does not lead anywhere else."""
    victim = tmp_path / "victim"
    victim.write_text("x")
    for found in (FoundTranscript(str(victim), *STAMPED), FoundTranscript(str(victim), "../..", "x", archived=True)):
        with pytest.raises(SessionNotFound):
            delete(str(tmp_path), found)
    assert victim.exists()

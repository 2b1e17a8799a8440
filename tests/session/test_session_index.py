"""The memory of what transcripts begin with: never needed, never wrong."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from sandgate.session import session_index
from sandgate.session.session_index import INDEX_NAME, SessionIndex
from sandgate.session.session_summary import SessionHead, read_head
from sandgate.session.transcript_files import archive, delete, transcripts
from sandgate.session.transcript_lines import ContextLine
from sandgate.session.transcript_writer import TranscriptWriter
from support.agent.transcripts import kept, said, turn
from support.suite.source_tree import SOURCE

MODEL = ContextLine({"model": "m"})


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The transcripts that were read."""
    read: list[str] = []

    def watched(path: str) -> SessionHead | None:
        read.append(path)
        return read_head(path)

    monkeypatch.setattr(session_index, "read_head", watched)
    return read


def previews(home: Path, *, archived: bool = False) -> list[str | None]:
    with closing(SessionIndex(str(home))) as index:
        found = list(transcripts(str(home), archived=archived))
        summaries = index.summaries(found, archived=archived, last=True)
    return [None if each is None else each.head.preview for each in summaries]


def rows(home: Path) -> int:
    with closing(sqlite3.connect(home / INDEX_NAME)) as connection:
        return int(connection.execute("SELECT count(*) FROM heads").fetchone()[0])


def test_a_head_is_read_once(tmp_path: Path, reads: list[str]) -> None:
    for number in range(3):
        kept(tmp_path, *turn(f"message {number}", MODEL), number=number)
    for _ in range(3):
        assert previews(tmp_path) == ["message 2", "message 1", "message 0"]
    assert len(reads) == 3


def test_a_head_that_is_not_all_there_is_read_again_when_it_has_grown(tmp_path: Path, reads: list[str]) -> None:
    path = kept(tmp_path, MODEL)
    assert previews(tmp_path) == previews(tmp_path) == [None]
    assert len(reads) == 1
    writer, _ = TranscriptWriter.resumed(str(path))
    for line in said("now"):
        writer.write(line)
    writer.close()
    assert previews(tmp_path) == previews(tmp_path) == ["now"]
    assert len(reads) == 2


def test_another_file_of_the_same_name_is_read(tmp_path: Path) -> None:
    path = kept(tmp_path, *turn("one", MODEL))
    assert previews(tmp_path) == ["one"]
    path.rename(tmp_path / "aside")
    kept(tmp_path, *turn("two", MODEL))
    assert previews(tmp_path) == ["two"]


def test_a_row_that_speaks_of_another_session_is_not_believed(tmp_path: Path) -> None:
    kept(tmp_path, *said("one"), MODEL)
    assert previews(tmp_path) == ["one"]
    with closing(sqlite3.connect(tmp_path / INDEX_NAME)) as index, index:
        index.execute("UPDATE heads SET head = replace(head, '00000000-', '00000009-')")
    assert previews(tmp_path) == ["one"]


def test_what_is_gone_is_forgotten(tmp_path: Path) -> None:
    """Required: nothing that was said outlives its session here."""
    for number in range(3):
        kept(tmp_path, *turn(f"secret {number}", MODEL), number=number)
    assert len(previews(tmp_path)) == rows(tmp_path) == 3
    newest, _, oldest = transcripts(str(tmp_path))
    delete(str(tmp_path), newest)
    os.unlink(oldest.path)
    assert previews(tmp_path) == ["secret 1"]
    assert rows(tmp_path) == 1
    archive(str(tmp_path), *transcripts(str(tmp_path)))
    assert (previews(tmp_path), rows(tmp_path)) == ([], 0)
    assert (previews(tmp_path, archived=True), rows(tmp_path)) == (["secret 1"], 1)


@pytest.mark.parametrize("damage", [b"no database at all, but text" * 500, b"SQLite format 3\0" + b"\xff" * 9000])
def test_a_damaged_index_is_made_anew(tmp_path: Path, damage: bytes, reads: list[str]) -> None:
    kept(tmp_path, *turn("one", MODEL))
    previews(tmp_path)
    (tmp_path / INDEX_NAME).write_bytes(damage)
    assert previews(tmp_path) == previews(tmp_path) == ["one"]
    assert len(reads) == 2


@pytest.mark.parametrize("statement", ["DROP TABLE heads", "UPDATE heads SET head = '[1'", "PRAGMA user_version = 99"])
def test_an_index_of_another_shape_is_made_anew(tmp_path: Path, statement: str) -> None:
    kept(tmp_path, *turn("one", MODEL))
    previews(tmp_path)
    with closing(sqlite3.connect(tmp_path / INDEX_NAME)) as connection:
        connection.execute(statement)
        connection.commit()
    assert previews(tmp_path) == previews(tmp_path) == ["one"]
    assert rows(tmp_path) == 1


def test_an_index_damaged_anywhere_inside_is_never_an_error(tmp_path: Path) -> None:
    for number in range(60):
        kept(tmp_path, *turn(f"message {number} " + "x" * 150, MODEL), number=number)
    expected = previews(tmp_path)
    with closing(sqlite3.connect(tmp_path / INDEX_NAME)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = (tmp_path / INDEX_NAME).read_bytes()
    for place in range(100, len(whole) - 64, len(whole) // 40):
        (tmp_path / INDEX_NAME).write_bytes(whole[:place] + os.urandom(64) + whole[place + 64 :])
        for ending in ("-wal", "-shm"):
            (tmp_path / (INDEX_NAME + ending)).unlink(missing_ok=True)
        assert len(previews(tmp_path)) == len(expected)


def test_without_an_index_everything_is_read(tmp_path: Path, reads: list[str]) -> None:
    kept(tmp_path, *turn("one", MODEL))
    (tmp_path / INDEX_NAME).mkdir()
    assert previews(tmp_path) == previews(tmp_path) == ["one"]
    assert len(reads) == 2


def test_an_index_that_somebody_holds_is_done_without(tmp_path: Path) -> None:
    kept(tmp_path, *turn("one", MODEL))
    previews(tmp_path)
    kept(tmp_path, *turn("two", MODEL), number=1)
    with closing(sqlite3.connect(tmp_path / INDEX_NAME)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert previews(tmp_path) == ["two", "one"]
    assert rows(tmp_path) == 1, "it could not be written then"


def test_only_its_owner_can_reach_it(tmp_path: Path) -> None:
    kept(tmp_path, *turn("one", MODEL))
    with closing(SessionIndex(str(tmp_path))) as index:
        index.summaries(list(transcripts(str(tmp_path))))
        ours = [each for each in os.listdir(tmp_path) if each.startswith(INDEX_NAME)]
        assert len(ours) == 3
        assert {stat.S_IMODE((tmp_path / each).stat().st_mode) for each in ours} == {0o600}


LIST = """
import sys; sys.path.insert(0, sys.argv[1])
from sandgate.session.session_listing import sessions_page
for _ in range(10):
    assert len(sessions_page(sys.argv[2], page_size=100).sessions) == 40
"""


def test_several_processes_may_share_it(tmp_path: Path) -> None:
    for number in range(40):
        kept(tmp_path, *turn(f"message {number}", MODEL), number=number)
    children = [
        subprocess.Popen([sys.executable, "-I", "-S", "-c", LIST, str(SOURCE), str(tmp_path)]) for _ in range(4)
    ]
    for _ in range(3):
        for ending in ("", "-wal", "-shm"):
            (tmp_path / (INDEX_NAME + ending)).unlink(missing_ok=True)
        previews(tmp_path)
    assert [child.wait(30) for child in children] == [0] * 4

"""What a session keeps, and what it leaves nowhere."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sandgate.errors import StorageError
from sandgate.protocol.events import AgentMessageDelta, Failed, TaskStarted, UserMessage
from sandgate.protocol.items import user_message
from sandgate.session import session_index
from sandgate.session.session_index import INDEX_NAME
from sandgate.session.session_listing import sessions_page
from sandgate.session.transcript import Kept, Unkept
from sandgate.session.transcript_writer import TranscriptWriter
from support.agent.transcripts import meta


async def at_once(work: Any) -> None:
    work()


def kept(home: Path) -> Kept:
    return Kept(TranscriptWriter.new(str(home), meta()), at_once)


def written(transcript: Kept) -> list[tuple[str, str]]:
    lines = [json.loads(line) for line in Path(transcript.writer.path).read_text().splitlines()]
    return [(line["type"], line["payload"].get("type", "")) for line in lines]


def test_each_thing_is_a_line_before_anything_else_happens(tmp_path: Path) -> None:
    transcript = kept(tmp_path)
    transcript.keep(user_message("hi"))
    assert written(transcript) == [("session_meta", ""), ("response_item", "message")]
    transcript.keep_context({"turn_id": "t"})
    transcript.keep_event(UserMessage("hi"))
    transcript.keep_compacted("short", (user_message("hi"),))
    transcript.keep_audit({"what": "asked"})
    assert [kind for kind, _ in written(transcript)[2:]] == ["turn_context", "event_msg", "compacted", "approval_audit"]


def test_pieces_are_not_kept_but_how_a_turn_began_and_failed_is(tmp_path: Path) -> None:
    """Required: a turn that failed is not taken for one that was cut off."""
    transcript = kept(tmp_path)
    transcript.keep_event(TaskStarted("t", 1))
    transcript.keep_event(AgentMessageDelta("h"))
    transcript.keep_event(Failed("no model"))
    assert written(transcript)[1:] == [("event_msg", "task_started"), ("event_msg", "error")]


def test_a_session_lists_itself_as_soon_as_it_is_known_what_it_is_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Required: the first list of many sessions reads none that ended well."""
    transcript = kept(tmp_path)
    transcript.enlist()
    transcript.keep(user_message("hi"))
    transcript.enlist()
    assert not (tmp_path / INDEX_NAME).exists()
    transcript.keep_context({"turn_id": "t", "model": "m"})
    transcript.keep_event(UserMessage("hi"))
    transcript.enlist()
    monkeypatch.setattr(session_index, "read_head", lambda _path: pytest.fail("it was read"))
    assert [each.head.preview for each in sessions_page(str(tmp_path)).sessions] == ["hi"]


def test_a_session_that_ends_is_listed_even_when_it_was_short(tmp_path: Path) -> None:
    transcript = kept(tmp_path)
    transcript.keep_context({"turn_id": "t", "model": "m"})
    transcript.keep_event(UserMessage("hi"))
    asyncio.run(transcript.close())
    with closing(sqlite3.connect(tmp_path / INDEX_NAME)) as index:
        assert index.execute("SELECT name, archived, complete FROM heads").fetchall() == [
            (Path(transcript.writer.path).name, 0, 1)
        ]


def test_a_session_of_which_nothing_is_left_is_not_listed(tmp_path: Path) -> None:
    transcript = kept(tmp_path)
    transcript.keep_context({"turn_id": "t", "model": "m"})
    transcript.keep_event(UserMessage("hi"))
    Path(transcript.writer.path).unlink()
    with pytest.raises(StorageError):
        asyncio.run(transcript.close())
    assert not (tmp_path / INDEX_NAME).exists()


def test_what_is_closed_takes_no_more(tmp_path: Path) -> None:
    transcript = kept(tmp_path)
    transcript.keep(user_message("hi"))
    asyncio.run(transcript.flush())
    asyncio.run(transcript.close())
    with pytest.raises(StorageError):
        transcript.keep(user_message("late"))


def test_a_session_that_leaves_nothing_takes_everything_and_keeps_none() -> None:
    nowhere = Unkept()
    nowhere.keep(user_message("hi"))
    nowhere.keep_event(UserMessage("hi"))
    nowhere.keep_context({})
    nowhere.keep_compacted("short", ())
    nowhere.keep_audit({})
    asyncio.run(nowhere.flush())
    asyncio.run(nowhere.close())
    assert vars(nowhere) == {}

"""What a list says about a session."""

from __future__ import annotations

from pathlib import Path

from sandgate.protocol.items import user_message
from sandgate.session.session_summary import HEAD_LINES_MAX, PREVIEW_CHARS, SessionHead, read_head
from sandgate.session.transcript_lines import ContextLine, EventLine, GitState, ItemLine
from support.agent.transcripts import kept, meta, said, session_id, turn


def test_the_head_of_a_transcript_says_what_a_list_shows(tmp_path: Path) -> None:
    path = kept(
        tmp_path,
        *turn("please\n  do it", ContextLine({"model": "m"})),
        *turn("second"),
        source="exec",
        model_provider="p",
        git=GitState(branch="main"),
    )
    assert read_head(str(path)) == SessionHead(
        session_id(0), meta().timestamp, "/work", "exec", "p", "main", "m", "please do it"
    )


def test_a_long_message_is_cut(tmp_path: Path) -> None:
    head = read_head(str(kept(tmp_path, *said("word " * 10_000))))
    assert head is not None
    assert len(head.preview) <= PREVIEW_CHARS


def test_a_session_in_which_nothing_was_said_is_not_shown(tmp_path: Path) -> None:
    assert read_head(str(kept(tmp_path, ItemLine(user_message("<environment_context>"))))) is None


def test_a_session_that_is_a_review_is_shown_as_one(tmp_path: Path) -> None:
    head = read_head(str(kept(tmp_path, EventLine({"type": "entered_review_mode", "prompt": "the last\nchange"}))))
    assert head is not None
    assert head.preview == "review: the last change"


def test_what_comes_late_does_not_count(tmp_path: Path) -> None:
    before = [ItemLine(user_message("x"))] * HEAD_LINES_MAX
    assert read_head(str(kept(tmp_path, *before, *said("late")))) is None


def test_long_instructions_hide_nothing(tmp_path: Path) -> None:
    head = read_head(str(kept(tmp_path, *said("here"), instructions="x" * 100_000)))
    assert head is not None
    assert head.preview == "here"


def test_damaged_files_and_those_of_later_versions_are_not_shown(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    damaged.write_bytes(b"\0" * 100_000)
    assert read_head(str(damaged)) is None
    assert read_head(str(tmp_path / "absent")) is None
    assert read_head(str(kept(tmp_path, *said("x"), version="2.0"))) is None

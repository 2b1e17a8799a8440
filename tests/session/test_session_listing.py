"""Pages of sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.errors import RequestError
from sandgate.session import session_listing
from sandgate.session.session_listing import PAGE_SIZE_MAX, SUBAGENT, SessionPage, WantedSessions, sessions_page
from sandgate.session.transcript_files import archive, transcripts
from sandgate.session.transcript_lines import ContextLine, SessionMeta
from sandgate.session.transcript_writer import TranscriptWriter
from support.agent.transcripts import BEGAN, kept, said, session_id, turn

MODEL = ContextLine({"model": "m"})


def numbers(page: SessionPage) -> list[int]:
    return [int(session.head.id[:8], 16) for session in page.sessions]


def all_pages(home: Path, wanted: WantedSessions, page_size: int) -> list[int]:
    found, cursor = [], None
    for _ in range(20):
        page = sessions_page(str(home), wanted, page_size=page_size, cursor=cursor)
        assert len(page.sessions) <= page_size
        found += numbers(page)
        cursor = page.next_cursor
        if cursor is None:
            return found
    raise AssertionError(f"there is no end to the pages: {found}")


def kept_in_one_second(home: Path, count: int) -> None:
    from sandgate.session.transcript_files import new_path

    for number in range(count):
        path = new_path(str(home), session_id(number), BEGAN)
        writer = TranscriptWriter(path, str(home), SessionMeta(session_id(number), "t", "/"))
        for line in said("x"):
            writer.write(line)
        writer.close()


def test_no_sessions_are_an_empty_page(tmp_path: Path) -> None:
    assert sessions_page(str(tmp_path)) == SessionPage((), None, 0, False)


def test_the_newest_comes_first_with_what_a_list_shows(tmp_path: Path) -> None:
    for number in (3, 1, 2):
        kept(tmp_path, *turn(f"message {number}", MODEL), number=number)
    page = sessions_page(str(tmp_path))
    assert numbers(page) == [3, 2, 1]
    first = page.sessions[0]
    assert (first.head.preview, first.head.model, first.archived) == ("message 3", "m", False)
    assert first.path.endswith(f"{session_id(3)}.jsonl")
    assert first.updated_at > "2026"
    assert first.updated_at.endswith("Z")
    assert (page.next_cursor, page.scanned, page.reached_scan_cap) == (None, 3, False)


@pytest.mark.parametrize("page_size", [1, 2, 3, 7, 8])
def test_pages_of_files_of_the_same_second_leave_nothing_out(tmp_path: Path, page_size: int) -> None:
    kept_in_one_second(tmp_path, 7)
    assert all_pages(tmp_path, WantedSessions(), page_size) == [6, 5, 4, 3, 2, 1, 0]


def test_new_sessions_do_not_shift_the_next_page(tmp_path: Path) -> None:
    for number in range(4):
        kept(tmp_path, *said("x"), number=number)
    first = sessions_page(str(tmp_path), page_size=2)
    assert first.next_cursor is not None
    assert first.next_cursor.endswith(f"|{session_id(2)}")
    kept(tmp_path, *said("x"), number=9)
    (tmp_path / first.sessions[1].path).unlink()
    assert numbers(sessions_page(str(tmp_path), page_size=2, cursor=first.next_cursor)) == [1, 0]


def test_a_later_page_forgets_nothing_of_the_earlier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sandgate.session import session_index

    for number in range(4):
        kept(tmp_path, *turn("x", MODEL), number=number)
    assert all_pages(tmp_path, WantedSessions(), 2) == [3, 2, 1, 0]
    monkeypatch.setattr(session_index, "read_head", lambda path: pytest.fail(f"{path} was read again"))
    assert all_pages(tmp_path, WantedSessions(), 2) == [3, 2, 1, 0]


def test_only_wanted_sources_are_listed(tmp_path: Path) -> None:
    for number, source in enumerate(["cli", "exec", {"subagent": "review"}, "vscode"]):
        kept(tmp_path, *said("x"), number=number, source=source)
    assert numbers(sessions_page(str(tmp_path), WantedSessions(sources=("cli", "vscode")))) == [3, 0]
    assert numbers(sessions_page(str(tmp_path), WantedSessions(sources=(SUBAGENT,)))) == [2]


def test_sub_agents_can_be_left_out_and_say_whose_they_are(tmp_path: Path) -> None:
    kept(tmp_path, *said("x"), number=1)
    kept(tmp_path, *said("x"), number=2, source={"subagent": "review"})
    kept(tmp_path, *said("x"), number=3, source={"subagent": "collab_spawn", "parent_thread_id": session_id(1)})
    assert numbers(sessions_page(str(tmp_path), WantedSessions(subagents=False))) == [1]
    for _ in range(2):  # read, and remembered
        found = sessions_page(str(tmp_path)).sessions
        assert [each.head.parent_id for each in found] == [session_id(1), None, None]
        assert [each.head.is_subagent for each in found] == [True, True, False]


def test_a_session_without_a_provider_counts_as_the_default_one(tmp_path: Path) -> None:
    for number, provider in enumerate(["a", None, "b"]):
        kept(tmp_path, *said("x"), number=number, model_provider=provider)
    assert numbers(sessions_page(str(tmp_path), WantedSessions(providers=("a",), default_provider="a"))) == [1, 0]
    assert numbers(sessions_page(str(tmp_path), WantedSessions(providers=("a",), default_provider="b"))) == [0]


def test_archived_sessions_have_a_list_of_their_own(tmp_path: Path) -> None:
    for number in range(3):
        kept(tmp_path, *said("x"), number=number)
    archive(str(tmp_path), list(transcripts(str(tmp_path)))[1])
    assert numbers(sessions_page(str(tmp_path))) == [2, 0]
    assert numbers(sessions_page(str(tmp_path), WantedSessions(archived=True))) == [1]


def test_a_session_in_which_nothing_was_said_is_not_listed(tmp_path: Path) -> None:
    kept(tmp_path, MODEL, number=0)
    kept(tmp_path, *said("x"), number=1)
    assert numbers(sessions_page(str(tmp_path))) == [1]


def test_files_made_and_removed_behind_its_back_are_noticed(tmp_path: Path) -> None:
    paths = [kept(tmp_path, *said("x"), number=number) for number in range(3)]
    assert numbers(sessions_page(str(tmp_path))) == [2, 1, 0]
    paths[1].unlink()
    kept(tmp_path, *said("x"), number=3)
    assert numbers(sessions_page(str(tmp_path))) == [3, 2, 0]


def test_looking_for_rare_sessions_has_an_end_and_can_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_listing, "SCANNED_MAX", 5)
    for number in range(12):
        kept(tmp_path, *said("x"), number=number, source="exec" if number in (0, 9) else "cli")
    wanted = WantedSessions(sources=("exec",))
    page = sessions_page(str(tmp_path), wanted)
    assert (numbers(page), page.scanned, page.reached_scan_cap) == ([9], 5, True)
    assert all_pages(tmp_path, wanted, 25) == [9, 0]


@pytest.mark.parametrize(
    "cursor", ["", "x", "2026-01-01", f"2026-01-01T00-00-00|{session_id(1)}x", f"|{session_id(1)}", "a|b", "\x1b[2J|"]
)
def test_a_cursor_that_is_none_is_refused(tmp_path: Path, cursor: str) -> None:
    with pytest.raises(RequestError) as refused:
        sessions_page(str(tmp_path), cursor=cursor)
    assert "\x1b" not in str(refused.value)


@pytest.mark.parametrize("size", [0, -1, PAGE_SIZE_MAX + 1])
def test_a_page_of_no_or_too_many_sessions_is_refused(tmp_path: Path, size: int) -> None:
    with pytest.raises(RequestError):
        sessions_page(str(tmp_path), page_size=size)

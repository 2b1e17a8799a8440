"""Past sessions, looked at and put away."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.agent.past_sessions import (
    archive_session,
    delete_session,
    list_sessions,
    show_session,
    unarchive_session,
)
from sandgate.agent.undo import KeptUndo
from sandgate.config.prices import Price
from sandgate.errors import RequestError, SessionBusy, SessionNotFound
from sandgate.patch.apply import UndoRecord
from sandgate.protocol.items import FunctionCall, FunctionCallOutput, InputImage, Message
from sandgate.session.transcript_lines import ContextLine, EventLine, ItemLine
from sandgate.session.transcript_writer import TranscriptWriter
from support.agent.transcripts import kept, session_id, turn


@pytest.fixture
def state(tmp_path: Path) -> tuple[dict[str, str], Path]:
    home = tmp_path / "sandgate"
    home.mkdir(mode=0o700)
    return {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}, home


def test_the_newest_comes_first_and_pages_follow_one_another(state: tuple[dict[str, str], Path]) -> None:
    environ, home = state
    for number in range(3):
        kept(home, *turn(f"words {number}"), number=number)
    first = list_sessions(environ, limit=2)
    assert [(each.id, each.preview) for each in first.items] == [
        (session_id(2), "words 2"),
        (session_id(1), "words 1"),
    ]
    second = list_sessions(environ, limit=2, cursor=first.next_cursor)
    assert [each.id for each in second.items] == [session_id(0)]
    assert second.next_cursor is None
    with pytest.raises(RequestError):
        list_sessions(environ, limit=2, cursor="nowhere")


def test_a_session_is_shown_with_its_calls_and_its_damage(state: tuple[dict[str, str], Path]) -> None:
    environ, home = state
    calls = (ItemLine(FunctionCall("exec_command", '{"cmd":\n"ls"}', "c")), ItemLine(FunctionCallOutput("c", "a\nb")))
    path = kept(home, *turn("look", *calls, ItemLine(Message("user", (InputImage("data:secret"),)))))
    with path.open("ab") as file:
        file.write(b"garbage\n")
    shown = list(show_session(environ, session_id(0)))
    assert shown[:3] == [f"session {session_id(0)} in /work", "user:", "    look"]
    assert shown[3:6] == ["exec_command:", '    {"cmd":', '    "ls"}']
    assert "    b" in shown
    assert "    [a picture]" in shown
    assert "data:secret" not in "\n".join(shown)
    assert shown[-1] == "(1 damaged lines were passed over)"


def test_what_is_put_away_is_in_the_other_list_and_only_once(state: tuple[dict[str, str], Path]) -> None:
    environ, home = state
    kept(home, *turn("words"))
    archive_session(environ, session_id(0))
    assert list_sessions(environ, limit=5).items == ()
    assert [each.id for each in list_sessions(environ, limit=5, archived=True).items] == [session_id(0)]
    assert next(show_session(environ, session_id(0))).startswith("session ")
    with pytest.raises(RequestError, match="put away already"):
        archive_session(environ, session_id(0))


def test_what_is_put_away_can_be_taken_out_again(state: tuple[dict[str, str], Path]) -> None:
    environ, home = state
    kept(home, *turn("x"), number=1)
    with pytest.raises(RequestError, match="not put away"):
        unarchive_session(environ, session_id(1))
    archive_session(environ, session_id(1))
    unarchive_session(environ, session_id(1))
    assert [item.id for item in list_sessions(environ, limit=5).items] == [session_id(1)]
    assert list_sessions(environ, limit=5, archived=True).items == ()


def test_what_is_deleted_is_gone_and_what_is_in_use_stays(state: tuple[dict[str, str], Path]) -> None:
    environ, home = state
    path = kept(home, *turn("words"))
    writer, _ = TranscriptWriter.resumed(str(path))
    for deed in (delete_session, archive_session):
        with pytest.raises(SessionBusy):
            deed(environ, session_id(0))
    writer.close()
    assert KeptUndo(str(home), session_id(0)).keep("t", "c", UndoRecord(()))
    assert len(list_sessions(environ, limit=1).items) == 1
    delete_session(environ, session_id(0))
    assert not path.exists()
    assert not list((home / "undo").iterdir()), "what its files held before goes with it"
    assert not [each for each in home.iterdir() if each.is_file() and b"words" in each.read_bytes()]
    with pytest.raises(SessionNotFound):
        list(show_session(environ, session_id(0)))


def test_what_a_session_cost_is_shown_where_its_one_model_has_a_price(state: tuple[dict[str, str], Path]) -> None:
    """Required: never a sum over models of which one has no price, or another."""
    environ, home = state
    usage = {"input_tokens": 3_000, "cached_input_tokens": 1_000, "output_tokens": 500, "total_tokens": 3_500}
    counted = EventLine({"type": "token_count", "info": {"total_token_usage": usage}})
    first, second = ContextLine({"model": "gpt"}), ContextLine({"model": "other"})
    kept(home, first, *turn("one model", counted), number=0)
    kept(home, first, *turn("two"), second, *turn("models", counted), number=1)
    kept(home, first, *turn("uncounted"), number=2)
    price = {"gpt": Price(1.0, 0.1, 10.0, "EUR")}
    found = [(each.cost, each.currency) for each in list_sessions(environ, limit=5, prices=price).items]
    assert found == [(None, ""), (None, ""), (pytest.approx(0.0071), "EUR")]
    assert [each.cost for each in list_sessions(environ, limit=5).items] == [None] * 3

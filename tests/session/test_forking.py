"""A new session that begins with a part of another."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.errors import StorageError, TranscriptUnreadable, UserMessageOutOfRange
from sandgate.protocol.items import FunctionCall, FunctionCallOutput, Message, message_text, user_message
from sandgate.session.forking import BeforeUserMessage, Interrupted, fork
from sandgate.session.transcript_lines import AuditLine, CompactedLine, ContextLine, EventLine, ItemLine
from sandgate.session.transcript_writer import TranscriptWriter
from support.agent.transcripts import kept, meta, said, session_id, turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.session.transcript_reader import Transcript

MARKER = user_message("<turn_aborted>stopped</turn_aborted>")
SURROUNDINGS = ItemLine(user_message("<environment_context/>"))
CALL = (ItemLine(FunctionCall("shell", "{}", "c")), ItemLine(FunctionCallOutput("c", "done")))


def is_prefix(message: Message) -> bool:
    return message_text(message).startswith("<")


def forked(home: Path, source: Path, at: BeforeUserMessage | Interrupted) -> Transcript | None:
    before = source.read_bytes()
    writer = TranscriptWriter.new(str(home), meta(1, forked_from_id=session_id(0)))
    try:
        return fork(str(source), writer, at, is_prefix=is_prefix)
    finally:
        writer.close()
        assert source.read_bytes() == before, "the source is as it was"


def said_in(transcript: Transcript | None) -> list[str]:
    assert transcript is not None
    return [message_text(item) for item in transcript.items if isinstance(item, Message)]


def conversation(home: Path) -> Path:
    first = (EventLine({"type": "task_started", "turn_id": "1"}), SURROUNDINGS, *said("one"), *CALL)
    return kept(home, *first, EventLine({"type": "task_complete"}), *turn("two", *CALL), SURROUNDINGS, *turn("three"))


def test_a_fork_holds_what_came_strictly_before_the_message(tmp_path: Path) -> None:
    """Required: what the session says on the person's behalf does not count."""
    source = conversation(tmp_path)
    first = forked(tmp_path, source, BeforeUserMessage(1))
    assert first is not None
    assert said_in(first) == ["<environment_context/>", "one"]
    assert (first.meta.id, first.meta.forked_from_id) == (session_id(1), session_id(0))
    assert [event["type"] for event in first.initial_messages()] == ["task_started", "user_message", "task_complete"]
    assert not first.ended_in_turn


def test_a_fork_before_the_last_message_and_again_of_the_fork(tmp_path: Path) -> None:
    once = forked(tmp_path, conversation(tmp_path), BeforeUserMessage(2))
    assert once is not None
    assert said_in(once) == ["<environment_context/>", "one", "two", "<environment_context/>"]
    writer = TranscriptWriter.new(str(tmp_path), meta(2))
    assert said_in(fork(once.path, writer, BeforeUserMessage(1), is_prefix=is_prefix)) == said_in(once)[:2]
    writer.close()


def test_a_fork_before_the_first_message_is_empty_and_leaves_no_file(tmp_path: Path) -> None:
    source = conversation(tmp_path)
    assert forked(tmp_path, source, BeforeUserMessage(0)) is None
    assert list(tmp_path.rglob(f"*{session_id(1)}*")) == []


def test_a_message_that_is_not_there_is_an_error_or_nothing(tmp_path: Path) -> None:
    source = conversation(tmp_path)
    with pytest.raises(UserMessageOutOfRange, match="3 messages"):
        forked(tmp_path, source, BeforeUserMessage(3))
    assert forked(tmp_path, source, BeforeUserMessage(3, allow_empty=True)) is None
    assert list(tmp_path.rglob(f"*{session_id(1)}*")) == []


def test_a_message_within_a_turn_cuts_that_turn(tmp_path: Path) -> None:
    source = kept(tmp_path, *turn("one", *CALL, *said("meanwhile"), *CALL))
    cut = forked(tmp_path, source, BeforeUserMessage(1))
    assert cut is not None
    assert said_in(cut) == ["one"]
    assert cut.ended_in_turn


def test_what_was_summarised_later_is_as_it_was(tmp_path: Path) -> None:
    source = kept(tmp_path, *turn("one"), *turn("two"), CompactedLine("m", (user_message("summary"),)), *turn("three"))
    assert said_in(forked(tmp_path, source, BeforeUserMessage(1))) == ["one"]
    other = tmp_path / "other"
    other.mkdir(0o700)
    assert said_in(forked(other, source, BeforeUserMessage(2))) == ["summary"]


def test_a_running_turn_is_interrupted_in_the_fork_alone(tmp_path: Path) -> None:
    source = kept(tmp_path, *turn("one"), *turn("two", *CALL, turn_id="last", ended=False))
    cut = forked(tmp_path, source, Interrupted(MARKER))
    assert cut is not None
    assert said_in(cut) == ["one", "two", message_text(MARKER)]
    assert cut.initial_messages()[-1] == {"type": "turn_aborted", "turn_id": "last", "reason": "interrupted"}
    assert not cut.ended_in_turn


def test_a_session_at_rest_is_copied_as_it_is(tmp_path: Path) -> None:
    assert said_in(forked(tmp_path, kept(tmp_path, *turn("one")), Interrupted(MARKER))) == ["one"]


def test_a_session_in_use_can_be_forked(tmp_path: Path) -> None:
    writer = TranscriptWriter.new(str(tmp_path), meta())
    for line in (*turn("one"), *turn("two")):
        writer.write(line)
    assert said_in(forked(tmp_path, Path(writer.path), BeforeUserMessage(1))) == ["one"]
    writer.close()


def test_approvals_are_not_copied(tmp_path: Path) -> None:
    """Required: who allowed what is about the session it was allowed in."""
    odd = (AuditLine({"kind": "decision"}), ContextLine({"model": "m"}))
    cut = forked(tmp_path, kept(tmp_path, *turn("one", *odd), *turn("two")), BeforeUserMessage(1))
    assert cut is not None
    assert cut.context == {"model": "m"}
    assert "approval_audit" not in Path(cut.path).read_text()


def test_what_cannot_be_gone_on_from_is_not_forked(tmp_path: Path) -> None:
    with pytest.raises(TranscriptUnreadable):
        forked(tmp_path, kept(tmp_path, *turn("one"), version="3.0"), Interrupted(MARKER))


def test_a_fork_that_cannot_be_kept_fails(tmp_path: Path) -> None:
    source = kept(tmp_path, *turn("one"))
    home = tmp_path / "home"
    home.mkdir(0o700)
    writer = TranscriptWriter.new(str(home), meta(1))
    (home / "sessions").write_text("in the way")
    with pytest.raises(StorageError):
        fork(str(source), writer, Interrupted(MARKER), is_prefix=is_prefix)

"""What is read from a transcript, whole, torn or damaged."""

from __future__ import annotations

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandgate.errors import SessionNotFound, StorageError, TranscriptUnreadable
from sandgate.protocol.items import FunctionCall, FunctionCallOutput, message_text, user_message
from sandgate.session import transcript_bytes, transcript_reader
from sandgate.session.transcript_lines import CompactedLine, ContextLine, EventLine, ItemLine, line_bytes
from sandgate.session.transcript_reader import BadLine, read_transcript
from support.agent.transcripts import kept, meta, said, session_id, turn
from support.suite.searches import examples

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandgate.session.transcript_lines import Line

AT = "2026-11-22T11:20:09.123Z"


def raw(*lines: Line) -> list[bytes]:
    return [line_bytes(line, ordinal=number, timestamp=AT) for number, line in enumerate(lines)]


def written(home: Path, data: bytes) -> str:
    path = home / "transcript.jsonl"
    path.write_bytes(data)
    path.chmod(0o600)
    return str(path)


def texts(items: Iterable[object]) -> list[str]:
    return [message_text(item) for item in items]  # type: ignore[arg-type]


def test_a_whole_transcript_is_read(tmp_path: Path) -> None:
    call = (ItemLine(FunctionCall("shell", "{}", "c")), ItemLine(FunctionCallOutput("c", "done")))
    context = ContextLine({"turn_id": "turn", "model": "m"})
    path = kept(tmp_path, *turn("hello", context, *call))
    read = read_transcript(str(path))
    assert read.meta == meta()
    assert read.items == (user_message("hello"), *(line.item for line in call))
    assert [event["type"] for event in read.initial_messages()] == ["task_started", "user_message", "task_complete"]
    assert read.context == context.context
    assert (read.ended_in_turn, read.torn, read.bad_count, read.next_ordinal) == (False, False, 0, 8)


def test_a_turn_without_an_end_is_noticed(tmp_path: Path) -> None:
    read = read_transcript(str(kept(tmp_path, *turn("one"), *turn("two", turn_id="last", ended=False))))
    assert (read.ended_in_turn, read.open_turn) == (True, "last")


@pytest.mark.parametrize("end", ["task_complete", "turn_aborted", "error"])
def test_however_a_turn_ended_it_has_ended(tmp_path: Path, end: str) -> None:
    read = read_transcript(str(kept(tmp_path, *turn("one", EventLine({"type": end}), ended=False))))
    assert not read.ended_in_turn


def test_half_an_event_ends_no_turn(tmp_path: Path) -> None:
    path = kept(tmp_path, *turn("one"))
    os.truncate(path, path.stat().st_size - 10)
    read = read_transcript(str(path))
    assert (read.ended_in_turn, read.bad_count, len(read.raw_events)) == (True, 1, 2)


def test_a_summary_takes_the_place_of_what_was_before_it(tmp_path: Path) -> None:
    summary = CompactedLine("m", (user_message("kept"), user_message("summary")))
    path = kept(tmp_path, *said("one"), CompactedLine("m", ()), *said("two"), summary, *said("three"))
    read = read_transcript(str(path))
    assert texts(read.items) == ["kept", "summary", "three"]
    assert len(read.raw_events) == 3


def test_a_summary_without_its_history_follows_what_was_said(tmp_path: Path) -> None:
    """Required: files of other programs have such lines."""
    call = (ItemLine(FunctionCall("shell", "{}", "c")), ItemLine(FunctionCallOutput("c", "done")))
    path = kept(tmp_path, *said("one"), *call, CompactedLine("summary", None), *said("two"))
    first, summary, last = texts(read_transcript(str(path)).items)
    assert (first, summary.endswith("\nsummary"), last) == ("one", True, "two")


def test_the_first_meta_says_whose_it_is(tmp_path: Path) -> None:
    assert read_transcript(str(kept(tmp_path, *said("x"), meta(9)))).meta.id == session_id(0)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"  \n\t\n"])
def test_an_empty_file_is_no_session(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(TranscriptUnreadable, match="empty session file"):
        read_transcript(written(tmp_path, data))


def test_a_file_that_says_not_whose_it_is_is_no_session(tmp_path: Path) -> None:
    with pytest.raises(TranscriptUnreadable, match="failed to parse conversation ID from rollout file"):
        read_transcript(written(tmp_path, b"".join(raw(*said("x")))))


def test_a_later_version_is_refused_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(TranscriptUnreadable) as refused:
        read_transcript(str(kept(tmp_path, *said("x"), version="2.0")))
    assert "2.0" in str(refused.value)
    assert refused.value.hint


GARBAGE = [
    b"nonsense",
    b"\0\0\0\0",
    b"\xff\xfe{}",
    b"[1]",
    b"{}",
    b'{"type":"response_item"}',
    b'{"type":"response_item","payload":{"type":"ghost"}}',
    b'{"type":7,"payload":{}}',
    b'{"type":"event_msg","payload":{}}',
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b'{"timestamp":"","ordinal":1,"type":"response_item","payload":{"type":"mess}}',
    b'{"timestamp":"","ordinal":1,"type":"compacted","payload":{"message":"m","replacement_history":7}}',
    b"{} {}",
    b"1" * 10_000,
]


@pytest.mark.parametrize("garbage", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_in_the_middle_hides_no_other_line(tmp_path: Path, garbage: bytes) -> None:
    whole = raw(meta(), *said("one"), *said("two"))
    data = b"".join([*whole[:3], garbage + b"\n", b"\n", *whole[3:]])
    read = read_transcript(written(tmp_path, data))
    assert texts(read.items) == ["one", "two"]
    assert len(read.initial_messages()) == 2
    assert [bad.number for bad in read.bad_lines] == [4]


def test_types_of_later_versions_are_passed_over_in_silence(tmp_path: Path) -> None:
    later = b'{"timestamp":"t","ordinal":1,"type":"world_state","payload":{"x":1}}\n'
    read = read_transcript(written(tmp_path, b"".join([*raw(meta(), *said("one")), later])))
    assert (texts(read.items), read.bad_count) == (["one"], 0)


def test_lines_of_another_program_are_read(tmp_path: Path) -> None:
    """Required: the order of the fields is ours, and no promise of others."""
    lines = [json.loads(line) for line in raw(meta(), *turn("one", ended=False), ContextLine({"model": "m"}))]
    turned = b"".join(json.dumps(dict(reversed(line.items())), indent=None).encode() + b"\n" for line in lines)
    read = read_transcript(written(tmp_path, turned))
    assert (texts(read.items), read.open_turn, read.context) == (["one"], "turn", {"model": "m"})
    assert read.next_ordinal == len(lines)


def test_bad_lines_are_counted_and_the_first_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_reader, "BAD_LINES_SHOWN", 2)
    read = read_transcript(written(tmp_path, b"".join(raw(meta())) + b"x\n" * 5))
    assert read.bad_lines == (BadLine(2, "it is no JSON"), BadLine(3, "it is no JSON"))
    assert read.bad_count == 5


def test_a_line_that_is_too_long_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_bytes, "LINE_BYTES_MAX", 4096)
    monkeypatch.setattr(transcript_bytes, "CHUNK_BYTES", 512)
    path = kept(tmp_path, *said("one"), ItemLine(user_message("x" * 9000)), *said("two"))
    read = read_transcript(str(path))
    assert (texts(read.items), read.bad_count) == (["one", "two"], 1)


def test_more_than_memory_should_hold_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_reader, "LIVE_BYTES_MAX", 2000)
    many = [line for _ in range(20) for line in said("x" * 100)]
    with pytest.raises(TranscriptUnreadable, match="more than 2000 bytes"):
        read_transcript(str(kept(tmp_path, *many)))


def test_what_was_replaced_takes_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_reader, "LIVE_BYTES_MAX", 2000)
    many: list[Line] = []
    for _ in range(20):
        many += [ItemLine(user_message("x" * 1000)), CompactedLine("m", ())]
    assert read_transcript(str(kept(tmp_path, *many))).items == ()


def test_what_a_summary_replaced_is_not_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: a long past costs no more than its bytes."""
    decoded: list[bytes] = []
    parsed = transcript_bytes.json_object

    def counted(data: bytes) -> dict[str, object]:
        decoded.append(data)
        return parsed(data)

    monkeypatch.setattr(transcript_reader, "json_object", counted)
    path = kept(tmp_path, *said("before") * 50, CompactedLine("m", (user_message("summary"),)), *said("after"))
    assert texts(read_transcript(str(path)).items) == ["summary", "after"]
    assert not [data for data in decoded if b"before" in data]


def test_the_last_token_count_is_found(tmp_path: Path) -> None:
    counts = [EventLine({"type": "token_count", "info": {"n": number}}) for number in range(3)]
    read = read_transcript(str(kept(tmp_path, *counts, *said("x"))))
    assert read.last_token_count() == counts[-1].event


def test_what_others_could_have_written_is_not_believed(tmp_path: Path) -> None:
    path = kept(tmp_path, *said("x"))
    path.chmod(0o622)
    with pytest.raises(StorageError, match="other users can write to it"):
        read_transcript(str(path))


def test_links_pipes_and_absent_files_are_refused(tmp_path: Path) -> None:
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(kept(tmp_path, *said("x")))
    os.mkfifo(pipe, 0o600)
    with pytest.raises(StorageError, match="it is a link"):
        read_transcript(str(link))
    with pytest.raises(StorageError, match="no plain file"):
        read_transcript(str(pipe))
    with pytest.raises(SessionNotFound):
        read_transcript(str(tmp_path / "none"))


WHOLE = raw(meta(), *(line for number in range(6) for line in turn(f"message {number}")))


@settings(max_examples=examples(200), deadline=None)
@given(st.integers(0, sum(map(len, WHOLE))), st.integers(1, 200))
def test_a_file_torn_anywhere_gives_every_line_before_the_tear(cut: int, chunk: int) -> None:
    """Required: and where a line lacks only its end, that line too."""
    data = b"".join(WHOLE)[:cut]
    with TemporaryDirectory() as home, pytest.MonkeyPatch.context() as patched:
        patched.setattr(transcript_bytes, "CHUNK_BYTES", chunk)
        path = written(Path(home), data)
        if cut < len(WHOLE[0]) - 1:
            with pytest.raises(TranscriptUnreadable):
                read_transcript(path)
            return
        read = read_transcript(path)
    complete = [line for line in (data + b"\n").split(b"\n") if line + b"\n" in WHOLE]
    spoken = [json.loads(line)["payload"] for line in complete]
    assert texts(read.items) == [each["content"][0]["text"] for each in spoken if each.get("type") == "message"]
    assert read.torn == (not data.endswith(b"\n"))


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.tuples(st.integers(1, len(WHOLE)), st.binary(max_size=80)), max_size=8))
def test_whatever_is_thrown_in_changes_nothing_else(garbage: list[tuple[int, bytes]]) -> None:
    lines = [*WHOLE]
    for place, data in sorted(garbage, reverse=True):
        lines.insert(place, data.replace(b"\n", b"") + b"\n")
    with TemporaryDirectory() as home:
        read = read_transcript(written(Path(home), b"".join(lines)))
        assert texts(read.items) == [f"message {number}" for number in range(6)]
        assert len(read.initial_messages()) == 18

"""What a line of a transcript says, and how it is written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.errors import TranscriptUnreadable
from sandgate.protocol.items import (
    FunctionCall,
    FunctionCallOutput,
    InputImage,
    InputText,
    LocalShellCall,
    Message,
    Reasoning,
    user_message,
)
from sandgate.session.transcript_lines import (
    AuditLine,
    CompactedLine,
    ContextLine,
    EventLine,
    GitState,
    ItemLine,
    Malformed,
    as_line,
    line_bytes,
)
from support.agent.transcripts import meta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.session.transcript_lines import Line

AT = "2026-11-22T11:20:09.123Z"


def read_back(line: Line) -> Line | None:
    value = json.loads(line_bytes(line, ordinal=7, timestamp=AT))
    assert (value["ordinal"], value["timestamp"]) == (7, AT)
    return as_line(value["type"], value["payload"])


@pytest.mark.parametrize(
    "line",
    [
        meta(source={"subagent": "review"}, git=GitState("abc", "main"), model_provider="openai", instructions="x"),
        meta(forked_from_id="other"),
        ItemLine(user_message("hello\nthere")),
        ItemLine(Message("user", (InputText("a"), InputImage("data:image/png;base64,AAAA")))),
        ItemLine(Reasoning(("thought",), ("in clear",), "sealed", id="rs_1")),
        ItemLine(FunctionCall("shell", '{"a": 1}', "call", id="fc_1")),
        ItemLine(FunctionCallOutput("call", (InputText("out"),))),
        ItemLine(LocalShellCall("", "completed", {"type": "exec", "command": ["ls"]}, id="lsc")),
        EventLine({"type": "user_message", "message": "x"}),
        ContextLine({"turn_id": "t", "cwd": "/w", "sandbox_policy": {"mode": "read-only"}}),
        CompactedLine("so far", (user_message("one"), FunctionCall("f", "{}", "c"))),
        CompactedLine("so far", None),
        AuditLine({"kind": "decision", "decision": "approved"}),
    ],
    ids=lambda line: type(line).__name__,
)
def test_every_line_is_read_back_as_it_was_written(line: Line) -> None:
    assert read_back(line) == line


@given(st.text())
def test_any_text_comes_back_on_one_line(text: str) -> None:
    """Required: also text with half surrogate pairs, which bytes of file names become."""
    line = ItemLine(user_message(text))
    assert line_bytes(line, ordinal=0, timestamp=AT).count(b"\n") == 1
    assert read_back(line) == line


def test_half_a_surrogate_pair_comes_back() -> None:
    line = ItemLine(user_message("na\udcffme"))
    assert line_bytes(line, ordinal=0, timestamp=AT).decode("ascii")
    assert read_back(line) == line


def test_text_is_written_so_that_it_can_be_searched() -> None:
    assert "grün".encode() in line_bytes(ItemLine(user_message("grün")), ordinal=0, timestamp=AT)


def test_an_event_has_its_type_in_front() -> None:
    """Required: readers look for it there."""
    assert b'"payload":{"type":"error",' in line_bytes(
        EventLine({"message": "x", "type": "error"}), ordinal=0, timestamp=AT
    )


def test_types_of_later_versions_say_nothing() -> None:
    assert as_line("world_state", {"anything": 1}) is None


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("response_item", {"type": "ghost"}),
        ("response_item", []),
        ("event_msg", {"message": "no type"}),
        ("compacted", {"replacement_history": []}),
        ("compacted", {"message": "m", "replacement_history": "text"}),
        ("session_meta", {"id": 7, "timestamp": "t", "cwd": "/"}),
    ],
)
def test_what_does_not_fit_its_type_is_malformed(kind: str, payload: object) -> None:
    with pytest.raises(Malformed):
        as_line(kind, payload)


@pytest.mark.parametrize("version", ["2.0", "10", "", "x.1", None, 1, "9" * 5000, "²"])
def test_a_version_that_is_not_ours_is_refused_with_a_way_out(version: object) -> None:
    with pytest.raises(TranscriptUnreadable) as refused:
        as_line("session_meta", {"id": "i", "timestamp": "t", "cwd": "/", "version": version})
    assert refused.value.hint == "use the program that wrote it"


def test_a_later_minor_version_is_read() -> None:
    assert as_line("session_meta", {"id": "i", "timestamp": "t", "cwd": "/", "version": "1.9"})


def test_the_repository_of_an_older_file_stands_beside_the_rest() -> None:
    line = as_line("session_meta", {"id": "i", "timestamp": "t", "cwd": "/", "branch": "main"})
    assert line == meta(id="i", timestamp="t", cwd="/", originator="", source="unknown", git=GitState(branch="main"))

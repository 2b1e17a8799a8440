"""Lines are found in a transcript's bytes, from the front, and the last summary from the end."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandgate.protocol.items import user_message
from sandgate.session import transcript_bytes
from sandgate.session.transcript_bytes import json_object, last_summary_at, lines, parts
from sandgate.session.transcript_lines import AuditLine, CompactedLine, EventLine, Malformed, line_bytes
from support.agent.transcripts import meta, said
from support.suite.searches import examples

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.session.transcript_lines import Line

SUMMARY = CompactedLine("m", (user_message("summary"),))


def raw(*made: Line) -> list[bytes]:
    return [line_bytes(line, ordinal=number, timestamp="2026-01-01T00:00:00.000Z") for number, line in enumerate(made)]


@contextmanager
def opened(data: bytes) -> Iterator[int]:
    with TemporaryDirectory() as home:
        path = Path(home, "transcript.jsonl")
        path.write_bytes(data)
        descriptor = os.open(path, os.O_RDONLY)
        try:
            yield descriptor
        finally:
            os.close(descriptor)


@settings(max_examples=examples(100), deadline=None)
@given(st.binary(max_size=300), st.integers(1, 40), st.integers(0, 300))
def test_lines_are_those_of_the_file_however_it_is_read(data: bytes, chunk: int, limit: int) -> None:
    with opened(data) as descriptor, pytest.MonkeyPatch.context() as patched:
        patched.setattr(transcript_bytes, "CHUNK_BYTES", chunk)
        whole = [line for line in lines(descriptor) if line]
        os.lseek(descriptor, 0, os.SEEK_SET)
        first = [line for line in lines(descriptor, limit) if line]
        assert os.lseek(descriptor, 0, os.SEEK_CUR) == min(limit, len(data))
    assert whole == [line for line in data.split(b"\n") if line]
    assert first == [line for line in data[:limit].split(b"\n") if line]


def test_a_line_of_ours_says_what_it_is_before_it_is_read() -> None:
    """Required: its payload may be damaged, and nobody minds before it is looked at."""
    line = b'{"timestamp":"t","ordinal":7,"type":"response_item","payload":{"damaged}}'
    assert parts(line) == (7, "response_item", b'{"damaged}')
    with pytest.raises(Malformed, match="no JSON"):
        json_object(parts(line)[2])


@pytest.mark.parametrize("chunk", [1, 7, 64, 1 << 18])
def test_the_last_summary_is_found_from_the_end(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_bytes, "CHUNK_BYTES", chunk)
    made = raw(meta(), *said("one"), SUMMARY, *said("two"), SUMMARY, *said("three"))
    with opened(b"".join(made)) as descriptor:
        assert last_summary_at(descriptor) == len(b"".join(made[:6]))
    with opened(b"".join(made[:3])) as descriptor:
        assert last_summary_at(descriptor) == 0
    with opened(b"") as descriptor:
        assert last_summary_at(descriptor) == 0


@pytest.mark.parametrize(
    "later",
    [
        raw(CompactedLine("without its history", None))[0],
        raw(SUMMARY)[0][:-9],  # torn
        raw(SUMMARY)[0].replace(b'"m"', b"m"),
        raw(SUMMARY)[0].replace(b'"replacement_history":[', b'"replacement_history":7,"x":['),
        b"x" + raw(SUMMARY)[0],
        *raw(EventLine({"type": "user_message", "message": '{"type":"compacted","payload":{}}'})),
        *raw(AuditLine({"about": {"type": "compacted", "payload": {"message": "m", "replacement_history": []}}})),
        b'{"timestamp":"t","ordinal":1,"type":"x","payload":{}} "type":"compacted","payload":{}}\n',
    ],
    ids=range(8),
)
def test_what_only_looks_like_a_summary_is_none(later: bytes) -> None:
    """Required: what was said before it must not be lost."""
    begun = raw(meta(), *said("one"), SUMMARY, *said("two"))
    with opened(b"".join([*begun, later])) as descriptor:
        assert last_summary_at(descriptor) == len(b"".join(begun[:3]))

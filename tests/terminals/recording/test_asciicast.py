"""What a terminal showed and what was typed, written down."""

import json
import os
import stat
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.errors import RequestError
from sandgate.terminals.recording.asciicast import ENDING_BYTES, REDACTED, Recorder, RecordingFile


class Tape:
    """A recorder with a clock that moves only by hand, and what it wrote."""

    def __init__(self, **options: Any) -> None:
        self.now_ns = 5_000_000_000
        self.written = b""
        self.recorder = Recorder(
            self._write, columns=80, rows=24, clock_ns=lambda: self.now_ns, timestamp_s=1_700_000_000, **options
        )

    def _write(self, data: bytes) -> None:
        self.written += data

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.written.decode().splitlines()]

    @property
    def shown(self) -> str:
        return "".join(event[2] for event in self.lines[1:] if event[1] == "o")


def test_a_session_is_a_header_and_events_with_the_time_between_them() -> None:
    tape = Tape(term="xterm", command="bash")
    tape.now_ns += 250_000_000
    tape.recorder.output(b"$ ")
    tape.now_ns += 1_500_000
    tape.recorder.input(b"ls\r", echo=True)
    tape.recorder.resize(columns=100, rows=50)
    tape.now_ns += 999
    tape.recorder.marker("here")
    tape.now_ns += 2
    tape.recorder.exit(3)
    assert tape.lines == [
        {"version": 3, "term": {"cols": 80, "rows": 24, "type": "xterm"}, "timestamp": 1_700_000_000}
        | {"command": "bash"},
        [0.25, "o", "$ "],
        [0.0015, "i", "ls\r"],
        [0.0, "r", "100x50"],
        [0.0, "m", "here"],
        [0.000001, "x", "3"],
    ]  # fmt: skip


def test_characters_may_be_torn_and_bytes_may_be_none() -> None:
    tape = Tape()
    tape.recorder.output(b"a\xc3")
    tape.recorder.output(b"\xbc\xff\x1b[0m")
    tape.recorder.output(b"\xe2\x82")
    tape.recorder.exit(None)
    assert tape.shown == "aü�\x1b[0m�"


def test_what_is_typed_in_hiding_is_not_in_the_file() -> None:
    tape = Tape()
    tape.recorder.output(b"Password: ")
    for key in b"hunter22\r":
        tape.recorder.input(bytes([key]), echo=False)
    tape.recorder.output(b"\r\nok\r\n")
    tape.recorder.input(b"ls\r", echo=True)
    tape.recorder.exit(0)
    assert [event[1:] for event in tape.lines[1:]] == [
        ["o", "Password: "],
        ["i", REDACTED],  # one, so that nobody can count the keys
        ["o", "\r\nok\r\n"],
        ["i", "ls\r"],
        ["x", "0"],
    ]


def test_what_was_typed_in_hiding_is_covered_when_it_is_shown() -> None:
    tape = Tape()
    tape.recorder.input(b"hunter22\r", echo=False)
    tape.recorder.output(b"your password is hun")
    tape.recorder.resize(columns=1, rows=1)
    tape.recorder.output(b"ter22!\r\nhunting ")
    tape.recorder.output(b"hunter2")
    tape.recorder.exit(0)
    assert b"hunter2" not in tape.written
    assert tape.shown == f"your password is {REDACTED}!\r\nhunting {REDACTED}"


def test_a_line_that_is_still_being_typed_is_covered_too() -> None:
    tape = Tape()
    tape.recorder.input(b"hunt", echo=False)
    tape.recorder.input(b"er22", echo=False)
    tape.recorder.output(b"echo: hunter22 ")
    tape.recorder.exit(0)
    assert tape.shown == f"echo: {REDACTED} "


@given(st.lists(st.integers(0, 60), max_size=8), st.binary(max_size=20), st.binary(max_size=20))
def test_no_way_of_cutting_lets_a_secret_through(cuts: list[int], before: bytes, after: bytes) -> None:
    tape = Tape()
    tape.recorder.input(b"s3cret-word\n", echo=False)
    data = before + b"s3cret-word" + after
    bounds = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    for begin, end in pairwise(bounds):
        tape.recorder.output(data[begin:end])
    tape.recorder.exit(0)
    assert b"s3cret-word" not in tape.written
    assert REDACTED in tape.shown


@given(st.lists(st.binary(max_size=30), max_size=8))
def test_without_a_secret_everything_is_shown(parts: list[bytes]) -> None:
    tape = Tape()
    for part in parts:
        tape.recorder.output(part)
    tape.recorder.exit(0)
    assert tape.shown == b"".join(parts).decode("utf-8", "replace")


def test_a_full_recording_says_how_much_is_missing() -> None:
    tape = Tape(bytes_max=2_060)
    for _ in range(100):
        tape.recorder.output(b"x" * 100)
    tape.recorder.output(b"y")  # would fit, but nobody would know what is missing before it
    tape.recorder.exit(0)
    kept = len(tape.shown)
    assert "y" not in tape.shown
    assert len(tape.written) <= 2_060
    assert kept > (2_000 - ENDING_BYTES) * 2 // 3
    assert [event[1:] for event in tape.lines[-2:]] == [
        ["m", f"{10_001 - kept} bytes were not recorded: the recording was full"],
        ["x", "0"],
    ]


def test_nothing_follows_the_end() -> None:
    tape = Tape()
    tape.recorder.exit(0)
    size = len(tape.written)
    tape.recorder.exit(1)
    tape.recorder.output(b"late")
    assert len(tape.written) == size


def test_a_disk_that_fails_is_told_and_stops_nobody() -> None:
    def full(_data: bytes) -> None:
        raise OSError(28, "No space left on device")

    recorder = Recorder(full, columns=80, rows=24, clock_ns=lambda: 0, timestamp_s=0)
    recorder.output(b"x")
    recorder.exit(0)
    assert "No space left" in recorder.failed


def test_the_file_is_new_and_private(tmp_path: Path) -> None:
    path = tmp_path / "session.cast"
    file = RecordingFile(str(path))
    file.write(b"one\n")
    file.close()
    assert path.read_bytes() == b"one\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for taken in ("session.cast", "link", "missing/file"):
        with pytest.raises(RequestError, match="cannot record to"):
            RecordingFile(str(tmp_path / taken))
    assert sorted(os.listdir(tmp_path)) == ["link", "session.cast"]

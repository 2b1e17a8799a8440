"""What the last lines of a transcript say of its session."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandgate.session.session_tail import ENDED, TAIL_BYTES, SessionTail, read_tail
from sandgate.session.transcript_lines import TURN_ENDS, EventLine
from sandgate.session.transcript_lock import take
from support.agent.transcripts import kept, turn

USAGE = {
    "total_token_usage": {"total_tokens": 1100, "input_tokens": 900, "output_tokens": 200, "cached_input_tokens": 7}
}


def of(folder: Path, *events: dict[str, object]) -> SessionTail:
    return read_tail(str(kept(folder, *turn("hi"), *(EventLine(event) for event in events))))


def test_every_end_of_a_turn_is_a_state() -> None:
    assert ENDED.keys() - {"task_started"} == TURN_ENDS


@pytest.mark.parametrize(
    ("last", "state"),
    [
        ("task_complete", "done"),
        ("turn_aborted", "interrupted"),
        ("error", "failed"),
        ("task_started", "cut off"),
    ],
)
def test_the_last_turn_says_how_the_session_stands(tmp_path: Path, last: str, state: str) -> None:
    found = of(tmp_path, {"type": "token_count", "info": USAGE}, {"type": last, "turn_id": "t"})
    assert (found.state, found.tokens, found.cached_tokens) == (state, 1100, 7)
    assert (found.input_tokens, found.output_tokens) == (900, 200)


def test_a_session_that_a_program_writes_is_open(tmp_path: Path) -> None:
    path = kept(tmp_path, *turn("hi"), EventLine({"type": "task_complete", "turn_id": "t"}))
    assert read_tail(str(path)).state == "done"
    descriptor = os.open(path, os.O_RDWR)
    try:
        take(descriptor, str(path))
        assert read_tail(str(path)).state == "open"
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("info", [None, 3, {}, {"total_token_usage": 3}, {"total_token_usage": {"total_tokens": "x"}}])
def test_tokens_that_make_no_sense_are_not_known(tmp_path: Path, info: object) -> None:
    assert of(tmp_path, {"type": "token_count", "info": info}).tokens is None


def test_only_the_tail_is_looked_at_and_damage_is_passed_over(tmp_path: Path) -> None:
    path = kept(tmp_path, *turn("hi"), EventLine({"type": "task_complete", "turn_id": "t"}))
    with path.open("ab") as file:
        file.write(b"{torn\n")
    assert read_tail(str(path)).state == "done"
    with path.open("ab") as file:
        file.write(b"x" * TAIL_BYTES)
    assert read_tail(str(path)) == SessionTail("unknown")
    assert read_tail(str(tmp_path / "none")) == SessionTail("unknown")

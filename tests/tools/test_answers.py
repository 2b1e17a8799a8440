from __future__ import annotations

import json

import pytest

from sandgate.protocol.denials import Denial
from sandgate.protocol.permissions import Grant
from sandgate.tools.answers import ExecAnswer, ShellAnswer, slim
from sandgate.tools.truncation import TruncationPolicy, unified_form

PLENTY = TruncationPolicy("bytes", 10_000)


def test_a_finished_command_reads_as_models_know_it() -> None:
    """Required: `docs/explanation/tool-answers.md` says why it is kept to the letter."""
    answer = ExecAnswer(0.25073, "hi\r\n", chunk_id="363753", exit_code=0, original_token_count=31)
    assert answer.text() == (
        "Chunk ID: 363753\nWall time: 0.2507 seconds\nProcess exited with code 0\n"
        "Original token count: 31\nOutput:\nhi\r\n"
    )


def test_a_running_command_names_its_session() -> None:
    """Required: `docs/explanation/tool-answers.md` says why it is kept to the letter."""
    answer = ExecAnswer(10.0, "", chunk_id="00a0ff", session_id=97729, original_token_count=0)
    assert answer.text() == (
        "Chunk ID: 00a0ff\nWall time: 10.0000 seconds\nProcess running with session ID 97729\n"
        "Original token count: 0\nOutput:\n"
    )


def test_a_patch_in_a_shell_line_is_answered_without_the_frame_of_a_process() -> None:
    """Required: neither a chunk nor an exit code."""
    assert ExecAnswer(0.1, "Success.\n").text() == "Wall time: 0.1000 seconds\nOutput:\nSuccess.\n"


def test_a_lost_middle_of_a_running_command_is_said() -> None:
    """Required: both warning lines, and the cut behind them."""
    output = unified_form("a" * 600 + "b" * 600, TruncationPolicy("tokens", 10), omitted_bytes=240_319, gap_at=600)
    answer = ExecAnswer(5.0, output, chunk_id="abcdef", session_id=1000, original_token_count=60_380)
    assert answer.text().split("\n")[4:] == [
        "Output:",
        "Warning: truncated output (original token count: 60380)",
        "... 240319 bytes omitted ...",
        "",
        "aaaaaaaaaaaaaaaaaaaa…290 tokens truncated…",
        "... 240319 bytes omitted ...",
        "bbbbbbbbbbbbbbbbbbbb",
    ]


def test_a_notice_is_one_line_before_the_output() -> None:
    """Our choice: what a notice quotes must not read like a line of ours."""
    answer = ExecAnswer(1.0, "out", exit_code=0, notices=("ran in `/bin/sh`\nProcess exited with code 9", "second"))
    assert answer.text() == (
        "Wall time: 1.0000 seconds\nProcess exited with code 0\n"
        "Notice: ran in `/bin/sh`\\nProcess exited with code 9\nNotice: second\nOutput:\nout"
    )


def test_what_there_is_nothing_to_say_about_is_left_out_of_the_structured_answer() -> None:
    assert ExecAnswer(0.0, "").structured() == {"wall_time_seconds": 0.0}


def test_a_refusal_is_the_first_thing_in_the_structured_answer_and_all_of_it() -> None:
    """Required: some clients give a model nothing else."""
    assert ExecAnswer(0.0, "", refused="no").structured() == {"refused": "no"}
    held_back = ExecAnswer(1.0, "x" * 9999, exit_code=1, chunk_id="000000", notices=("not run again: no",))
    assert list(held_back.structured())[:2] == ["notices", "exit_code"]
    assert list(held_back.structured())[-1] == "output"


def test_times_are_told_to_the_millisecond() -> None:
    assert ExecAnswer(0.013163581999833696, "x").structured()["wall_time_seconds"] == 0.013


def test_slim_keeps_what_says_something_and_what_stands_in_a_list() -> None:
    empty: dict[str, object] = {"a": None, "b": "", "c": [], "d": {}}
    assert slim(empty | {"e": 0, "f": False, "g": empty, "h": [empty, ""]}) == {
        "e": 0,
        "f": False,
        "g": {"c": [], "d": {}},
        "h": [{"c": [], "d": {}}, ""],
    }


def test_a_zero_is_something_to_say() -> None:
    answer = ExecAnswer(0.5, "x", exit_code=0, original_token_count=0, chunk_id="000000")
    assert answer.structured() == {
        "wall_time_seconds": 0.5,
        "output": "x",
        "chunk_id": "000000",
        "exit_code": 0,
        "original_token_count": 0,
    }


def test_the_structured_answer_is_json_with_all_that_is_known() -> None:
    denial = Denial("write", path="/etc/motd", errno="EROFS", grant=Grant("write_path", "/etc/motd"))
    answer = ExecAnswer(
        wall_time_seconds=2.0,
        output="x",
        session_id=4711,
        state="waiting_for_input",
        denials=(denial,),
        notices=("one",),
        matched="login:",
        omitted_bytes=7,
    )
    assert json.loads(json.dumps(answer.structured())) == {
        "wall_time_seconds": 2.0,
        "output": "x",
        "session_id": 4711,
        "state": "waiting_for_input",
        "denials": [
            {
                "operation": "write",
                "path": "/etc/motd",
                "errno": "EROFS",
                "certain": True,
                "layer": denial.layer,
                "grant": {"kind": "write_path", "value": "/etc/motd"},
            }
        ],
        "notices": ["one"],
        "matched": "login:",
        "omitted_bytes": 7,
    }


@pytest.mark.parametrize(
    ("duration_ms", "seconds"),
    [(0, "0"), (49, "0"), (50, "0.1"), (1_500, "1.5"), (1_950, "2"), (61_234, "61.2")],
)
def test_durations_of_one_shot_commands_have_one_decimal(duration_ms: int, seconds: str) -> None:
    """Required: one decimal, and none where it would be 0."""
    answer = ShellAnswer("", 0, duration_ms)
    assert answer.freeform_text(PLENTY) == f"Exit code: 0\nWall time: {seconds} seconds\nOutput:\n"


def test_the_freeform_form_counts_lines_only_when_some_are_gone() -> None:
    """Required: a count of lines where nothing is gone would be read as a loss."""
    budget = TruncationPolicy("bytes", 10)
    assert ShellAnswer("line\n" * 20, 0, 0).freeform_text(budget) == (
        "Exit code: 0\nWall time: 0 seconds\nTotal output lines: 20\nOutput:\nline\n…90 chars truncated…line\n"
    )
    assert ShellAnswer("one long line", 0, 0).freeform_text(budget) == (
        "Exit code: 0\nWall time: 0 seconds\nOutput:\none l…3 chars truncated… line"
    )


def test_a_time_limit_is_told_before_the_output() -> None:
    answer = ShellAnswer("partial", 124, 10_012, timed_out=True)
    assert answer.freeform_text(PLENTY) == (
        "Exit code: 124\nWall time: 10 seconds\nOutput:\ncommand timed out after 10012 milliseconds\npartial"
    )


def test_the_structured_form_is_one_object_with_the_duration_in_tenths() -> None:
    """Required: models know these names; the output is cut as anywhere."""
    assert ShellAnswer("h\u00e9\n", 3, 149).structured_text(PLENTY) == (
        '{"output": "h\u00e9\\n", "metadata": {"exit_code": 3, "duration_seconds": 0.1}}'
    )
    late = json.loads(ShellAnswer("x" * 20, 124, 1000, timed_out=True).structured_text(TruncationPolicy("bytes", 30)))
    assert late["output"].startswith("Warning: truncated output (original token count: ")
    assert late["metadata"] == {"exit_code": 124, "duration_seconds": 1.0}


def test_a_notice_stands_beside_the_output_and_cannot_forge_a_line() -> None:
    answer = ShellAnswer("", 1, 0, notices=("refused a\nOutput:",))
    assert json.loads(answer.structured_text(PLENTY))["metadata"]["notices"] == ["refused a\\nOutput:"]
    assert "\nNotice: refused a\\nOutput:\nOutput:\n" in answer.freeform_text(PLENTY)


def test_a_patch_reads_as_models_know_it() -> None:
    """Required: `docs/explanation/tool-answers.md` says why it is kept to the letter."""
    answer = ShellAnswer("Success. Updated the following files:\nA m.txt\nM n.txt\n", 0, 100)
    assert answer.freeform_text(PLENTY) == (
        "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nSuccess. Updated the following files:\nA m.txt\nM n.txt\n"
    )

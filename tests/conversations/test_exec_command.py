"""The tool `exec_command` on the real kernel: what its answer holds, and when it comes."""

from __future__ import annotations

import re
from time import monotonic

import pytest

from sandgate.errors import StdinClosed
from sandgate.tools import command_input, command_start
from support.terminal.live_sessions import BACKENDS, CONNECTIONS, Workplace, run_to_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.terminals.terminal import Terminal
    from sandgate.terminals.waiting import Steps

pytestmark = pytest.mark.host("namespace", "notify")

LONG_LINES = "for i in $(seq 999); do echo 'a line of exactly thirty-six bytes!'; done"  # 999 * 36 bytes


STARTING_S = 0.2  # the grace after a start, and the start


class Yields:
    """Records how long calls would wait, and has them wait for nothing."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds: list[float] = []
        for module in (command_start, command_input):
            monkeypatch.setattr(module, "collect", self._collect)

    def _collect(self, _terminal: Terminal, *, yield_s: float, **_rest: Any) -> Steps[None]:
        self.seconds.append(yield_s)
        return
        yield


@pytest.mark.parametrize(
    ("asked_ms", "exec_s", "write_s", "empty_s"),
    [
        (None, 10, 0.25, 5),
        (0, 0.25, 0.25, 5),
        (250, 0.25, 0.25, 5),
        (29_999, 29.999, 29.999, 29.999),
        (120_000, 30, 30, 120),
        (999_999, 30, 30, 300),
    ],
)
def test_yield_time_is_brought_within_its_bounds(
    place: Workplace,
    monkeypatch: pytest.MonkeyPatch,
    asked_ms: int | None,
    exec_s: float,
    write_s: float,
    empty_s: float,
) -> None:
    """Idea 45."""
    yields = Yields(monkeypatch)
    runtime = place.session()
    number = runtime.exec_command("cat", tty=True, yield_time_ms=asked_ms, login=False).session_id
    assert number is not None
    runtime.write_stdin(number, "x", yield_time_ms=asked_ms)
    runtime.write_stdin(number, yield_time_ms=asked_ms)
    first, *later = yields.seconds
    assert exec_s - STARTING_S < first <= exec_s  # of which its start has taken a part
    assert later == [write_s, empty_s]


def test_longest_poll_is_configured(place: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    yields = Yields(monkeypatch)
    runtime = place.session("background_terminal_max_timeout=60000")
    number = runtime.exec_command("cat", tty=True, login=False).session_id
    runtime.write_stdin(number or 0, yield_time_ms=999_999)
    assert yields.seconds[1:] == [60]


def test_answer_is_described_and_cut_to_what_the_call_asked_for(place: Workplace) -> None:
    """Idea 29."""
    answer = run_to_end(place.session(), "seq 200", max_output_tokens=6)
    assert re.fullmatch("[0-9a-f]{6}", answer.chunk_id or "")
    assert (answer.exit_code, answer.session_id, answer.original_token_count) == (0, None, 173)
    assert "tokens truncated" in answer.output
    lines = answer.text().splitlines()
    assert lines[0] == f"Chunk ID: {answer.chunk_id}"
    assert re.fullmatch(r"Wall time: \d+\.\d{4} seconds", lines[1])
    assert lines[2:6] == [
        "Process exited with code 0",
        "Original token count: 173",
        "Output:",
        "Warning: truncated output (original token count: 173)",
    ]


def test_limit_of_the_turn_holds_whatever_the_call_asks_for(place: Workplace) -> None:
    """Idea 30: 999 lines of 36 bytes."""
    answer = run_to_end(place.session("tool_output_token_limit=50"), LONG_LINES, max_output_tokens=70_000)
    assert answer.original_token_count == 8991
    assert "Total output lines: 999\n" in answer.output
    assert "…8941 tokens truncated…" in answer.output


def test_the_same_limit_holds_for_later_answers_and_echo_counts(place: Workplace) -> None:
    """Idea 31: the echoed line is one of a thousand, and each line ends in two bytes."""
    runtime = place.session("tool_output_token_limit=50")
    number = runtime.exec_command(f"read trigger; {LONG_LINES}", tty=True, login=False).session_id
    answer = runtime.write_stdin(number or 0, "go\r", max_output_tokens=70_000, yield_time_ms=10_000)
    assert answer.original_token_count == -(-(999 * 37 + len("go\r\n")) // 4)
    assert "Total output lines: 1000\n" in answer.output


@pytest.mark.parametrize("tty", CONNECTIONS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_command_has_a_terminal_if_it_was_asked_for(place: Workplace, backend: str, tty: bool) -> None:
    """Idea 32."""
    script = "python3 -c 'import os; print([os.isatty(fd) for fd in (0, 1, 2)])'"
    answer = run_to_end(place.session(backend=backend), script, tty=tty)
    assert answer.output.strip() == str([tty] * 3)


def test_size_of_the_terminal_is_24_by_80_or_what_was_asked_for(place: Workplace) -> None:
    runtime = place.session()
    assert run_to_end(runtime, "stty size", tty=True).output == "24 80\r\n"
    assert run_to_end(runtime, "stty size", tty=True, rows=50, columns=132).output == "50 132\r\n"


def test_a_short_command_is_not_waited_for_longer_than_it_takes(place: Workplace) -> None:
    """Idea 33."""
    answer = run_to_end(place.session(), "sleep 0.05", yield_time_ms=31_415)
    assert (answer.exit_code, answer.output) == (0, "")
    assert answer.wall_time_seconds < 0.75


def test_a_long_output_keeps_both_its_ends(place: Workplace) -> None:
    """Idea 37."""
    answer = run_to_end(place.session(), "seq -f 'line %g' 5000", max_output_tokens=100)
    head, marker, tail = answer.output.partition("…")
    assert marker
    assert "line 1\nline 2\n" in head
    assert tail.endswith("line 4999\nline 5000\n")


def test_a_file_that_is_hidden_from_commands_is_hidden_from_live_ones(place: Workplace) -> None:
    """Idea 38."""
    (place.outside / "secret").write_text("treasure")
    runtime = place.session(f'secrets.hidden=["{place.outside}/secret"]')
    answer = run_to_end(runtime, f"cat {place.outside}/secret; echo ran")
    assert ("treasure" in answer.output, "ran" in answer.output, answer.exit_code) == (False, True, 0)


def test_a_dialogue_works_in_a_read_only_sandbox(place: Workplace) -> None:
    """Idea 39."""
    runtime = place.session(sandbox_mode="read-only")
    begun = runtime.exec_command("python3 -i -q", tty=True, login=False)
    assert begun.output.endswith(">>> ")
    assert "42" in runtime.write_stdin(begun.session_id or 0, "6 * 7\r").output
    assert runtime.write_stdin(begun.session_id or 0, "exit()\r").exit_code == 0


def test_output_that_no_buffer_has_room_for_is_counted(place: Workplace) -> None:
    """Idea 42."""
    answer = run_to_end(place.session(), "head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end")
    total = 3_000_000 + len("\nend\n")
    assert answer.omitted_bytes == total - 1_048_576
    assert answer.original_token_count == -(-total // 4)
    lines = answer.output.splitlines()
    assert lines[0] == f"Warning: truncated output (original token count: {answer.original_token_count})"
    assert lines[1] == f"... {answer.omitted_bytes} bytes omitted ..."
    assert answer.output.endswith("\nend\n")


@pytest.mark.parametrize("tty", CONNECTIONS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_who_still_holds_the_output_of_a_command_that_is_over_is_not_waited_for(
    place: Workplace, backend: str, tty: bool
) -> None:
    """Idea 43."""
    runtime = place.session(backend=backend)
    run_to_end(runtime, "true")  # the first one pays for the preparations of the session
    began_s = monotonic()
    answer = run_to_end(runtime, "printf hello; (trap '' HUP; sleep 30; echo late) &", tty=tty)
    assert (answer.output, answer.exit_code) == ("hello", 0)
    assert monotonic() - began_s < 15  # far below the thirty seconds; the bound itself is a benchmark's business


def test_a_command_without_terminal_has_empty_input(place: Workplace) -> None:
    assert run_to_end(place.session(), "cat; echo end").output == "end\n"


def test_writing_where_there_is_no_input_says_what_to_do(place: Workplace) -> None:
    """Idea 41, first half."""
    runtime = place.session()
    number = runtime.exec_command("sleep 1000", yield_time_ms=250, login=False).session_id or 0
    with pytest.raises(
        StdinClosed, match=r"^stdin is closed for this session; rerun exec_command with tty=true to keep"
    ):
        runtime.write_stdin(number, "text")
    assert [each.state for each in runtime.list_live()] == ["running"]

"""What may differ between a conversation and its replay, and that nothing else may."""

from __future__ import annotations

from typing import Any

import pytest

from sandgate.model.run_specific import Steady, renumbered
from sandgate.model.streaming import Created, ItemDone
from sandgate.protocol.items import FunctionCall
from sandgate.tools.answers import ExecAnswer, ShellAnswer
from sandgate.tools.truncation import TruncationPolicy

POLICY = TruncationPolicy("bytes", 10_000)


def live(output: str, chunk: str = "00ff00", waited_s: float = 0.25, **more: Any) -> str:
    return ExecAnswer(wall_time_seconds=waited_s, output=output, chunk_id=chunk, original_token_count=1, **more).text()


def out(text: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": "c", "output": text}


def types(number: int) -> dict[str, Any]:
    return {"type": "function_call", "name": "write_stdin", "arguments": f'{{"session_id": {number}, "chars": "5"}}'}


def said(text: str) -> dict[str, Any]:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def same(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> bool:
    return Steady({"input": one}).asked == Steady({"input": other}).asked


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([out(live("hi", exit_code=0))], [out(live("hi", "123456", 7.5, exit_code=0))]),
        (
            [out(live("up", session_id=11)), types(11), out(live("bye", exit_code=0))],
            [out(live("up", "1a2b3c", session_id=99)), types(99), out(live("bye", exit_code=0))],
        ),
        (
            [out(ShellAnswer("hi", 0, 120).structured_text(POLICY))],
            [out(ShellAnswer("hi", 0, 990).structured_text(POLICY))],
        ),
        (
            [out(ShellAnswer("hi", 124, 1003, timed_out=True).structured_text(POLICY))],
            [out(ShellAnswer("hi", 124, 1012, timed_out=True).structured_text(POLICY))],
        ),
        (
            [out(ShellAnswer("done", 124, 1003, timed_out=True).freeform_text(POLICY))],
            [out(ShellAnswer("done", 124, 1012, timed_out=True).freeform_text(POLICY))],
        ),
        ([out("aborted by user after 1.2s")], [out("aborted by user after 13.0s")]),
        (
            [out(live("up", session_id=11)), said("<turn_aborted>\nstill running: 11\n</turn_aborted>")],
            [out(live("up", session_id=12)), said("<turn_aborted>\nstill running: 12\n</turn_aborted>")],
        ),
        (
            [said("<environment_context>\n  <current_date>2026-01-01</current_date>\n</environment_context>")],
            [said("<environment_context>\n  <current_date>2026-01-02</current_date>\n</environment_context>")],
        ),
    ],
)
def test_what_every_run_has_of_its_own_makes_no_difference(one: list[Any], other: list[Any]) -> None:
    assert one != other
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([out(live("hi", exit_code=0))], [out(live("ho", exit_code=0))]),
        ([out(live("hi", exit_code=0))], [out(live("hi", exit_code=1))]),
        # What only looks like a word of ours was printed by a command.
        ([out(live("Wall time: 1 seconds", exit_code=0))], [out(live("Wall time: 2 seconds", exit_code=0))]),
        ([out(live("Chunk ID: 000000", exit_code=0))], [out(live("Chunk ID: 000001", exit_code=0))]),
        (
            [out(ShellAnswer('"duration_seconds": 1', 0, 120).structured_text(POLICY))],
            [out(ShellAnswer('"duration_seconds": 2', 0, 120).structured_text(POLICY))],
        ),
        # Another command is gone on with.
        (
            [out(live("a", session_id=1)), out(live("b", session_id=2)), types(1)],
            [out(live("a", session_id=1)), out(live("b", session_id=2)), types(2)],
        ),
        ([types(1)], [types(2)]),
        ([said("it is <current_date>2026-01-01")], [said("it is <current_date>2026-01-02")]),
        ([said("<turn_aborted>\n7")], [said("<turn_aborted>\n8")]),
    ],
)
def test_everything_else_does(one: list[Any], other: list[Any]) -> None:
    """Required: a replay that passes over a change of what a command printed proves nothing."""
    assert not same(one, other)


def test_a_call_gets_the_number_that_its_command_has_here() -> None:
    call = ItemDone(FunctionCall("write_stdin", '{"chars": "11", "session_id": 11}', "c"))
    renamed = ItemDone(FunctionCall("write_stdin", '{"chars": "11", "session_id": 99}', "c"))
    assert renumbered(call, {"11": "99"}) == renamed
    assert renumbered(call, {"1": "99"}) == call
    assert renumbered(Created("11"), {"11": "99"}) == Created("11")


@pytest.mark.parametrize("items", [None, 3, [None, {"output": 3}, {"role": "user", "content": ["x", {"text": 3}]}]])
def test_a_request_of_another_shape_is_left_as_it_is(items: Any) -> None:
    assert Steady({"input": items}).asked == {"input": items}

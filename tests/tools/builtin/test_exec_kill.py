"""Ending a command of a session: a real one."""

from __future__ import annotations

import os

import pytest

from support.process.waiting import wait_until
from support.terminal.live_sessions import Workplace, left_of
from support.tool.tool_calls import begun, structured

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

pytestmark = pytest.mark.host("namespace", "notify")


def test_a_command_is_ended_with_all_it_started(place: Workplace) -> None:
    mark = f"1000.{os.getpid()}{id(place)}"
    runtime = place.session()
    number = begun(runtime, f"sleep {mark} & sleep {mark}")
    assert wait_until(lambda: left_of(mark) == 2)
    output = runtime.call_tool("exec_kill", {"session_id": number})
    assert (output.text, output.success, output.structured) == (f"Ended process {number}", True, {"terminated": True})
    assert wait_until(lambda: left_of(mark) == 0)
    assert runtime.write_stdin(number).session_id is None  # its last words
    assert structured(runtime.call_tool("exec_kill", {"session_id": number})) == {"terminated": False}


@pytest.mark.parametrize("number", [0, -1, 4711, 4711.0, 2**31 - 1])
def test_ending_what_is_not_there_is_no_success(place: Workplace, number: float) -> None:
    output = place.session().call_tool("exec_kill", {"session_id": number})
    assert output.text == f"No process {int(number)} is running"
    assert (output.success, output.structured) == (False, {"terminated": False})

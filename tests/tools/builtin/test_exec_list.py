"""What is told of a session's commands: real ones."""

from __future__ import annotations

import pytest

from support.terminal.live_sessions import Workplace
from support.tool.tool_calls import begun, structured

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

pytestmark = pytest.mark.host("namespace", "notify")


def test_nothing_running_is_said(place: Workplace) -> None:
    output = place.session().call_tool("exec_list", {})
    assert (output.text, output.success, output.structured) == ("No command is running", True, {"commands": []})


def test_what_runs_is_listed_oldest_first_one_line_each(place: Workplace) -> None:
    runtime = place.session()
    numbers = [begun(runtime, "sleep 1000"), begun(runtime, "echo x\nsleep 1001")]
    output = runtime.call_tool("exec_list", "{}")
    commands = structured(output)["commands"]
    assert [(each["session_id"], each["command"]) for each in commands] == [
        (numbers[0], "sleep 1000"),
        (numbers[1], "echo x\nsleep 1001"),
    ]
    assert output.text.splitlines() == [
        f"{numbers[0]}  {commands[0]['state']}  sleep 1000",
        f"{numbers[1]}  {commands[1]['state']}  echo x sleep 1001",
    ]


def test_another_sessions_commands_are_not_listed_and_not_ended(place: Workplace) -> None:
    mine, other = place.session(), place.session()
    number = begun(mine, "sleep 1000")
    assert structured(other.call_tool("exec_list", {})) == {"commands": []}
    assert structured(other.call_tool("exec_kill", {"session_id": number})) == {"terminated": False}
    assert len(mine.list_live()) == 1

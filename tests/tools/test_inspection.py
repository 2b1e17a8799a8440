"""Looking at a session, ending something in it, and asking what would happen: on real commands."""

from __future__ import annotations

import os

import pytest

from live_sessions import Colleague, Workplace, left_of
from sandgate.protocol.trace import TerminalBegan
from waiting import wait_until

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.runtime import Runtime
    from sandgate.tools.calls import ToolOutput

pytestmark = pytest.mark.host("namespace", "notify")


def begun(runtime: Runtime, cmd: str) -> int:
    output = runtime.call_tool("exec_command", {"cmd": cmd, "login": False, "yield_time_ms": 250})
    assert output.structured is not None
    return int(output.structured["session_id"])


def structured(output: ToolOutput) -> dict[str, Any]:
    assert output.structured is not None, output
    return output.structured


# exec_list


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


# exec_kill


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


# check_command


def test_what_would_happen_is_said_and_nothing_runs_or_is_asked(place: Workplace) -> None:
    colleague = Colleague()
    runtime = place.session(reviewer=colleague, approval_policy="untrusted")
    output = runtime.call_tool("check_command", {"cmd": "touch made", "login": False})
    found = structured(output)
    assert (found["verdict"], found["sandbox"]["backend"], found["sandbox"]["confined"]) == ("ask", "namespace", True)
    assert output.text.splitlines()[0] == "Verdict: ask"
    assert "Sandbox: namespace" in output.text.splitlines()
    assert f"{place.repo}" in output.text
    assert (colleague.asked, list(place.repo.iterdir()), place.told(TerminalBegan)) == ([], [], [])


def test_what_may_not_be_written_inside_of_what_may_is_named(place: Workplace) -> None:
    (place.repo / ".git").mkdir()
    output = place.session(approval_policy="on-failure").call_tool(
        "check_command", {"cmd": "git add a", "login": False}
    )
    lines = output.text.splitlines()
    (excepted,) = (line.removeprefix("But not: ").split(", ") for line in lines if line.startswith("But not: "))
    assert excepted == structured(output)["sandbox"]["closed"]
    assert f"{place.repo}/.git" in excepted
    assert f"Would stop: write {place.repo}/.git" in lines


@pytest.mark.parametrize(
    ("cmd", "approval", "verdict"),
    [("ls", "untrusted", "allow"), ("touch made", "never", "allow"), ("rm -rf /", "never", "forbid")],
)
def test_the_verdict_is_the_gates(place: Workplace, cmd: str, approval: str, verdict: str) -> None:
    runtime = place.session(approval_policy=approval)
    found = structured(runtime.call_tool("check_command", {"cmd": cmd, "login": False}))
    ran = runtime.call_tool("exec_command", {"cmd": cmd, "login": False}).success if cmd != "rm -rf /" else False
    assert (found["verdict"], ran) == (verdict, verdict == "allow")


def test_risk_and_paths_are_said_without_anything_a_terminal_would_obey(place: Workplace) -> None:
    runtime = place.session(approval_policy="on-request")
    output = runtime.call_tool("check_command", {"cmd": "rm -rf ~ '\x1b[2J'", "login": False})
    risk = structured(output)["risk"]
    assert f"Risk: {risk['risk_level']}. {risk['description']}" in output.text
    assert (risk["risk_level"], "\x1b" in output.text) == ("high", False)


def test_where_nothing_confines_that_is_said(place: Workplace) -> None:
    output = place.session(backend="none").call_tool("check_command", {"cmd": "ls", "login": False})
    assert ("Sandbox: none" in output.text, structured(output)["sandbox"]["confined"]) == (True, False)


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("exec_list", '{"all": true}', "unknown field `all`"),
        ("exec_kill", "{}", "missing field `session_id`"),
        ("exec_kill", '{"session_id": "1"}', "invalid type: string"),
        ("exec_kill", '{"session_id": 1.5}', "invalid type: floating point `1.5`"),
        ("check_command", "{}", "missing field `cmd`"),
        ("check_command", '{"cmd": "ls", "yield_time_ms": 1}', "unknown field `yield_time_ms`"),
        ("check_command", '{"cmd": "a\\u0000"}', "NUL"),
        ("check_command", '{"cmd": "ls", "login": true}', "login shell is disabled"),
        ("exec_list", "[]", "invalid type"),
        ("exec_everything", "{}", "unsupported call: exec_everything"),
    ],
)
def test_wrong_arguments_are_answered_with_a_sentence(place: Workplace, name: str, arguments: str, says: str) -> None:
    output = place.session("allow_login_shell=false").call_tool(name, arguments)
    assert (output.success, output.structured) == (False, None)
    assert says in output.text

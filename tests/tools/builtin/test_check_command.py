"""What would happen to a command is what would happen."""

from __future__ import annotations

import pytest

from sandgate.protocol.trace import TerminalBegan
from sandgate.testing import ReviewerDouble
from support.terminal.live_sessions import Workplace
from support.tool.tool_calls import structured

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

pytestmark = pytest.mark.host("namespace", "notify")


def test_what_would_happen_is_said_and_nothing_runs_or_is_asked(place: Workplace) -> None:
    colleague = ReviewerDouble(always="approve")
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
    (place.repo / ".envrc").touch()
    output = place.session(approval_policy="on-failure").call_tool(
        "check_command", {"cmd": "rm .envrc", "login": False}
    )
    lines = output.text.splitlines()
    (excepted,) = (line.removeprefix("But not: ").split(", ") for line in lines if line.startswith("But not: "))
    assert excepted == structured(output)["sandbox"]["closed"]
    assert f"{place.repo}/.git" in excepted
    assert f"Would stop: delete {place.repo}/.envrc" in lines


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

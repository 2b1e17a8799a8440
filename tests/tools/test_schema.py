from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from sandgate.errors import ToolArgumentsError
from sandgate.protocol.denials import Denial
from sandgate.tools.answers import ExecAnswer
from sandgate.tools.arguments import (
    apply_patch_arguments,
    check_command_arguments,
    exec_command_arguments,
    no_arguments,
    session_arguments,
    write_stdin_arguments,
)
from sandgate.tools.schema import (
    PATCH_GRAMMAR,
    apply_patch_freeform_tool,
    apply_patch_function_tool,
    check_command_tool,
    exec_answer_schema,
    exec_command_tool,
    exec_kill_tool,
    exec_list_tool,
    write_stdin_tool,
)

APPROVAL = {"sandbox_permissions": "string", "justification": "string", "prefix_rule": "array"}
SAMPLE: dict[str, object] = {"string": "x", "number": 1, "integer": 1, "boolean": True, "array": []}


def types(tool: dict[str, Any]) -> dict[str, str]:
    return {name: about["type"] for name, about in tool["parameters"]["properties"].items()}


def test_a_command_is_described_as_on_the_wire() -> None:
    """Required: wire-observed.md §2."""
    tool = exec_command_tool()
    assert types(tool) == {
        "cmd": "string",
        "workdir": "string",
        "shell": "string",
        "login": "boolean",
        "tty": "boolean",
        "yield_time_ms": "number",
        "max_output_tokens": "number",
        **APPROVAL,
    }
    assert (tool["type"], tool["name"], tool["strict"]) == ("function", "exec_command", False)
    assert tool["parameters"]["required"] == ["cmd"]
    permissions = tool["parameters"]["properties"]["sandbox_permissions"]
    assert permissions["enum"] == ["use_default", "require_escalated"]


def test_a_write_is_described_as_on_the_wire() -> None:
    """Required: wire-observed.md §2."""
    tool = write_stdin_tool()
    assert types(tool) == {
        "session_id": "number",
        "chars": "string",
        "yield_time_ms": "number",
        "max_output_tokens": "number",
    }
    assert tool["parameters"]["required"] == ["session_id"]


def test_a_login_shell_that_is_not_allowed_is_not_offered() -> None:
    assert "login" not in types(exec_command_tool(login_allowed=False))


def test_only_the_extended_tools_have_our_additions() -> None:
    assert types(exec_command_tool(extended=True)).keys() - types(exec_command_tool()).keys() == {"rows", "columns"}
    assert types(write_stdin_tool(extended=True)).keys() - types(write_stdin_tool()).keys() == {"keys", "wait_for"}


@pytest.mark.parametrize("extended", [False, True])
@pytest.mark.parametrize(
    ("tool", "read"), [(exec_command_tool, exec_command_arguments), (write_stdin_tool, write_stdin_arguments)]
)
def test_what_is_offered_is_what_is_accepted(
    tool: Callable[..., dict[str, Any]], read: Callable[..., object], extended: bool
) -> None:
    """Required: no argument is described and refused, or accepted in silence."""
    described = tool(extended=extended)["parameters"]["properties"]
    sent = {name: about.get("enum", [SAMPLE[about["type"]]])[0] for name, about in described.items()}
    read(json.dumps(sent), extended=extended)
    with pytest.raises(ToolArgumentsError) as caught:
        read('{"?": 1}', extended=extended)
    named = str(caught.value).partition("one of ")[2].partition(" at line")[0]
    assert named == ", ".join(f"`{name}`" for name in described)


@pytest.mark.parametrize(
    ("tool", "read"),
    [
        (exec_list_tool, no_arguments),
        (exec_kill_tool, session_arguments),
        (check_command_tool, check_command_arguments),
        (apply_patch_function_tool, apply_patch_arguments),
    ],
)
def test_what_the_other_tools_offer_is_what_they_accept(
    tool: Callable[[], dict[str, Any]], read: Callable[[str], object]
) -> None:
    """Required: as above; what is named in the refusal is all there is."""
    parameters = tool()["parameters"]
    described = parameters["properties"]
    sent = {name: about.get("enum", [SAMPLE[about["type"]]])[0] for name, about in described.items()}
    read(json.dumps(sent))
    with pytest.raises(ToolArgumentsError) as caught:
        read('{"?": 1}')
    named = str(caught.value).partition("expected ")[2].partition(" at line")[0].removeprefix("one of ")
    assert named.replace(" or ", ", ") == (", ".join(f"`{name}`" for name in described) or "none")
    for name in parameters["required"]:
        with pytest.raises(ToolArgumentsError, match=f"missing field `{name}`"):
            read(json.dumps({other: value for other, value in sent.items() if other != name}))


def test_a_patch_is_written_by_grammar_or_by_hand() -> None:
    """Required: apply_patch.md §9."""
    freeform, function = apply_patch_freeform_tool(), apply_patch_function_tool()
    assert freeform["format"] == {"type": "grammar", "syntax": "lark", "definition": PATCH_GRAMMAR}
    assert (freeform["type"], freeform["name"], function["name"]) == ("custom", "apply_patch", "apply_patch")
    assert types(function) == {"input": "string"}
    apply_patch_arguments('{"input": "x"}')


def test_every_marker_of_a_patch_is_in_the_grammar_and_in_the_words() -> None:
    markers = ("Begin Patch", "End Patch", "Add File: ", "Delete File: ", "Update File: ", "Move to: ", "End of File")
    for text in (PATCH_GRAMMAR, apply_patch_function_tool()["description"]):
        assert [marker for marker in markers if f"*** {marker}" not in text] == []


@pytest.mark.parametrize("usual", [False, True])
def test_the_tool_says_whether_a_login_shell_is_the_default(usual: bool) -> None:
    login = exec_command_tool(login_is_usual=usual)["parameters"]["properties"]["login"]
    assert login["description"].endswith(f"Default {str(usual).lower()}.")


def test_every_tool_is_closed_and_explained() -> None:
    for tool in (
        exec_command_tool(extended=True),
        write_stdin_tool(extended=True),
        apply_patch_function_tool(),
    ):
        assert tool["parameters"]["additionalProperties"] is False
        assert tool["strict"] is False
        assert all(about["description"].endswith(".") for about in tool["parameters"]["properties"].values())
        json.dumps(tool)


def test_the_structured_answer_fits_its_schema() -> None:
    schema = exec_answer_schema()
    answer = ExecAnswer(1.0, "x", "abcdef", 0, 1000, 1, "running", (Denial("write"),), ("n",), "m", 5)
    told = {*answer.structured(), *answer.but(refused="why").structured()}
    assert told == schema["properties"].keys()
    assert schema["required"] == []  # what there is nothing to say about is left out

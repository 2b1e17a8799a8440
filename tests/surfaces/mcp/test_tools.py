"""What a client is told about the tools: enough to show them, to check arguments, and to read answers."""

from __future__ import annotations

import jsonschema  # type: ignore[import-untyped] # it comes without types
import pytest

from sandgate.surfaces.mcp.server import INSTRUCTIONS
from sandgate.surfaces.mcp.tools import described_tools

NAMES = ("exec_command", "write_stdin", "apply_patch", "exec_list", "exec_kill", "check_command")


def test_six_tools_are_described_in_a_fixed_order() -> None:
    assert tuple(tool.name for tool in described_tools(login_allowed=True)) == NAMES


@pytest.mark.parametrize("tool", described_tools(login_allowed=True), ids=lambda tool: tool.name)
def test_description_of_a_tool_is_complete_and_its_schemas_are_closed(tool: object) -> None:
    wire = tool.model_dump(by_alias=True, exclude_none=True)  # type: ignore[attr-defined] # parametrize gives objects
    assert len(wire["description"]) > 40
    assert wire["title"] == wire["annotations"]["title"]
    for side in ("inputSchema", "outputSchema"):
        jsonschema.Draft202012Validator.check_schema(wire[side])
        assert (wire[side]["type"], wire[side]["additionalProperties"]) == ("object", False)


def test_hints_say_which_tools_change_nothing() -> None:
    """Required: a client may let a read-only tool through unasked, so none that runs or types may be called that."""
    hints = {tool.name: tool.annotations for tool in described_tools(login_allowed=True)}
    reading = [name for name, hint in hints.items() if hint is not None and hint.read_only_hint]
    assert reading == ["exec_list", "check_command"]
    for name, hint in hints.items():
        assert hint is not None
        assert hint.destructive_hint is (name not in reading)


def test_instructions_begin_with_what_the_tools_are_for() -> None:
    """Required: clients that hide tools behind a search (Codex, Claude Code) look through these words."""
    assert INSTRUCTIONS.startswith("Run shell commands, use live terminals and edit files.")
    assert all(f"`{name}`" in INSTRUCTIONS for name in NAMES)


def test_login_is_not_offered_where_it_is_not_allowed() -> None:
    for tool in described_tools(login_allowed=False):
        assert "login" not in tool.input_schema["properties"]

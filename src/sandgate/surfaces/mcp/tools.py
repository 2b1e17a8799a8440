"""The tools as the protocol describes them: the model's own definitions, with hints for clients."""

from __future__ import annotations

from mcp_types import Tool, ToolAnnotations

from sandgate.runtime.definitions import server_tools

# name: title, and the hints read-only, destructive, idempotent, open world
HINTS = {
    "exec_command": ("Run a command", False, True, False, True),
    "write_stdin": ("Type into a running command", False, True, False, True),
    "apply_patch": ("Change files", False, True, False, False),
    "exec_list": ("List running commands", True, False, True, False),
    "exec_kill": ("End a running command", False, True, True, False),
    "check_command": ("Foresee a command", True, False, True, False),
}


def described_tools(*, login_allowed: bool) -> list[Tool]:
    """All tools, in the order of `HINTS`."""
    return [_tool(definition) for definition in server_tools(login_allowed=login_allowed)]


def _tool(definition: dict[str, object]) -> Tool:
    title, reads, destroys, repeats, reaches_out = HINTS[str(definition["name"])]
    return Tool.model_validate(
        {
            "name": definition["name"],
            "title": title,
            "description": definition["description"],
            "inputSchema": definition["parameters"],
            "outputSchema": definition["output_schema"],
            "annotations": ToolAnnotations(
                title=title,
                read_only_hint=reads,
                destructive_hint=destroys,
                idempotent_hint=repeats,
                open_world_hint=reaches_out,
            ),
        }
    )

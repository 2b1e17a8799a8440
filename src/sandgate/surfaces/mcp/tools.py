"""The tools as the protocol describes them: the model's own definitions, with hints for clients."""

from __future__ import annotations

from mcp_types import Tool, ToolAnnotations

from sandgate.runtime.definitions import server_hints, server_tools
from sandgate.surfaces.mcp.session_tools import session_definitions


def described_tools(*, login_allowed: bool, sessions: bool = False) -> list[Tool]:
    """All tools, in their order. `sessions`: with those that hand over a task."""
    hints = server_hints()
    own = [_tool(each, hints[str(each["name"])].fields()) for each in server_tools(login_allowed=login_allowed)]
    return [*own, *(_tool(*each) for each in session_definitions())] if sessions else own


def _tool(definition: dict[str, object], hints: dict[str, object]) -> Tool:
    return Tool.model_validate(
        {
            "name": definition["name"],
            "title": hints["title"],
            "description": definition["description"],
            "inputSchema": definition["parameters"],
            "outputSchema": definition["output_schema"],
            "annotations": ToolAnnotations(
                title=str(hints["title"]),
                read_only_hint=bool(hints["reads_only"]),
                destructive_hint=bool(hints["destroys"]),
                idempotent_hint=bool(hints["repeats"]),
                open_world_hint=bool(hints["reaches_out"]),
            ),
        }
    )

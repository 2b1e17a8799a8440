"""The page of MCP tools, from their own definitions."""

from __future__ import annotations

import json
from typing import Any

from sandgate.reference.markdown import table
from sandgate.surfaces.mcp.tools import described_tools

INTRODUCTION = """\
# MCP tools

What `sandgate mcp` offers to a client. Arguments and answers are those of the JSON Schemas that `tools/list`
returns; a client that knows the hints may show them. `login` is missing where `allow_login_shell = false`.
`sandgate` and `sandgate-reply` are there with `--sessions`; calls of `codex` and `codex-reply` are taken as theirs.
"""


def page() -> str:
    """docs/reference/mcp-tools.md."""
    return "\n".join(
        [INTRODUCTION, *(_section(tool.model_dump()) for tool in described_tools(login_allowed=True, sessions=True))]
    )


def _section(tool: dict[str, Any]) -> str:
    hints = [name.removesuffix("_hint") for name, value in tool["annotations"].items() if value is True]
    about = tool["description"].strip()
    if "\n" in about:
        about = f"```text\n{about}\n```"
    told = f"Hints: {', '.join(f'`{hint}`' for hint in hints)}.\n\n" if hints else ""
    arguments = _properties(tool["input_schema"], "argument")
    answer = _properties(tool["output_schema"], "answer")
    return f"## `{tool['name']}`\n\n{about}\n\n{told}{arguments}\n{answer}"


def _properties(schema: dict[str, Any], name: str) -> str:
    required = schema.get("required", [])
    rows = [
        (f"`{key}`", _kind(each), "required" if key in required else "", each.get("description", ""))
        for key, each in schema["properties"].items()
    ]
    return table((name, "value", "", ""), rows) if rows else f"No {name}s.\n"


def _kind(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(each)}`" for each in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}"
    if schema.get("properties") and schema["type"] == "object":
        return "object with " + ", ".join(f"`{key}`" for key in schema["properties"])
    return str(schema["type"])

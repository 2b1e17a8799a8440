"""Everything a server offers as tools, with the schema of each answer."""

from __future__ import annotations

from sandgate.tools.schema import (
    apply_patch_function_tool,
    check_answer_schema,
    check_command_tool,
    exec_answer_schema,
    exec_command_tool,
    exec_kill_schema,
    exec_kill_tool,
    exec_list_schema,
    exec_list_tool,
    patch_answer_schema,
    write_stdin_tool,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def server_tools(*, login_allowed: bool) -> tuple[dict[str, Any], ...]:
    """Name, description, `parameters` and `output_schema` of each, as JSON Schema."""
    return (
        exec_command_tool(extended=True, login_allowed=login_allowed) | {"output_schema": exec_answer_schema()},
        write_stdin_tool(extended=True) | {"output_schema": exec_answer_schema()},
        apply_patch_function_tool() | {"output_schema": patch_answer_schema()},
        exec_list_tool() | {"output_schema": exec_list_schema()},
        exec_kill_tool() | {"output_schema": exec_kill_schema()},
        check_command_tool(login_allowed=login_allowed) | {"output_schema": check_answer_schema()},
    )

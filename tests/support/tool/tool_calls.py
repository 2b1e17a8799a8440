"""Calls of tools in a session."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.runtime import Runtime
    from sandgate.tools.calls import ToolOutput


def begun(runtime: Runtime, cmd: str) -> int:
    """The session id of a command that lives on."""
    output = runtime.call_tool("exec_command", {"cmd": cmd, "login": False, "yield_time_ms": 250})
    return int(structured(output)["session_id"])


def structured(output: ToolOutput) -> dict[str, Any]:
    """What a program reads of an answer that has such a part."""
    assert output.structured is not None, output
    return output.structured

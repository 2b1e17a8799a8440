"""How `exec_command` is described; what it reads is in tests/tools/test_arguments.py."""

from __future__ import annotations

from typing import Any

import pytest

from sandgate.tools.builtin.exec_command import definition
from sandgate.tools.tool import Offer

AGENT = Offer("agent")
APPROVAL = {"sandbox_permissions": "string", "justification": "string", "prefix_rule": "array"}


def types(tool: dict[str, Any]) -> dict[str, str]:
    return {name: about["type"] for name, about in tool["parameters"]["properties"].items()}


def test_a_command_is_described_as_on_the_wire() -> None:
    """Required: what models were trained on."""
    tool = definition(AGENT)
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


def test_a_login_shell_that_is_not_allowed_is_not_offered() -> None:
    assert "login" not in types(definition(AGENT.but(login_allowed=False)))


def test_only_clients_are_told_of_our_additions() -> None:
    assert types(definition(Offer("client"))).keys() - types(definition(AGENT)).keys() == {"rows", "columns"}


@pytest.mark.parametrize("usual", [False, True])
def test_the_tool_says_whether_a_login_shell_is_the_default(usual: bool) -> None:
    login = definition(AGENT.but(login_is_usual=usual))["parameters"]["properties"]["login"]
    assert login["description"].endswith(f"Default {str(usual).lower()}.")

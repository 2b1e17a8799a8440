"""How `write_stdin` is described; what it reads is in tests/tools/test_arguments.py."""

from __future__ import annotations

from typing import Any

from sandgate.tools.builtin.write_stdin import definition
from sandgate.tools.tool import Offer

AGENT = Offer("agent")


def types(tool: dict[str, Any]) -> dict[str, str]:
    return {name: about["type"] for name, about in tool["parameters"]["properties"].items()}


def test_a_write_is_described_as_on_the_wire() -> None:
    """Required: what models were trained on."""
    tool = definition(AGENT)
    assert types(tool) == {
        "session_id": "number",
        "chars": "string",
        "yield_time_ms": "number",
        "max_output_tokens": "number",
    }
    assert tool["parameters"]["required"] == ["session_id"]


def test_only_clients_are_told_of_our_additions() -> None:
    assert types(definition(Offer("client"))).keys() - types(definition(AGENT)).keys() == {"keys", "wait_for"}

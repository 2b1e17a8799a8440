"""What tools are described by: every definition is closed, explained, and what is accepted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandgate.errors import ToolArgumentsError
from sandgate.protocol.denials import Denial
from sandgate.tools.answers import ExecAnswer
from sandgate.tools.registry import every
from sandgate.tools.schema import exec_answer_schema
from sandgate.tools.tool import Offer, Tool

CLIENT = Offer("client")
SAMPLE: dict[str, object] = {"string": "x", "number": 1, "integer": 1, "boolean": True, "array": []}
NOT_DESCRIBED = {"shell": {"timeout", "with_escalated_permissions"}}  # names of older wires, which are read as well


def sent_to(tool: Tool) -> dict[str, Any]:
    """Arguments that are as described."""
    described = tool.definition(CLIENT)["parameters"]["properties"]
    sent = {name: about.get("enum", [SAMPLE[about["type"]]])[0] for name, about in described.items()}
    return sent | ({"command": ["ls"]} if tool.name == "shell" else {})


@pytest.mark.parametrize("tool", every(), ids=lambda tool: tool.name)
def test_what_is_offered_is_what_is_accepted(tool: Tool) -> None:
    """Required: no argument is described and refused, or accepted in silence; what a refusal names is all there is."""
    parameters, sent = tool.definition(CLIENT)["parameters"], sent_to(tool)
    tool.parse(json.dumps(sent))
    with pytest.raises(ToolArgumentsError) as caught:
        tool.parse('{"?": 1}')
    named = str(caught.value).partition("expected ")[2].partition(" at line")[0].removeprefix("one of ")
    said = set(named.replace(" or ", ", ").split(", ")) - {f"`{name}`" for name in NOT_DESCRIBED.get(tool.name, ())}
    assert said == ({f"`{name}`" for name in parameters["properties"]} or {"none"})
    for name in parameters["required"]:
        with pytest.raises(ToolArgumentsError, match=f"missing field `{name}`"):
            tool.parse(json.dumps({other: value for other, value in sent.items() if other != name}))


@pytest.mark.parametrize("tool", every(), ids=lambda tool: tool.name)
def test_every_tool_is_closed_and_explained(tool: Tool) -> None:
    definition = tool.definition(CLIENT)
    assert (definition["name"], definition["strict"]) == (tool.name, False)
    assert definition["parameters"]["additionalProperties"] is False
    assert all(about["description"].endswith(".") for about in definition["parameters"]["properties"].values())
    json.dumps(definition)


def test_the_structured_answer_fits_its_schema() -> None:
    schema = exec_answer_schema()
    answer = ExecAnswer(1.0, "x", "abcdef", 0, 1000, 1, "running", (Denial("write"),), ("n",), "m", 5)
    told = {*answer.structured(), *answer.but(refused="why").structured()}
    assert told == schema["properties"].keys()
    assert schema["required"] == []  # what there is nothing to say about is left out

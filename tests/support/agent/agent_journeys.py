"""An agent driven from outside: where it works, one turn of it, and what its model was sent."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from sandgate.protocol.environment import Environment
from sandgate.protocol.events import Failed, TaskComplete, TurnAborted
from sandgate.protocol.operations import TextInput, UserInput
from support.model.responses_server import ResponsesServer, function_call, sends, turn

if TYPE_CHECKING:
    from pathlib import Path

    from sandgate.agent.agent import Agent
    from sandgate.protocol.events import Event

ENDS = (TaskComplete, TurnAborted, Failed)


def place(home: Path, url: str = "http://127.0.0.1:9/v1", *overrides: str) -> Environment:
    provider = f'model_providers.mock={{name="mock",base_url="{url}",env_key="KEY",request_max_retries=0}}'
    return Environment(
        cwd=str(home.parent / "work"),
        environ={"HOME": str(home), "PATH": os.environ["PATH"], "KEY": "secret"},
        overrides=("model=m", "model_provider=mock", provider, *overrides),
    )


async def said(agent: Agent, text: str) -> list[Event]:
    """One turn; its events."""
    return await done(agent, UserInput((TextInput(text),)))


async def done(agent: Agent, op: Any) -> list[Event]:
    name = agent.submit(op)
    found = []
    async for event in agent.events():
        if event.id == name:
            found.append(event)
            if isinstance(event.msg, ENDS):
                break
    return found


def calls(name: str, call_id: str = "c1", **arguments: Any) -> Any:
    return sends(*turn(function_call(name, arguments, call_id)))


def outputs(server: ResponsesServer, request: int) -> dict[str, Any]:
    items = server.asked[request].body["input"]
    return {item["call_id"]: item["output"] for item in items if item["type"] == "function_call_output"}

"""A server that takes whole tasks, and what its clients say to it and hear."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sandgate.surfaces.mcp.client_thread import Delegation
from support.agent.agent_places import provider
from support.mcp.mcp_wire import soon
from support.model.responses_server import ResponsesServer, function_call, sends, turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp.server.lowlevel import Server

    from support.mcp.mcp_wire import Desk, Json, Wire
    from support.model.responses_server import Manner

ASKS = "untrusted"  # the approval policy under which each command of these tests is asked about


def runs_command(cmd: str, call_id: str = "c1", **more: Any) -> Manner:
    """The model wants it run."""
    return sends(*turn(function_call("exec_command", {"cmd": cmd, "login": False, **more}, call_id)))


@contextmanager
def agents_at(desk: Desk, *manners: Manner, **how: Any) -> Iterator[tuple[Server[Any], ResponsesServer]]:
    """The server, and the model of its agents, which answers so."""
    how = {"approval_policy": ASKS, **how}
    with ResponsesServer(*manners) as model:
        yield desk.server(*provider(model.url), *how.pop("overrides", ()), delegation=Delegation(), **how), model


def events(wire: Wire) -> list[Json]:
    """The parameters of every `codex/event` so far."""
    return [each["params"] for each in wire.received if each.get("method") == "codex/event"]


def kinds(wire: Wire) -> list[str]:
    """What kind of event each was."""
    return [event["msg"]["type"] for event in events(wire)]


async def told(wire: Wire, kind: str) -> Json:
    """The next notification of such an event that nobody has waited for."""
    while True:
        params: Json = (await soon(wire.told.get()))["params"]
        if params.get("msg", {}).get("type") == kind:
            return params

"""Answers about turns: begun, steered, ended."""

from __future__ import annotations

from sandgate.protocol.operations import ImageInput, LocalImageInput, TextInput
from sandgate.surfaces.app_server.policies import approval_on_wire, sandbox_on_wire
from sandgate.surfaces.app_server.refusal import bad_params

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.operations import InputItem
    from sandgate.surfaces.app_server.connection import Connection
    from sandgate.surfaces.app_server.live_thread import LiveThread

    Json = dict[str, Any]

PARTS_MAX = 256  # of one message
FIXED = "`params.{name}` cannot change in a thread that is open: it is {now!r}; start another thread"


async def start_turn(client: Connection, params: Json) -> Json:
    """The turn that begins."""
    thread = client.threads.named(params["threadId"])
    _require_as_it_is(thread, params)
    turn = thread.say(_said(params["input"]), params.get("clientUserMessageId"), params.get("outputSchema"))
    return {"turn": turn}


async def steer_turn(client: Connection, params: Json) -> Json:
    """The turn that hears it."""
    thread = client.threads.named(params["threadId"])
    thread.steer(params["expectedTurnId"], _said(params["input"]), params.get("clientUserMessageId"))
    return {"turnId": params["expectedTurnId"]}


async def interrupt_turn(client: Connection, params: Json) -> Json:
    """Once it has ended."""
    await client.threads.named(params["threadId"]).interrupt(params["turnId"])
    return {}


def _said(parts: list[Json]) -> tuple[InputItem, ...]:
    if not 0 < len(parts) <= PARTS_MAX:
        raise bad_params(f"`params.input` has to have 1 to {PARTS_MAX} parts")
    return tuple(map(_part, parts))


def _part(part: Json) -> InputItem:
    match part["type"]:
        case "text":
            return TextInput(part["text"])
        case "image":
            return ImageInput(part["url"])
        case _:
            return LocalImageInput(part["path"])


def _require_as_it_is(thread: LiveThread, params: Json) -> None:
    """Clients repeat with each turn what holds for the thread."""
    configured = thread.configured
    holds: Json = {
        "cwd": configured.cwd,
        "approvalPolicy": approval_on_wire(configured.approval_policy),
        "model": configured.model,
        "effort": configured.reasoning_effort,
        "approvalsReviewer": thread.reviewer,
    }
    for name, now in holds.items():
        if params.get(name) not in (None, now):
            raise bad_params(FIXED.format(name=name, now=now))
    policy, now = params.get("sandboxPolicy"), sandbox_on_wire(configured.sandbox_policy)
    if policy is not None and any(now.get(name, value or None) != value for name, value in policy.items()):
        raise bad_params(FIXED.format(name="sandboxPolicy", now=now))

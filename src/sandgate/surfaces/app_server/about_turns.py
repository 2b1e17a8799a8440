"""Answers about turns: begun, steered, ended."""

from __future__ import annotations

import os

from sandgate.protocol.operations import ContextChange, ImageInput, LocalImageInput, TextInput
from sandgate.surfaces.app_server.connection import Then
from sandgate.surfaces.app_server.policies import asked_approval, asked_sandbox
from sandgate.surfaces.app_server.refusal import bad_params

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.operations import InputItem
    from sandgate.surfaces.app_server.connection import Connection
    from sandgate.surfaces.app_server.live_thread import LiveThread

    Json = dict[str, Any]

PARTS_MAX = 256  # of one message
REVIEWER = "`params.approvalsReviewer` cannot change in a thread that is open: it is `{now}`; start another thread"


async def start_turn(client: Connection, params: Json) -> Json:
    """The turn that begins, under what the client asks to hold from it on."""
    thread = client.threads.named(params["threadId"])
    said, change = _said(params["input"]), _change(thread, params)
    if change is not None:
        await thread.would_hold(change)
    return {"turn": thread.say(said, params.get("clientUserMessageId"), params.get("outputSchema"), change)}


async def update_settings(client: Connection, params: Json) -> Then:
    """What holds from the next turn on, as every client of the thread is told."""
    thread = client.threads.named(params["threadId"])
    change = _change(thread, params)
    holding = None if change is None else await thread.would_hold(change)

    def after() -> None:
        if change is not None and holding is not None:
            thread.change(change, holding)

    return Then({}, after)


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


def _change(thread: LiveThread, params: Json) -> ContextChange | None:
    """What differs from what holds; clients repeat with each turn what they were told. None: nothing does."""
    if params.get("approvalsReviewer") not in (None, thread.reviewer):
        raise bad_params(REVIEWER.format(now=thread.reviewer))
    holding, mode = thread.holding, (params.get("collaborationMode") or {}).get("settings") or {}
    model, effort = mode.get("model") or params.get("model"), mode.get("reasoning_effort") or params.get("effort")
    cwd = None if params.get("cwd") is None else os.path.join(holding.cwd, params["cwd"])
    change = ContextChange(
        cwd=_other(cwd, holding.cwd),
        approval_policy=asked_approval(holding.approval, params.get("approvalPolicy")),
        sandbox_policy=asked_sandbox(holding.sandbox, params.get("sandboxPolicy")),
        model=_other(model, holding.model.model),
        effort=_other(effort, holding.model.effort) or "",
        summary=_other(params.get("summary"), holding.model.summary),
    )
    return None if change == ContextChange() else change


def _other(asked: str | None, now: str | None) -> str | None:
    return None if asked == now else asked

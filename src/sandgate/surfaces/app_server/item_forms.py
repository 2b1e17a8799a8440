"""Parts of a turn in the form of the wire, as they begin; what they come to is filled in when it is known."""

from __future__ import annotations

from sandgate.commandline.words import joined
from sandgate.protocol.items import InputImage, message_text
from sandgate.protocol.wire import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from sandgate.protocol.events import McpToolCallBegin, McpToolCallEnd
    from sandgate.protocol.items import Message, Reasoning
    from sandgate.protocol.patches import FileChange

    Json = dict[str, Any]

ACTIONS = {"read": "read", "list_files": "listFiles", "search": "search"}


def text_input(text: str) -> Json:
    """Something said."""
    return {"type": "text", "text": text, "text_elements": []}


def user_message_item(item_id: str, message: Message, client_id: str | None) -> Json:
    """What the person said."""
    content = [
        {"type": "image", "url": part.image_url} if isinstance(part, InputImage) else text_input(part.text)
        for part in message.content
    ]
    return {"type": "userMessage", "id": item_id, "clientId": client_id, "content": content}


def agent_message_item(item_id: str, message: Message | None) -> Json:
    """What the model says."""
    text = "" if message is None else message_text(message)
    nothing = dict.fromkeys(("moderation", "phase", "memoryCitation", "delivery", "questions"))
    return {"type": "agentMessage", "id": item_id, "text": text, **nothing}


def reasoning_item(item_id: str, item: Reasoning | None) -> Json:
    """What it thinks."""
    summary, content = ((), ()) if item is None else (item.summary, item.content or ())
    return {"type": "reasoning", "id": item_id, "summary": list(summary), "content": list(content)}


def command_execution(item_id: str, argv: tuple[str, ...], cwd: str, parsed: Sequence[Mapping[str, Any]]) -> Json:
    """A command."""
    return {
        "type": "commandExecution",
        "id": item_id,
        "pluginId": None,
        "scriptPath": None,
        "command": joined(argv),
        "cwd": cwd,
        "processId": None,
        "source": "agent",
        "status": "inProgress",
        "commandActions": command_actions(parsed),
        "aggregatedOutput": None,
        "exitCode": None,
        "durationMs": None,
    }


def command_actions(parsed: Sequence[Mapping[str, Any]]) -> list[Json]:
    """What a command looks like it does."""
    return [_action(each) for each in parsed]


def file_change(item_id: str, changes: Sequence[FileChange]) -> Json:
    """A patch."""
    return {"type": "fileChange", "id": item_id, "changes": list(map(_change, changes)), "status": "inProgress"}


def mcp_call(item_id: str, message: McpToolCallBegin | McpToolCallEnd) -> Json:
    """A call of a tool that a server of others has."""
    named: Json = {"type": "mcpToolCall", "id": item_id, "server": message.server, "tool": message.tool}
    nothing = dict.fromkeys(("result", "error", "durationMs"))
    return {**named, "status": "inProgress", "arguments": plain(message.arguments), **nothing}


def _action(parsed: Mapping[str, Any]) -> Json:
    kind, command = ACTIONS.get(str(parsed.get("type")), "unknown"), str(parsed.get("cmd", ""))
    found: Json = {"type": kind, "command": command}
    match kind:
        case "read":
            return {**found, "name": parsed.get("name") or "", "path": parsed.get("path") or ""}
        case "listFiles":
            return {**found, "path": parsed.get("path")}
        case "search":
            return {**found, "query": parsed.get("query"), "path": parsed.get("path")}
        case _:
            return found


def _change(change: FileChange) -> Json:
    if change.kind == "update":
        kind: Json = {"type": "update", "move_path": change.move_path}
        return {"path": change.path, "kind": kind, "diff": change.unified_diff}
    return {"path": change.path, "kind": {"type": change.kind}, "diff": change.content}

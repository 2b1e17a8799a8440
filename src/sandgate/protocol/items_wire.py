"""Items of a conversation as JSON, for requests, responses and transcripts.

Reading is forgiving where it loses nothing: unknown kinds and malformed ones are None, and the caller decides.
The order of the fields is fixed, so that a conversation read from a transcript is sent byte for byte as before.
"""

from __future__ import annotations

from sandgate.protocol.items import (
    Compaction,
    CustomToolCall,
    CustomToolCallOutput,
    FunctionCall,
    FunctionCallOutput,
    InputImage,
    InputText,
    LocalShellCall,
    Message,
    OutputText,
    Reasoning,
    WebSearchCall,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from sandgate.protocol.items import Item, Part

    Json = dict[str, Any]

ROLES = ("user", "assistant", "developer", "system")


class _Malformed(Exception):
    """A field is missing or of another type."""


def item_json(item: Item) -> Json:
    """The item as a request has it: without the provider's id, and without thoughts in clear."""
    fields = _fields(item)
    if isinstance(item, Reasoning):
        fields.pop("content", None)
    return fields


def named_json(item: Item) -> Json:
    """The same with the provider's id, for one that keeps items and finds them by it."""
    own = getattr(item, "id", "")
    return {**item_json(item), "id": own} if own else item_json(item)


def kept_json(item: Item) -> Json:
    """The item as a transcript has it: with all that `as_item` reads."""
    fields = _fields(item)
    own = getattr(item, "id", "")
    return {"type": fields.pop("type"), "id": own, **fields} if own else fields


def _fields(item: Item) -> Json:
    match item:
        case Message():
            return {"type": "message", "role": item.role, "content": [part_json(part) for part in item.content]}
        case FunctionCall():
            fields = {"name": item.name, "arguments": item.arguments, "call_id": item.call_id}
            return {"type": "function_call", **fields}
        case FunctionCallOutput():
            output = item.output if isinstance(item.output, str) else [part_json(part) for part in item.output]
            return {"type": "function_call_output", "call_id": item.call_id, "output": output}
        case CustomToolCall():
            return {"type": "custom_tool_call", "call_id": item.call_id, "name": item.name, "input": item.input}
        case CustomToolCallOutput():
            return {"type": "custom_tool_call_output", "call_id": item.call_id, "output": item.output}
        case LocalShellCall():
            given = {"call_id": item.call_id} if item.call_id else {}
            return {"type": "local_shell_call", **given, "status": item.status, "action": dict(item.action)}
        case WebSearchCall():
            search: Json = {"type": "web_search_call"}
            if item.status:
                search["status"] = item.status
            return search if item.action is None else {**search, "action": dict(item.action)}
        case Reasoning():
            return _reasoning_json(item)
        case Compaction():
            return {"type": "compaction", "encrypted_content": item.encrypted_content}


def _reasoning_json(item: Reasoning) -> Json:
    fields: Json = {"type": "reasoning", "summary": [{"type": "summary_text", "text": text} for text in item.summary]}
    if item.content is not None:
        fields["content"] = [{"type": "reasoning_text", "text": text} for text in item.content]
    return {**fields, "encrypted_content": item.encrypted_content}


def part_json(part: Part) -> Json:
    """A piece of a message, or of a tool's answer."""
    match part:
        case InputText():
            return {"type": "input_text", "text": part.text}
        case InputImage():
            return {"type": "input_image", "image_url": part.image_url}
        case OutputText():
            return {"type": "output_text", "text": part.text}


def as_item(value: object) -> Item | None:
    """The item that `value` says; None for kinds we do not know and for fields that do not fit."""
    if not isinstance(value, dict):
        return None
    kind = value.get("type")
    read = _READERS.get(kind) if isinstance(kind, str) else None
    if read is None:
        return None
    try:
        return read(value)
    except _Malformed:
        return None


def as_part(value: object) -> Part:
    """Raises _Malformed."""
    if isinstance(value, dict):
        match value.get("type"):
            case "input_text":
                return InputText(_text(value, "text"))
            case "input_image":
                return InputImage(_text(value, "image_url"))
            case "output_text":
                return OutputText(_text(value, "text"))
    raise _Malformed


def _message(value: Mapping[str, Any]) -> Message:
    role = _text(value, "role")
    if role not in ROLES:
        raise _Malformed
    return Message(role, tuple(as_part(part) for part in _list(value, "content")), id=_id(value))  # type: ignore[arg-type]


def _reasoning(value: Mapping[str, Any]) -> Reasoning:
    encrypted = value.get("encrypted_content")
    content = value.get("content")
    return Reasoning(
        summary=tuple(_text(part, "text") for part in _list(value, "summary")),
        content=tuple(_text(part, "text") for part in content) if isinstance(content, list) else None,
        encrypted_content=encrypted if isinstance(encrypted, str) else None,
        id=_id(value),
    )


def _function_call(value: Mapping[str, Any]) -> FunctionCall:
    return FunctionCall(_text(value, "name"), _text(value, "arguments"), _text(value, "call_id"), id=_id(value))


def _function_call_output(value: Mapping[str, Any]) -> FunctionCallOutput:
    output = value.get("output")
    if isinstance(output, list):
        return FunctionCallOutput(_text(value, "call_id"), tuple(as_part(part) for part in output))
    return FunctionCallOutput(_text(value, "call_id"), _text(value, "output"))


def _custom_tool_call(value: Mapping[str, Any]) -> CustomToolCall:
    return CustomToolCall(_text(value, "name"), _text(value, "input"), _text(value, "call_id"), id=_id(value))


def _custom_tool_call_output(value: Mapping[str, Any]) -> CustomToolCallOutput:
    return CustomToolCallOutput(_text(value, "call_id"), _text(value, "output"))


def _local_shell_call(value: Mapping[str, Any]) -> LocalShellCall:
    action, call_id, status = value.get("action"), value.get("call_id"), value.get("status")
    if not isinstance(action, dict):
        raise _Malformed
    return LocalShellCall(
        call_id if isinstance(call_id, str) else "", status if isinstance(status, str) else "", action, id=_id(value)
    )


def _web_search_call(value: Mapping[str, Any]) -> WebSearchCall:
    action, status = value.get("action"), value.get("status")
    return WebSearchCall(
        action if isinstance(action, dict) else None, status if isinstance(status, str) else "", id=_id(value)
    )


def _compaction(value: Mapping[str, Any]) -> Compaction:
    return Compaction(_text(value, "encrypted_content"), id=_id(value))


def _text(value: object, name: str) -> str:
    found = value.get(name) if isinstance(value, dict) else None
    if not isinstance(found, str):
        raise _Malformed
    return found


def _list(value: Mapping[str, Any], name: str) -> list[Any]:
    found = value.get(name)
    if not isinstance(found, list):
        raise _Malformed
    return found


def _id(value: Mapping[str, Any]) -> str:
    found = value.get("id")
    return found if isinstance(found, str) else ""


_READERS: dict[str, Callable[[Mapping[str, Any]], Item]] = {
    "message": _message,
    "reasoning": _reasoning,
    "function_call": _function_call,
    "function_call_output": _function_call_output,
    "custom_tool_call": _custom_tool_call,
    "custom_tool_call_output": _custom_tool_call_output,
    "local_shell_call": _local_shell_call,
    "web_search_call": _web_search_call,
    "compaction": _compaction,
}

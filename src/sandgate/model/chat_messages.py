"""A conversation as Chat Completions have it: messages, and tools that are all functions.

What that form cannot say is left out (thoughts, searches of the provider) or said another way: a tool that takes free
text becomes a function with one argument, and pictures that a tool gave come as a message of the user, after its
answer. That form wants the answers to calls directly behind the calls, so they are moved there.
"""

from __future__ import annotations

import json

from sandgate.protocol.items import (
    CustomToolCall,
    CustomToolCallOutput,
    FunctionCall,
    FunctionCallOutput,
    InputImage,
    LocalShellCall,
    Message,
    call_id_of,
    message_text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from sandgate.protocol.items import Call, CallOutput, Item, Part

    Json = dict[str, Any]

FREE_TEXT = "input"  # the one argument of a function that stands for a tool that takes free text
LOCAL_SHELL = "local_shell"
CALLS = (FunctionCall, CustomToolCall, LocalShellCall)
OUTPUTS = (FunctionCallOutput, CustomToolCallOutput)


def chat_messages(instructions: str, items: Iterable[Item]) -> list[Json]:
    """All messages of a request, in order."""
    writing = _Writing(items)
    return [*([{"role": "system", "content": instructions}] if instructions else []), *writing.messages()]


def chat_tools(tools: Iterable[Mapping[str, Any]]) -> list[Json]:
    """The tools that can be offered; those that the provider itself carries out cannot."""
    return [tool for each in tools if (tool := _tool(each)) is not None]


def free_text_tools(tools: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The names whose calls are to be read as free text again."""
    return frozenset(str(tool.get("name")) for tool in tools if tool.get("type") == "custom")


def _tool(tool: Mapping[str, Any]) -> Json | None:
    name, description = tool.get("name"), tool.get("description", "")
    match tool.get("type"):
        case "function":
            strict = {"strict": True} if tool.get("strict") else {}
            function = {"name": name, "description": description, "parameters": tool.get("parameters", {}), **strict}
        case "custom":
            grammar = tool.get("format", {}).get("definition", "")
            text = {"type": "string", "description": f"Follows this grammar:\n{grammar}" if grammar else "Free text."}
            parameters = {"type": "object", "properties": {FREE_TEXT: text}, "required": [FREE_TEXT]}
            function = {"name": name, "description": description, "parameters": parameters}
        case _:
            return None
    return {"type": "function", "function": function}


class _Writing:
    """The messages of a conversation in the making."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = tuple(items)
        self._outputs: dict[str, list[CallOutput]] = {}
        for item in self._items:
            if isinstance(item, OUTPUTS):
                self._outputs.setdefault(item.call_id, []).append(item)
        self._messages: list[Json] = []
        self._calling: Json | None = None  # the assistant's message that calls may still be added to
        self._called: list[str] = []

    def messages(self) -> list[Json]:
        for item in self._items:
            if isinstance(item, Message):
                self._close()
                self._message(item)
            elif isinstance(item, CALLS):
                self._call(item)
            elif isinstance(item, OUTPUTS):
                self._close()
        self._close()
        return self._messages

    def _message(self, item: Message) -> None:
        if item.role == "assistant":
            self._calling = {"role": "assistant", "content": message_text(item)}
            self._messages.append(self._calling)
            return
        # The newer name of the role is unknown to most who speak this form.
        role = "user" if item.role == "user" else "system"
        self._messages.append({"role": role, "content": _content(item.content)})

    def _call(self, item: Call) -> None:
        if self._calling is None:
            self._calling = {"role": "assistant", "content": None}
            self._messages.append(self._calling)
        name, arguments = _called(item)
        call = {"id": call_id_of(item), "type": "function", "function": {"name": name, "arguments": arguments}}
        self._calling.setdefault("tool_calls", []).append(call)
        self._called.append(call_id_of(item))

    def _close(self) -> None:
        """Put the answers behind the calls so far."""
        pictures: list[Json] = []
        for call_id in self._called:
            waiting = self._outputs.get(call_id)
            output = waiting.pop(0).output if waiting else ""
            parts = () if isinstance(output, str) else output
            text = output if isinstance(output, str) else _text(parts)
            self._messages.append({"role": "tool", "tool_call_id": call_id, "content": text})
            pictures += [_part(part) for part in parts if isinstance(part, InputImage)]
        if pictures:
            self._messages.append({"role": "user", "content": pictures})
        self._calling, self._called = None, []


def _called(item: Call) -> tuple[str, str]:
    match item:
        case FunctionCall():
            return item.name, item.arguments
        case CustomToolCall():
            return item.name, json.dumps({FREE_TEXT: item.input}, ensure_ascii=False)
        case LocalShellCall():
            return LOCAL_SHELL, json.dumps(dict(item.action), ensure_ascii=False)


def _content(parts: tuple[Part, ...]) -> str | list[Json]:
    """Plain text where that is all: the older form, which every server reads."""
    if any(isinstance(part, InputImage) for part in parts):
        return [_part(part) for part in parts]
    return _text(parts)


def _text(parts: tuple[Part, ...]) -> str:
    return "\n".join(part.text for part in parts if not isinstance(part, InputImage))


def _part(part: Part) -> Json:
    if isinstance(part, InputImage):
        return {"type": "image_url", "image_url": {"url": part.image_url}}
    return {"type": "text", "text": part.text}

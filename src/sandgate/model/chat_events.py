"""Puts the pieces of a streamed chat completion together to items.

Pure: data in, values out. That form has no items: text, thoughts and the arguments of calls come in pieces, and are
complete only when the answer says why it ended. An answer that was cut short gives no call: half of one may mean
something else.
"""

from __future__ import annotations

import os

from sandgate.errors import StreamBroken
from sandgate.model.chat_messages import FREE_TEXT
from sandgate.model.provider_errors import answer_too_long, broken_by, complaint_of
from sandgate.model.quoting import Quoting
from sandgate.model.response_events import BROKE_OFF, as_object, field, token_count
from sandgate.model.streaming import Completed, Created, ItemAdded, ItemDone, ReasoningDelta, TextDelta
from sandgate.protocol.items import CustomToolCall, FunctionCall, Message, OutputText, Reasoning
from sandgate.protocol.usage import TokenUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from sandgate.model.streaming import ModelEvent

END = "[DONE]"
AT_THE_LIMIT = "length"
CUT_SHORT = frozenset({"length", "content_filter"})
THOUGHTS = ("reasoning_content", "reasoning")  # two names that providers have for the same
ID_BYTES = 12


class _Call:
    """A call in the making."""

    def __init__(self, call_id: str) -> None:
        self.call_id = call_id
        self.name = ""
        self.arguments: list[str] = []


class ChatEvents:
    """The chunks of one answer, in their order. `free_text` names the tools that take text and not JSON."""

    def __init__(
        self,
        quoting: Quoting | None = None,
        *,
        free_text: frozenset[str] = frozenset(),
        new_id: Callable[[], str] = lambda: f"call_{os.urandom(ID_BYTES).hex()}",
        limited: bool = False,
    ) -> None:
        """`limited`: the request named the longest answer it wants."""
        self._limited = limited
        self._quoting = quoting or Quoting()
        self._free_text = free_text
        self._new_id = new_id
        self._id = ""
        self._begun = False
        self._text: list[str] = []
        self._thoughts: list[str] = []
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._usage: TokenUsage | None = None
        self._finished = False

    def take(self, data: str) -> tuple[ModelEvent, ...]:
        """What one chunk says; `Completed` is the last. Raises ModelError when the model failed, or was cut short."""
        if data.strip() == END:
            if self._calls and not self._finished:  # whether they are whole was never said
                raise StreamBroken(BROKE_OFF)
            return (*self._finish(), Completed(self._id, self._usage))
        chunk = as_object(data)
        if chunk.get("error"):
            raise broken_by(complaint_of(chunk["error"]), self._quoting)
        if isinstance(usage := chunk.get("usage"), dict):
            self._usage = _usage(usage)
        choices = chunk.get("choices")
        if not isinstance(choices, list):
            return ()
        found: list[ModelEvent] = []
        if not self._begun:
            self._begun = True
            self._id = chunk["id"] if isinstance(chunk.get("id"), str) else ""
            found.append(Created(self._id))
        for choice in choices[:1]:
            found += self._choice(choice)
        return tuple(found)

    def end(self) -> tuple[ModelEvent, ...]:
        """The stream has ended, in a way that some providers end a complete one. Raises StreamBroken for others."""
        if not self._finished:
            raise StreamBroken(BROKE_OFF)
        return (Completed(self._id, self._usage),)

    def _choice(self, choice: object) -> list[ModelEvent]:
        if self._finished:
            return []
        found: list[ModelEvent] = []
        delta = field(choice, "delta")
        for name in THOUGHTS:
            if isinstance(thought := field(delta, name), str) and thought:
                self._thoughts.append(thought)
                found.append(ReasoningDelta(thought, raw=True))
                break
        if isinstance(text := field(delta, "content"), str) and text:
            found += () if self._text else (ItemAdded("message", ""),)
            self._text.append(text)
            found.append(TextDelta(text))
        pieces = field(delta, "tool_calls")
        for piece in pieces if isinstance(pieces, list) else ():
            self._piece_of_call(piece)
        reason = field(choice, "finish_reason")
        if self._limited and reason == AT_THE_LIMIT:
            raise answer_too_long()
        if reason in CUT_SHORT:
            raise StreamBroken("the model's answer is incomplete", why=str(reason))
        return [*found, *self._finish()] if isinstance(reason, str) and reason else found

    def _piece_of_call(self, piece: object) -> None:
        index, call_id = field(piece, "index"), field(piece, "id")
        call = self._call(index if isinstance(index, int) else None, call_id if isinstance(call_id, str) else "")
        name, arguments = field(piece, "function", "name"), field(piece, "function", "arguments")
        if isinstance(name, str) and not call.name:
            call.name = name
        if isinstance(arguments, str):
            call.arguments.append(arguments)

    def _call(self, index: int | None, call_id: str) -> _Call:
        """The call that a piece belongs to. Providers that give no index send each call whole, or with its id."""
        if index is None:
            known = next((call for call in self._calls if call.call_id == call_id), None)
            if not call_id and self._calls:
                known = self._calls[-1]
        else:
            known = self._by_index.get(index)
        if known is None:
            known = _Call(call_id or self._new_id())
            self._calls.append(known)
            if index is not None:
                self._by_index[index] = known
        return known

    def _finish(self) -> list[ModelEvent]:
        if self._finished:
            return []
        self._finished = True
        found: list[ModelEvent] = []
        if self._thoughts:
            found.append(ItemDone(Reasoning(content=("".join(self._thoughts),))))
        if self._text:
            found.append(ItemDone(Message("assistant", (OutputText("".join(self._text)),))))
        return [*found, *(ItemDone(self._as_item(call)) for call in self._calls)]

    def _as_item(self, call: _Call) -> FunctionCall | CustomToolCall:
        arguments = "".join(call.arguments)
        if call.name not in self._free_text:
            return FunctionCall(call.name, arguments, call.call_id)
        text = field(as_object(arguments), FREE_TEXT)
        return CustomToolCall(call.name, text if isinstance(text, str) else arguments, call.call_id)


def _usage(usage: dict[str, Any]) -> TokenUsage:
    return TokenUsage(
        input_tokens=token_count(usage, "prompt_tokens"),
        cached_input_tokens=token_count(usage, "prompt_tokens_details", "cached_tokens"),
        output_tokens=token_count(usage, "completion_tokens"),
        reasoning_output_tokens=token_count(usage, "completion_tokens_details", "reasoning_tokens"),
        total_tokens=token_count(usage, "total_tokens"),
    )

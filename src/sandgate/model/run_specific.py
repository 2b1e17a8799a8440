"""What in a request is of one run only, and says nothing about whether the conversation is the same.

An answer of a tool begins with a name of its own and how long it took; a command that lives on has a number, by which
the model goes on with it; the model is told the date. All of it is somewhere else in every run, and at the same places
when the run is the same. Only what we say ourselves is passed over: what a command printed has to be the same to the
byte. Pure.
"""

from __future__ import annotations

import re

from sandgate.model.streaming import ItemDone
from sandgate.protocol.items import FunctionCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandgate.model.streaming import ModelEvent

    Json = dict[str, Any]

PASSED_OVER = "…"
OUTPUT = "\nOutput:\n"  # what stands before it is ours
METADATA = '"metadata": {'  # what stands behind the last one is ours
_HEAD = re.compile(r"(?m)^(Chunk ID: |Wall time: )(?:[0-9a-f]{6}|\d+(?:\.\d+)?(?= seconds$))")
_NUMBER = re.compile(r"(?m)^(Process running with session ID )(\d+)$")
_DURATION = re.compile(r'("duration_seconds": )\d+(?:\.\d+)?')
_TIMED = re.compile(r'\A((?:\{"output": ")?command timed out after |aborted by user after )\d+(?:\.\d+)?')
_CALLED = re.compile(r'("session_id"\s*:\s*)(\d+)')
_UNKNOWN = re.compile(r"( process id )(\d+)")
_DATE = re.compile(r"(<current_date>)[^<]*")
_ANY_NUMBER = re.compile(r"()\b(\d+)\b")


class Steady:
    """A request without them. `asked` is what is left, `numbers` those of the commands that lived on, in order."""

    def __init__(self, asked: Json) -> None:
        self.numbers: list[str] = []
        items = asked.get("input")
        self.asked = {**asked, "input": [*map(self._item, items)]} if isinstance(items, list) else asked

    def _item(self, item: Any) -> Any:
        match item:
            case {"output": str() as text}:
                return {**item, "output": self._output(text)}
            case {"arguments": str() as text}:
                return {**item, "arguments": self._known(_CALLED, text)}
            case {"role": "user", "content": list() as parts}:
                return {**item, "content": [self._part(part) for part in parts]}
        return item

    def _part(self, part: Any) -> Any:
        match part:
            case {"text": str() as text} if text.startswith("<environment_context>"):
                return {**part, "text": _DATE.sub(rf"\1{PASSED_OVER}", text)}
            case {"text": str() as text} if text.startswith("<turn_aborted>"):
                return {**part, "text": self._known(_ANY_NUMBER, text)}
        return part

    def _output(self, text: str) -> str:
        head, found, rest = text.partition(OUTPUT)
        if found:
            self.numbers += [each for _words, each in _NUMBER.findall(head) if each not in self.numbers]
            body = _TIMED.sub(rf"\1{PASSED_OVER}", rest)
            return self._known(_NUMBER, _HEAD.sub(rf"\1{PASSED_OVER}", head)) + found + body
        text = self._known(_UNKNOWN, _TIMED.sub(rf"\1{PASSED_OVER}", text))
        before, found, metadata = text.rpartition(METADATA)
        return before + found + _DURATION.sub(rf"\1{PASSED_OVER}", metadata) if found else text

    def _known(self, pattern: re.Pattern[str], text: str) -> str:
        """With the place of each known number instead of it."""
        place = {number: f"#{at}" for at, number in enumerate(self.numbers)}
        return pattern.sub(lambda found: found[1] + place.get(found[2], found[2]), text)


def renumbered(event: ModelEvent, numbers: Mapping[str, str]) -> ModelEvent:
    """With the numbers of this run, where the model goes on with a command that has another one here."""
    match event:
        case ItemDone(item=FunctionCall() as call) if numbers:
            text = _CALLED.sub(lambda found: found[1] + numbers.get(found[2], found[2]), call.arguments)
            return event.but(item=call.but(arguments=text))
    return event

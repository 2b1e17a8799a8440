"""A JSON Schema for what was seen written: which keys are always there, which kinds of value, which words."""

from __future__ import annotations

from typing import Any

from sandgate.reference.samples import ANYTHING, FAMILIES

Json = dict[str, Any]

ALWAYS_FREE = ("id", "message", "hint", "what", "why")
"""Keys whose texts are never a choice between words, though few were seen."""

FREE = "\u2026"
KINDS = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}


class ObservedJson:
    """Every value at one place, in two families of samples."""

    def __init__(self, name: str = "") -> None:
        self._free_name = name in ALWAYS_FREE or name.endswith("_id")
        self._kinds: set[str] = set()
        self._words: tuple[set[str], set[str]] = (set(), set())
        self._objects = 0
        self._keys: dict[str, ObservedJson] = {}
        self._times: dict[str, int] = {}
        self._others: ObservedJson | None = None
        self._items: ObservedJson | None = None

    def add(self, value: Any, family: int) -> None:
        """One more value; `family` says which samples led to it."""
        if value == ANYTHING:
            self._kinds.add("anything")
        elif isinstance(value, dict):
            self._add_object(value, family)
        elif isinstance(value, list | tuple):
            self._kinds.add("array")
            self._items = self._items or ObservedJson()
            for each in value:
                self._items.add(each, family)
        else:
            self._kinds.add(KINDS[type(value)])
            if isinstance(value, str):
                self._words[family].add(value)

    def _add_object(self, value: Json, family: int) -> None:
        self._kinds.add("object")
        self._objects += 1
        for key, each in value.items():
            if not key or key.startswith(FREE):
                self._others = self._others or ObservedJson()
                self._others.add(each, family)
                continue
            self._keys.setdefault(key, ObservedJson(key)).add(each, family)
            self._times[key] = self._times.get(key, 0) + 1

    def schema(self) -> Json:
        """What all of them have in common."""
        if "anything" in self._kinds or self._kinds <= {"null"}:
            return {}  # nothing but null was seen: what it is otherwise is not known
        kinds = sorted(self._kinds - {"integer"} if "number" in self._kinds else self._kinds)
        found: Json = {"type": kinds[0] if len(kinds) == 1 else kinds}
        words = self._choice()
        if words and kinds == ["string"]:
            found = {"const": words[0]} if len(words) == 1 else {"enum": words}
        elif words and kinds == ["null", "string"]:
            found = {"enum": [*words, None]}
        if "object" in self._kinds:
            found |= self._object()
        if self._items is not None:
            found["items"] = self._items.schema()
        return found

    def _choice(self) -> list[str]:
        first, second = self._words
        free = self._free_name or any(FREE in word for word in first | second)
        return sorted(first) if len(FAMILIES) == 2 and first == second and not free else []

    def _object(self) -> Json:
        found: Json = {}
        if self._keys:
            found["properties"] = {key: seen.schema() for key, seen in self._keys.items()}
            found["required"] = [key for key in self._keys if self._times[key] == self._objects]
        if self._others is not None:
            found["additionalProperties"] = self._others.schema()
        return found

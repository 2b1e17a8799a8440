"""The page of JSON events and the two schemas, from what the writers of events were seen to write."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from sandgate.reference.agent_events import agent_events
from sandgate.reference.markdown import table
from sandgate.reference.run_events import Kind, run_events

Json = dict[str, Any]

DRAFT = "https://json-schema.org/draft/2020-12/schema"

INTRODUCTION = """\
# JSON events

`sandgate run --json` and `sandgate agent --json` write one JSON object a line on stdout, and nothing else there.
What follows is made from what the program writes; the same as JSON Schema: [run](run-events.schema.json),
[agent](agent-events.schema.json). A key that is marked *always* is in every event of its type. Keys may be added in
any version, types and meanings do not change within a [major version](versions.md): ignore what you do not know.

## `sandgate run --json`

`seq` counts from 1 without gaps. `run_completed` is the last line of every run, also of one that failed.
What an agent's events tell, too, has their names and fields. A line with `alias_of` repeats another one under the name
that it had before; such lines go with the next minor version.
"""

AGENT = """\
## `sandgate agent --json`

A thread has turns, and a turn has items. Every item that starts ends, before the end of its turn.
"""

ITEMS = """\
## Items

What `item.started`, `item.updated` and `item.completed` hold as `item`.
"""


def page() -> str:
    """docs/reference/events.md."""
    lines, items = _agent()
    parts = [INTRODUCTION, *_sections(_run()), AGENT, *_sections(lines), ITEMS, *_sections(items)]
    return "\n".join(parts)


def run_schema() -> str:
    """What each line of `sandgate run --json` must be."""
    return _schema("A line of sandgate run --json", {name: kind.seen.schema() for name, kind in _run().items()}, {})


def agent_schema() -> str:
    """The same for `sandgate agent --json`."""
    lines, items = _agent()
    schemas = {name: kind.seen.schema() for name, kind in lines.items()}
    named = {f"item:{name}": kind.seen.schema() for name, kind in items.items()}
    for schema in schemas.values():
        if "item" in schema["properties"]:
            schema["properties"]["item"] = {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in named]}
    return _schema("A line of sandgate agent --json", schemas, named)


@cache
def _run() -> dict[str, Kind]:
    return run_events()


@cache
def _agent() -> tuple[dict[str, Kind], dict[str, Kind]]:
    return agent_events()


def _schema(title: str, schemas: dict[str, Json], others: dict[str, Json]) -> str:
    whole = {
        "$schema": DRAFT,
        "title": title,
        "oneOf": [{"$ref": f"#/$defs/{name}"} for name in schemas],
        "$defs": schemas | others,
    }
    return json.dumps(whole, indent=1, ensure_ascii=True) + "\n"


def _sections(kinds: dict[str, Kind]) -> list[str]:
    return [f"### `{name}`\n\n{kind.about}\n\n{_fields(kind.seen.schema())}" for name, kind in kinds.items()]


def _fields(schema: Json) -> str:
    always = schema.get("required", [])
    rows = [
        (f"`{key}`", _said(inside), "always" if key in always else "") for key, inside in schema["properties"].items()
    ]
    return table(("key", "value", ""), rows)


def _said(schema: Json) -> str:
    """One value, in the width of a table."""
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(each)}`" for each in schema["enum"])
    kinds = schema.get("type", "anything")
    parts = [_one(kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds)]
    return " or ".join(parts)


def _one(kind: str, schema: Json) -> str:
    if kind == "array":
        return f"list of {_said(schema['items'])}"
    if kind == "object" and schema.get("properties"):
        return f"object with {', '.join(f'`{key}`' for key in schema['properties'])}"
    return kind

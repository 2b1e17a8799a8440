"""The configuration as JSON Schema, for editors: from the table that the loader obeys."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sandgate.config.features import ALIASES, FEATURES
from sandgate.config.schema import (
    KEYS,
    PROJECT_ENTRY,
    PROVIDER_ENTRY,
    PROVIDERS,
    SERVER_ENTRY,
    SERVER_TOOLS,
    SERVERS,
    STRICT_SECTIONS,
    Key,
    named_row,
)
from sandgate.config.settings import plain_value
from sandgate.protocol.permissions import Granular
from sandgate.reference.events import DRAFT
from sandgate.reference.hints import fields_of

Json = dict[str, Any]

TEXTS: Json = {"type": "array", "items": {"type": "string"}}
VARIABLES: Json = {"type": "object", "additionalProperties": {"type": "string"}}


def schema() -> str:
    """What a `config.toml` may hold. An unknown key is refused only where the loader refuses it."""
    whole = _table(named_row(row) for row in KEYS.values())
    properties = whole["properties"]
    properties["projects"] = _named(_entry(PROJECT_ENTRY))
    properties[PROVIDERS] = _named(_entry(PROVIDER_ENTRY))
    properties[SERVERS] = _named(_server())
    properties["features"] = _features()
    properties |= {alias: {"type": "boolean", "deprecated": True} for alias in ALIASES}
    whole["$defs"] = {"settings": {"type": "object", "properties": dict(properties)}}
    properties["profiles"] = _named({"$ref": "#/$defs/settings"})
    properties["profile"] = {
        "type": "string",
        "description": "The profile that holds unless `--profile` says otherwise.",
    }
    return json.dumps({"$schema": DRAFT, "title": "Sandgate's config.toml", **whole}, indent=1) + "\n"


def _table(keys: Iterable[Key]) -> Json:
    """Dotted names become tables in tables."""
    whole: Json = {"type": "object", "properties": {}}
    for key in keys:
        place, section = whole, ""
        *tables, name = key.name.split(".")
        for table in tables:
            section = f"{section}.{table}".lstrip(".")
            place = place["properties"].setdefault(table, {"type": "object", "properties": {}})
            if section in STRICT_SECTIONS:
                place["additionalProperties"] = False
        place["properties"][name] = _value(key)
    return whole


def _value(key: Key) -> Json:
    found: Json = {"description": key.doc, **_accepted(key)}
    default = plain_value(key.default)
    return found if default is None else {**found, "default": default}


def _accepted(key: Key) -> Json:
    match key.kind:
        case "choice":
            return {"enum": list(key.choices)}
        case "approval":
            return {"oneOf": [{"enum": list(key.choices)}, *_granular()]}
        case "flag":
            return {"type": "boolean"}
        case "count":
            return {"type": "integer", "minimum": key.range[0], "maximum": key.range[1]}
        case "seconds":
            return {"type": "number", "minimum": key.range[0], "maximum": key.range[1]}
        case "names" | "words" | "entries" | "paths":
            return TEXTS
        case "path" | "text":
            return {"type": "string"}
        case "variables":
            return VARIABLES


def _granular() -> list[Json]:
    switches: Json = {"type": "object", "properties": {name: {"type": "boolean"} for name in fields_of(Granular)}}
    return [
        {"type": "object", "properties": {word: switches}, "required": [word], "additionalProperties": False}
        for word in ("granular", "reject")
    ]


def _entry(rows: Json) -> Json:
    return _table(named_row(row) for row in rows.values())


def _server() -> Json:
    entry = _entry(SERVER_ENTRY)
    mode = entry["properties"]["default_tools_approval_mode"]
    entry["properties"][SERVER_TOOLS] = _named({"type": "object", "properties": {"approval_mode": mode}})
    return entry


def _features() -> Json:
    switches = {
        name: {"type": "boolean", "default": default, "description": f"{about} Stage: {stage}."}
        for name, stage, default, about in FEATURES
    }
    return {"type": "object", "properties": switches}


def _named(entry: Json) -> Json:
    return {"type": "object", "additionalProperties": entry}

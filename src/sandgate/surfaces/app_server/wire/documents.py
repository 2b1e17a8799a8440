"""What others read of the table: JSON Schema, declarations for TypeScript, and a client in Python."""

from __future__ import annotations

import json
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, is_typeddict

from sandgate.surfaces.app_server.wire.methods import (
    CLIENT_NOTIFICATIONS,
    METHODS,
    SERVER_NOTIFICATIONS,
    SERVER_REQUESTS,
    Method,
    NotificationRow,
)
from sandgate.surfaces.app_server.wire.python_client import python_client
from sandgate.surfaces.app_server.wire.shapes import bare, fields, has_no_effect, is_required
from sandgate.surfaces.app_server.wire.table_types import all_types, is_needed, meaning_of, name_of

Json = dict[str, Any]

SCHEMA_NAME, TYPESCRIPT_NAME, PYTHON_NAME = "app-server.schema.json", "app-server.ts", "app_server_client.py"
PLAIN = {str: "string", bool: "boolean", int: "integer", float: "number", NoneType: "null"}
IN_TYPESCRIPT = {**PLAIN, int: "number"}
REQUEST_ID = int | str
WITHOUT_EFFECT = "Accepted, and without effect in this server."
UNIONS = (
    ("ClientRequest", "What a client may ask.", METHODS),
    ("ServerRequest", "What a client is asked.", SERVER_REQUESTS),
    ("ClientNotification", "What a client may tell.", CLIENT_NOTIFICATIONS),
    ("ServerNotification", "What a client is told.", SERVER_NOTIFICATIONS),
)


def documents() -> dict[str, str]:
    """Every document, by the name of its file."""
    return {SCHEMA_NAME: schema_text(), TYPESCRIPT_NAME: typescript(), PYTHON_NAME: python_client()}


def schema_text() -> str:
    """JSON Schema, draft 7: each type and each message by its name."""
    definitions: Json = {name_of(form): _object_schema(form) for form in all_types()}
    for name, meaning, messages in UNIONS:
        definitions[name] = {"description": meaning, "oneOf": [_message_schema(each) for each in messages]}
    named = [{"$ref": f"#/definitions/{name}"} for name, _meaning, _messages in UNIONS]
    whole = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "The app-server protocol, as `sandgate app-server` speaks it",
        "oneOf": named,
        "definitions": dict(sorted(definitions.items())),
    }
    return json.dumps(whole, indent=2) + "\n"


def schema_of(form: Any) -> Json:
    """Of one field, argument or element; objects by their names."""
    form = bare(form)
    origin = get_origin(form)
    if form is Any:
        return {}
    if is_typeddict(form):
        return {"$ref": f"#/definitions/{name_of(form)}"}
    if origin in (Union, UnionType):
        return {"anyOf": [schema_of(each) for each in get_args(form)]}
    if origin is Literal:
        return {"enum": list(get_args(form))}
    if origin is list:
        return {"type": "array", "items": schema_of(get_args(form)[0])}
    return {"type": "object"} if origin is dict else {"type": PLAIN[form]}


def typescript() -> str:
    """Declarations of every type and message."""
    lines = ["// The app-server protocol, as `sandgate app-server` speaks it.", ""]
    for form in all_types():
        lines += [f"/** {meaning_of(form)} */", f"export interface {name_of(form)} {{"]
        lines += [_field_line(form, name, kind) for name, kind in fields(form).items()]
        lines += ["}", ""]
    for name, meaning, messages in UNIONS:
        lines += [f"/** {meaning} */", f"export type {name} ="]
        lines += [f"  | {_message_line(each)}" for each in messages]
        lines[-1] += ";"
        lines.append("")
    lines += ["/** What answers a request, by its name. */", "export interface Results {"]
    lines += [f'  "{each.name}": {_in_typescript(each.result)};' for each in (*METHODS, *SERVER_REQUESTS)]
    return "\n".join([*lines, "}", ""])


def _object_schema(form: Any) -> Json:
    properties = {name: _property(kind) for name, kind in fields(form).items()}
    required = [name for name in properties if is_required(form, name)]
    schema: Json = {"description": meaning_of(form), "type": "object", "properties": properties}
    return {**schema, "required": required} if required else schema


def _property(kind: Any) -> Json:
    schema = schema_of(kind)
    return {**schema, "description": WITHOUT_EFFECT} if has_no_effect(kind) else schema


def _message_schema(message: Method | NotificationRow) -> Json:
    properties: Json = {"method": {"enum": [message.name]}}
    required = ["method"]
    if isinstance(message, Method):
        properties = {"id": schema_of(REQUEST_ID), **properties}
        required = ["id", *required]
    if message.params is not None:
        properties["params"] = schema_of(message.params)
        required += ["params"] if is_needed(message) else []
    return {"description": message.summary, "type": "object", "properties": properties, "required": required}


def _message_line(message: Method | NotificationRow) -> str:
    identity = "id: number | string; " if isinstance(message, Method) else ""
    mark = "" if message.params is not None and is_needed(message) else "?"
    params = "" if message.params is None else f"; params{mark}: {_in_typescript(message.params)}"
    return f'{{ {identity}method: "{message.name}"{params} }}'


def _field_line(form: Any, name: str, kind: Any) -> str:
    mark = "" if is_required(form, name) else "?"
    remark = f" // {WITHOUT_EFFECT}" if has_no_effect(kind) else ""
    return f"  {name}{mark}: {_in_typescript(kind)};{remark}"


def _in_typescript(form: Any) -> str:
    form = bare(form)
    origin = get_origin(form)
    if form is Any:
        return "unknown"
    if is_typeddict(form):
        return name_of(form)
    if origin in (Union, UnionType):
        return " | ".join(dict.fromkeys(_in_typescript(each) for each in get_args(form)))
    if origin is Literal:
        return " | ".join(json.dumps(each) for each in get_args(form))
    if origin is list:
        return f"Array<{_in_typescript(get_args(form)[0])}>"
    return "Record<string, unknown>" if origin is dict else IN_TYPESCRIPT[form]

"""What others read of the table: JSON Schema, and declarations for TypeScript."""

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
from sandgate.surfaces.app_server.wire.shapes import bare, fields, has_no_effect, is_required

Json = dict[str, Any]

SCHEMA_NAME, TYPESCRIPT_NAME = "app-server.schema.json", "app-server.ts"
PLAIN = {str: "string", bool: "boolean", int: "integer", float: "number", NoneType: "null"}
IN_TYPESCRIPT = {**PLAIN, int: "number"}
REQUEST_ID = int | str
OURS = "Wire"  # before the names of the types, so that they are no others of ours
WITHOUT_EFFECT = "Accepted, and without effect in this server."
UNIONS = (
    ("ClientRequest", "What a client may ask.", METHODS),
    ("ServerRequest", "What a client is asked.", SERVER_REQUESTS),
    ("ClientNotification", "What a client may tell.", CLIENT_NOTIFICATIONS),
    ("ServerNotification", "What a client is told.", SERVER_NOTIFICATIONS),
)


def documents() -> dict[str, str]:
    """Every document, by the name of its file."""
    return {SCHEMA_NAME: schema_text(), TYPESCRIPT_NAME: typescript()}


def schema_text() -> str:
    """JSON Schema, draft 7: each type and each message by its name."""
    definitions: Json = {_name(form): _object_schema(form) for form in _all_types()}
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
        return {"$ref": f"#/definitions/{_name(form)}"}
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
    for form in _all_types():
        lines += [f"/** {_said(form)} */", f"export interface {_name(form)} {{"]
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


def _all_types() -> list[Any]:
    """Every object that some message carries, in the order in which the table comes to it."""
    found: dict[Any, None] = {}
    for _name, _meaning, messages in UNIONS:
        for each in messages:
            _add(each.params, found)
            if isinstance(each, Method):
                _add(each.result, found)
    return list(found)


def _add(form: Any, found: dict[Any, None]) -> None:
    form = bare(form)
    if is_typeddict(form):
        if form not in found:
            found[form] = None
            for inner in fields(form).values():
                _add(inner, found)
        return
    for inner in get_args(form) if get_origin(form) is not Literal else ():
        _add(inner, found)


def _object_schema(form: Any) -> Json:
    properties = {name: _property(kind) for name, kind in fields(form).items()}
    required = [name for name in properties if is_required(form, name)]
    schema: Json = {"description": _said(form), "type": "object", "properties": properties}
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
        required += ["params"] if _is_needed(message) else []
    return {"description": message.summary, "type": "object", "properties": properties, "required": required}


def _is_needed(message: Method | NotificationRow) -> bool:
    return any(is_required(message.params, name) for name in fields(message.params))


def _message_line(message: Method | NotificationRow) -> str:
    identity = "id: number | string; " if isinstance(message, Method) else ""
    mark = "" if message.params is not None and _is_needed(message) else "?"
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
        return _name(form)
    if origin in (Union, UnionType):
        return " | ".join(dict.fromkeys(_in_typescript(each) for each in get_args(form)))
    if origin is Literal:
        return " | ".join(json.dumps(each) for each in get_args(form))
    if origin is list:
        return f"Array<{_in_typescript(get_args(form)[0])}>"
    return "Record<string, unknown>" if origin is dict else IN_TYPESCRIPT[form]


def _name(form: Any) -> str:
    name: str = form.__name__
    return name.removeprefix(OURS)


def _said(form: Any) -> str:
    return " ".join((form.__doc__ or "").split())

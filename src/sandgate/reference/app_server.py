"""The page of the app-server protocol, and its documents for programs, from the table of its messages."""

from __future__ import annotations

from typing import Any

from sandgate.reference.markdown import table
from sandgate.surfaces.app_server.wire.documents import (
    PYTHON_NAME,
    SCHEMA_NAME,
    TYPESCRIPT_NAME,
    schema_text,
    typescript,
)
from sandgate.surfaces.app_server.wire.methods import (
    CLIENT_NOTIFICATIONS,
    METHODS,
    SERVER_NOTIFICATIONS,
    SERVER_REQUESTS,
    Method,
    NotificationRow,
)
from sandgate.surfaces.app_server.wire.shapes import fields, has_no_effect, is_required

INTRODUCTION = f"""\
# The app-server protocol

What `sandgate app-server` speaks: JSON-RPC 2.0 without its `jsonrpc` member, one object a message. Names and fields are
those of the app server of the lineage, so that its clients work; a request that is not here is answered with -32601.
For programs there are [JSON Schema]({SCHEMA_NAME}) and [TypeScript]({TYPESCRIPT_NAME}); `sandgate app-server schema
--out DIR` writes both, and `{PYTHON_NAME}`, a client in Python. A field with a `?` may be left out or null; one in
brackets is accepted and has no effect.
"""


def beside_the_page() -> dict[str, str]:
    """Those that stand beside the page; the client in Python is a program, and written where it is wanted."""
    return {SCHEMA_NAME: schema_text(), TYPESCRIPT_NAME: typescript()}


def page() -> str:
    """docs/reference/app-server.md."""
    return "\n".join(
        [
            INTRODUCTION,
            _section("What a client asks", METHODS),
            _section("What a client tells", CLIENT_NOTIFICATIONS),
            _section("What a client is asked", SERVER_REQUESTS),
            _section("What a client is told", SERVER_NOTIFICATIONS),
        ]
    )


def _section(title: str, messages: tuple[Method | NotificationRow, ...]) -> str:
    rows = [(f"`{each.name}`", each.summary, _fields(each.params), _answer(each)) for each in messages]
    if not any(answer for *_rest, answer in rows):
        return f"## {title}\n\n" + table(("message", "", "fields"), (row[:3] for row in rows))
    return f"## {title}\n\n" + table(("message", "", "fields", "answer"), rows)


def _answer(message: Method | NotificationRow) -> str:
    return _fields(message.result) if isinstance(message, Method) else ""


def _fields(form: Any) -> str:
    if form is None:
        return ""
    return ", ".join(_field(form, name, kind) for name, kind in fields(form).items())


def _field(form: Any, name: str, kind: Any) -> str:
    if has_no_effect(kind):
        return f"[`{name}`]"
    return f"`{name}`" if is_required(form, name) else f"`{name}`?"
